"""Similarities as compressed sparse rows, parts of them, and sums over labels.

`build_graph` copies the similarities of a problem into a `Graph`, whose items are in an order that
does not depend on that of the problem. All kernels read it. `Account` and `Totals` are the sums
that a description of labels needs; `Draw` is the part of a large graph that scores are learnt from;
a `Contraction` makes a graph of labels.
"""

from spherelax.coordinate.graph.account import UNIT, Account, Totals, add_counts
from spherelax.coordinate.graph.candidates import Candidates
from spherelax.coordinate.graph.contraction import Contraction, contract
from spherelax.coordinate.graph.crossings import Compared, cross
from spherelax.coordinate.graph.graph import (
    LARGE,
    Graph,
    build_graph,
    keys_of_items,
    largest,
)
from spherelax.coordinate.graph.hashing import hash_numbers
from spherelax.coordinate.graph.neighbors import Entries, components, enter_transposed, strengths
from spherelax.coordinate.graph.part import (
    LEARN_FROM,
    LEAST_ITEMS,
    Draw,
    components_up_to,
    draw,
    is_large,
)
from spherelax.coordinate.graph.paths import (
    contract_pairs,
    minimum_cut,
    spanning_tree,
    strongest_path,
    weakest_cut,
)
from spherelax.coordinate.graph.tally import have_changed, within

__all__ = [
    "LARGE",
    "LEARN_FROM",
    "LEAST_ITEMS",
    "UNIT",
    "Account",
    "Candidates",
    "Compared",
    "Contraction",
    "Draw",
    "Entries",
    "Graph",
    "Totals",
    "add_counts",
    "build_graph",
    "components",
    "components_up_to",
    "contract",
    "contract_pairs",
    "cross",
    "draw",
    "enter_transposed",
    "hash_numbers",
    "have_changed",
    "is_large",
    "keys_of_items",
    "largest",
    "minimum_cut",
    "spanning_tree",
    "strengths",
    "strongest_path",
    "weakest_cut",
    "within",
]
