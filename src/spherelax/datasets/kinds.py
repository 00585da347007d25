"""The classes that the loaders return.

Positions are in pixels of the image files that come with them, x to the right and y down, with
(0, 0) at the centre of the top left pixel.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

# A seed or a generator of random choices, as in scikit-learn.
Seed = int | np.random.RandomState | None


class MatchingData(NamedTuple):
    """A multi-matching problem: points in images, similar where a pair of images was matched.

    Attributes
    ----------
    similarity : csr_array of shape (n_items, n_items)
        0/1 and symmetric; identity inside each image.
    groups, labels : ndarray of shape (n_items,)
        Image of each item, counted from 0, and the point that it really shows.
    positions : ndarray of shape (n_items, 2)
        x and y in pixels of the image file; NaN if not known.
    images : tuple of Path or None
        File of each image; None if there is none.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> W, groups, labels = csr_array([[1.0, 1.0], [1.0, 1.0]]), np.array([0, 1]), np.array([0, 0])
    >>> data = MatchingData(W, groups, labels, np.zeros((2, 2)), images=(None, None))
    >>> data.images[data.groups[0]] is None
    True
    """

    similarity: csr_array
    groups: NDArray[np.intp]
    labels: NDArray[np.intp]
    positions: NDArray[np.float64]
    images: tuple[Path | None, ...]


class PointData(NamedTuple):
    """Points, and all labelings of them that count as right.

    Attributes
    ----------
    points : ndarray of shape (n_items, n_features)
        Coordinates.
    labelings : tuple of ndarray of shape (n_items,)
        Clusters, counted from 1; items labelled 0 are noise and should not be scored.

    Examples
    --------
    >>> data = PointData(np.zeros((3, 2)), labelings=(np.array([1, 1, 0]),))
    >>> scored = data.labelings[0] > 0
    >>> data.points[scored].shape
    (2, 2)
    """

    points: NDArray[np.float64]
    labelings: tuple[NDArray[np.intp], ...]


class GraphData(NamedTuple):
    """A graph whose nodes have known classes.

    Attributes
    ----------
    similarity : csr_array of shape (n_items, n_items)
        1 for each edge, in both directions; 0 on the diagonal.
    labels : ndarray of shape (n_items,)
        Class of each node, counted from 0.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> GraphData(csr_array([[0.0, 1.0], [1.0, 0.0]]), np.array([0, 0])).labels
    array([0, 0])
    """

    similarity: csr_array
    labels: NDArray[np.intp]


class RecordData(NamedTuple):
    """Records of several sources, each without duplicates, and the thing that each describes.

    Attributes
    ----------
    records : dict of str to tuple of str
        Columns by name, one text per record.
    sources, labels : ndarray of shape (n_items,)
        Source of each record, counted from 1, and its true entity, counted from 0.
    ids : tuple of str
        Name of each record.

    Examples
    --------
    >>> titles, sources, labels = ("Help!", "Help"), np.array([1, 2]), np.array([0, 0])
    >>> data = RecordData({"title": titles}, sources, labels, ids=("a", "b"))
    >>> data.records["title"][1]
    'Help'
    """

    records: dict[str, tuple[str, ...]]
    sources: NDArray[np.intp]
    labels: NDArray[np.intp]
    ids: tuple[str, ...]
