"""Problems with known labels: generators of the paper's synthetic ones and loaders of real ones.

Real data are not part of the package; each loader looks for its files in :func:`data_home`.
"""

from __future__ import annotations

from spherelax.datasets.generators import (
    make_binary_similarity,
    make_gaussian_mixture,
    make_partial_matching,
)
from spherelax.datasets.home import data_home
from spherelax.datasets.kinds import GraphData, MatchingData, PointData, RecordData
from spherelax.datasets.loaders import (
    GRAPHS,
    POINT_SETS,
    WILLOW,
    load_graph,
    load_house,
    load_points,
    load_records,
    load_tracks,
    load_willow,
)

__all__ = [
    "GRAPHS",
    "POINT_SETS",
    "WILLOW",
    "GraphData",
    "MatchingData",
    "PointData",
    "RecordData",
    "data_home",
    "load_graph",
    "load_house",
    "load_points",
    "load_records",
    "load_tracks",
    "load_willow",
    "make_binary_similarity",
    "make_gaussian_mixture",
    "make_partial_matching",
]
