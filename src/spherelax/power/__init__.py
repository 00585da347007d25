"""The paper's solver: power iterations on a dense matrix U while alpha falls.

``run`` calls the parts in order: ``rebalance`` (normalises the similarities), ``sweep`` (power
iterations at every alpha), ``rounding`` (rows of U to labels) and ``confidence``. docs/method.md
has the mathematics.
"""
