"""The paper's solver: conditional power iterations on dense rows while alpha falls.

``run`` is the road: ``rebalance`` (the normalised similarities), ``sweep`` (the power iteration at
every alpha), ``rounding`` (rows to labels), ``confidence``. docs/method.md has the mathematics.
"""
