"""Reading and writing files, and tables and graphs of other packages.

A reader returns :class:`Items`, or :class:`Points` for a table of features. Give
``items.problem`` to :func:`spherelax.solve`; ``items.answer(result)`` returns the labels with the
user's own names. A file is written completely or not at all.
"""

from spherelax.io.answers.answers import columns_csv, summary, write_answer, write_columns
from spherelax.io.answers.saved import load_result, save_result
from spherelax.io.files.source import Source
from spherelax.io.files.streams import spooled
from spherelax.io.files.writing import check_target, is_device, replace_file
from spherelax.io.items import Items, View
from spherelax.io.readers.cells import Cells, from_anndata, label_obs, read_h5ad, write_h5ad
from spherelax.io.readers.colmap import Keypoints, MatchCounts, read_colmap, write_colmap
from spherelax.io.readers.graphs import from_graph, label_nodes, node_sets, vertex_clustering
from spherelax.io.readers.hloc import HlocKeypoints, read_hloc, write_hloc
from spherelax.io.readers.images import ImageFolder
from spherelax.io.readers.judgements import read_judgements
from spherelax.io.readers.pairs import Records, read_pairs
from spherelax.io.readers.points import Neighbors, Points, read_points
from spherelax.io.readers.splink import SplinkEntities, to_splink
from spherelax.io.readers.tables import read_edges, read_groups
from spherelax.io.reading import format_of, read, recognised
from spherelax.io.tables.arrays import read_arrays, read_matrix

__all__ = [
    "Cells",
    "HlocKeypoints",
    "ImageFolder",
    "Items",
    "Keypoints",
    "MatchCounts",
    "Neighbors",
    "Points",
    "Records",
    "Source",
    "SplinkEntities",
    "View",
    "check_target",
    "columns_csv",
    "format_of",
    "from_anndata",
    "from_graph",
    "is_device",
    "label_nodes",
    "label_obs",
    "load_result",
    "node_sets",
    "read",
    "read_arrays",
    "read_colmap",
    "read_edges",
    "read_groups",
    "read_h5ad",
    "read_hloc",
    "read_judgements",
    "read_matrix",
    "read_pairs",
    "read_points",
    "recognised",
    "replace_file",
    "save_result",
    "spooled",
    "summary",
    "to_splink",
    "vertex_clustering",
    "write_answer",
    "write_colmap",
    "write_columns",
    "write_h5ad",
    "write_hloc",
]
