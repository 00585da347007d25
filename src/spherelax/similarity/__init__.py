"""From points to similarities: Gaussian, nearest-neighbour and density-adaptive kernels.

All distances are Euclidean; an item is not its own neighbour. Kernels that return CSR never build
an array of all pairs.
"""

from spherelax.similarity.kernels import adaptive, rbf
from spherelax.similarity.neighbors import (
    NeighborGraph,
    NewNeighbors,
    Places,
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
