"""Similarities of a shard as compressed sparse rows, made from its pairs in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.coordinate.graph import Entries, enter_transposed
from spherelax.io.files.mapped import Array, mapped, new_arrays
from spherelax.io.tables.parquet import parquet_batches

# From this number of pairs on, rows are kept in files, which are mapped: 24 bytes of a pair.
MANY_PAIRS = 1 << 24
# From this number of entries on, their places need 8 bytes.
MANY_ENTRIES = 1 << 31
INDICES, DATA, INDPTR = FILES = ("indices.npy", "data.npy", "indptr.npy")

Columns = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]


def symmetric(edges: Path, n_items: int, n_pairs: int) -> sp.csr_array:
    """Return the symmetric matrix of a file of sorted pairs, as CSR.

    If there are many pairs, it is mapped from files beside, which are made at the first call.

    Examples
    --------
    >>> import tempfile
    >>> from spherelax.io.tables.parquet import parquet_bytes
    >>> pairs = {"left": np.int32([0, 1]), "right": np.int32([2, 2]), "similarity": [0.5, 0.9]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     edges = Path(folder, "edges.parquet")
    ...     _ = edges.write_bytes(parquet_bytes(pairs, "edges"))
    ...     symmetric(edges, n_items=3, n_pairs=2).toarray().tolist()
    [[0.0, 0.0, 0.5], [0.0, 0.0, 0.9], [0.5, 0.9, 0.0]]
    """
    n = 2 * n_pairs
    place = np.int32 if n < MANY_ENTRIES else np.int64
    if n_pairs < MANY_PAIRS:
        arrays: list[Array] = [
            np.empty(n, np.int32),
            np.empty(n),
            np.empty(n_items + 1, place),
        ]
        _fill(edges, *arrays)
    else:
        files = [edges.with_name(file) for file in FILES]
        if not all(file.exists() for file in files):
            kinds = ((n, np.int32), (n, np.float64), (n_items + 1, place))
            with new_arrays(dict(zip(files, kinds, strict=True))) as made:
                _fill(edges, *made)
        arrays = [mapped(file) for file in files]
    W = sp.csr_array((n_items, n_items))
    # SciPy's constructor would copy 32-bit columns if there are more than 2^31 of them.
    W.indices, W.data, W.indptr = arrays
    W.has_canonical_format = True
    return W


def _fill(
    edges: Path, indices: NDArray[np.int32], data: NDArray[np.float64], indptr: Array
) -> None:
    """Fill the rows; smaller neighbours of an item come first, and pairs are sorted."""
    m = len(indptr) - 1
    n_smaller, n_larger = np.zeros(m, np.int64), np.zeros(m, np.int64)
    for left, right, _ in _columns(edges):
        np.add.at(n_smaller, right, 1)
        np.add.at(n_larger, left, 1)
    ends = np.r_[0, np.cumsum(n_smaller + n_larger)]
    indptr[:] = ends
    smaller = ends[:-1].copy()
    larger = smaller + n_smaller
    for left, right, similarity in _columns(edges):
        enter_transposed(Entries(left, right, similarity), smaller, indices, data)
        enter_transposed(Entries(right, left, similarity), larger, indices, data)


def _columns(edges: Path) -> Iterator[Columns]:
    """Read the pairs piece by piece."""
    for batch in parquet_batches(edges):
        left, right, similarity = (column.to_numpy() for column in batch.columns)
        yield left, right, similarity
