"""Reading and writing files, and tables and graphs of other packages.

A reader returns :class:`Items`, or :class:`Points` for a table of features. Give
``items.problem`` to :func:`spherelax.solve`; ``items.answer(result)`` returns the labels with the
user's own names. A file is written completely or not at all.
"""

from spherelax.io.answers import columns_csv, summary, write_answer
from spherelax.io.arrays import read_arrays, read_matrix
from spherelax.io.cells import Cells, from_anndata, label_obs, read_h5ad, write_h5ad
from spherelax.io.colmap import Keypoints, MatchCounts, read_colmap, write_colmap
from spherelax.io.graphs import from_graph, label_nodes
from spherelax.io.images import ImageFolder
from spherelax.io.items import Items
from spherelax.io.pairs import Records, read_pairs
from spherelax.io.points import Neighbors, Points, read_points
from spherelax.io.reading import kind_of, read, recognised
from spherelax.io.saved import load_result, save_result
from spherelax.io.source import Source
from spherelax.io.streams import spooled
from spherelax.io.tables import read_edges, read_groups
from spherelax.io.writing import check_target, is_device, replace_file

__all__ = [
    "Cells",
    "ImageFolder",
    "Items",
    "Keypoints",
    "MatchCounts",
    "Neighbors",
    "Points",
    "Records",
    "Source",
    "check_target",
    "columns_csv",
    "from_anndata",
    "from_graph",
    "is_device",
    "kind_of",
    "label_nodes",
    "label_obs",
    "load_result",
    "read",
    "read_arrays",
    "read_colmap",
    "read_edges",
    "read_groups",
    "read_h5ad",
    "read_matrix",
    "read_pairs",
    "read_points",
    "recognised",
    "replace_file",
    "save_result",
    "spooled",
    "summary",
    "write_answer",
    "write_colmap",
    "write_h5ad",
]
