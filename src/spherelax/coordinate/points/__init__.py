"""Neighbour graphs of points: borders of labels, and valleys of density between them.

Every patch of a neighbour graph looks like a cluster. Two things tell clusters from patches: a
border that is thinner than that of patches of one cloud (`PatchLaw`), and a valley of density
between two labels (`Valleys`, whose cuts are weighed in a `Field`). What neither can show is
estimated (`Unseen`, by the `Softness` of labels).
"""

from spherelax.coordinate.points.borders import MOST_CELLS, WIDE, PatchLaw
from spherelax.coordinate.points.softness import Softness
from spherelax.coordinate.points.unseen import Unseen
from spherelax.coordinate.points.valleys import (
    MOST_ITEMS,
    N_CELLS,
    SHALLOW,
    Field,
    Valleys,
    choose,
    steps_to_merge,
)

__all__ = [
    "MOST_CELLS",
    "MOST_ITEMS",
    "N_CELLS",
    "SHALLOW",
    "WIDE",
    "Field",
    "PatchLaw",
    "Softness",
    "Unseen",
    "Valleys",
    "choose",
    "steps_to_merge",
]
