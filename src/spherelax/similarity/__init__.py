"""From points to similarities: Gaussian, nearest-neighbour and density-adaptive kernels.

All distances are Euclidean; an item is not its own neighbour. Kernels that return CSR never build
an array of all pairs. They are loaded when they are first used, so that `solve`, which must know
what a neighbour graph is, does not wait for scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from spherelax.similarity.graph import NeighborGraph, Places

if TYPE_CHECKING:
    from spherelax.similarity.kernels import adaptive, rbf
    from spherelax.similarity.neighbors import (
        NewNeighbors,
        local_scales,
        nearest_neighbors,
        neighbor_graph,
        new_neighbors,
    )

__all__ = [
    "NeighborGraph",
    "NewNeighbors",
    "Places",
    "adaptive",
    "local_scales",
    "nearest_neighbors",
    "neighbor_graph",
    "new_neighbors",
    "rbf",
]


def __getattr__(name: str) -> object:
    """Load a public name at its first use."""
    if name not in __all__:
        raise AttributeError(f"module 'spherelax.similarity' has no attribute {name!r}")
    home = "kernels" if name in ("adaptive", "rbf") else "neighbors"
    return getattr(import_module(f"spherelax.similarity.{home}"), name)


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
