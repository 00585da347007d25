"""Copies of similarities in another order, against dense matrices."""

import numpy as np
import pytest
import scipy.sparse as sp

from spherelax.coordinate.graph.neighbors import places_of
from spherelax.coordinate.graph.source import Source, Target, copy_rows, enter_columns

M = 15


def problem(seed, *, grouped, dtype):
    """Similarities with a diagonal and faint ones, an order, and groups in that order."""
    rng = np.random.default_rng(seed)
    half = np.triu(rng.random((M, M)) * (rng.random((M, M)) < 0.5))
    half[0, 1:4] = 1e-9
    W = sp.csr_array((half + np.triu(half, 1).T).astype(dtype))
    given = rng.permutation(M).astype(np.int32)
    group = rng.integers(5, size=M).astype(np.int32) if grouped else np.empty(0, np.int32)
    source = Source(W.indptr.astype(np.int64), W.indices, W.data, 2.0, 1e-6, 0.75)
    return W.toarray(), source, given, group


def expected(W, given, group):
    """Half of W in an order, at most 0.75, without what does not count."""
    W = (np.minimum(W[np.ix_(given, given)], 0.75) / 2.0).astype(np.float32)
    is_left_out = np.eye(M, dtype=bool) | (W <= 1e-6)
    if len(group):
        is_left_out |= group[:, None] == group
    return np.where(is_left_out, np.float32(0), W)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("grouped", [False, True])
def test_copies_hold_what_counts(grouped, dtype, seed):
    W, source, given, group = problem(seed, grouped=grouped, dtype=dtype)
    n = len(source.indices)
    rows = Target(given, places_of(given), group, np.empty(n, np.int32), np.empty(n, np.float32))
    indptr, n_entries = np.zeros(M + 1, np.int64), np.zeros(M, np.int64)
    copy_rows(source, rows, indptr, n_entries)
    wanted = expected(W, given, group)
    in_any_order = (rows.values[: indptr[-1]], rows.indices[: indptr[-1]], indptr)
    np.testing.assert_array_equal(sp.csr_array(in_any_order, (M, M)).toarray(), wanted)
    np.testing.assert_array_equal(n_entries, (wanted > 0).sum(axis=0))

    ends = np.cumsum(np.r_[0, n_entries])
    columns = rows._replace(
        indices=np.empty(ends[-1], np.int32), values=np.empty(ends[-1], np.float32)
    )
    enter_columns(source, columns, ends[:-1].copy())
    ordered = sp.csr_array(wanted)
    ordered.sort_indices()
    np.testing.assert_array_equal(columns.indices, ordered.indices)
    np.testing.assert_array_equal(columns.values, ordered.data)
