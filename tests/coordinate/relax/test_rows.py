"""Packed rows of U against dense vectors."""

import numpy as np
import pytest
from support.twins import best_row, dense_rows, rounded, units_of

from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.relax import rows as kernels
from spherelax.coordinate.relax.rows import PackedRows, Scratch, round_rows
from spherelax.coordinate.relax.sweep import start
from spherelax.problem import Problem

M, R = 12, 3  # columns, and entries of a row


def random_rows(rng, n=6):
    """Rows with one to R entries."""
    packed = np.full((n, 2 * R), -1, dtype=np.int32)
    value = packed.view(np.float32)
    value[:, R:] = 0.0
    for i in range(n):
        k = rng.integers(1, R + 1)
        packed[i, :k] = rng.choice(M, k, replace=False)
        value[i, R : R + k] = -np.sort(-rng.random(k) - 0.1)
    return PackedRows(packed, value)


def dense(rows, i):
    """One row as a vector."""
    vector = np.zeros(M)
    used = rows.packed[i, :R] >= 0
    vector[rows.packed[i, :R][used]] = rows.value[i, R:][used]
    return vector


def test_single_rows_are_those_of_dense_vectors(seed):
    rng = np.random.default_rng(seed)
    rows, others = random_rows(rng), random_rows(rng)
    target = np.zeros(M)
    for i in range(6):
        u, v = dense(rows, i), dense(others, i)
        np.testing.assert_allclose([kernels.entry(rows, i, c) for c in range(M)], u)
        np.testing.assert_allclose(
            kernels.distance(rows, i, others, i), abs(u - v).sum(), rtol=1e-6
        )
        assert kernels.distance(rows, i, rows, i) == 0.0
        kernels.add(rows, i, 1.0, target)
        kernels.add(others, i, -1.0, target)
        np.testing.assert_allclose(target, u - v, rtol=1e-6)
        kernels.clear(rows, i, target)
        kernels.clear(others, i, target)
        assert not target.any()


@pytest.mark.parametrize("tau", [0.0, 0.3])
def test_the_largest_entries_are_kept(tau, seed):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng)
    nothing = np.zeros(M, dtype=np.float32)
    for _ in range(20):
        y = rng.normal(size=M).astype(np.float32)
        touched = rng.permutation(M).astype(np.int32)
        scratch = Scratch(nothing, nothing, nothing, y.copy(), touched)
        x = np.zeros(M)
        x[touched] = y
        length = kernels.keep_largest(rows, 2, scratch, M, tau)
        expected = best_row(x, tau, R)
        np.testing.assert_allclose(dense(rows, 2), expected, rtol=1e-6)
        np.testing.assert_allclose(length, x @ expected, rtol=1e-6)
    scratch = Scratch(nothing, nothing, nothing, -abs(y), touched)
    assert kernels.keep_largest(rows, 2, scratch, M, tau) == 0.0
    np.testing.assert_array_equal(rows.packed[2, :R], -1)


def test_rounding_lets_the_strongest_of_a_group_keep_the_column(seed):
    rng = np.random.default_rng(seed)
    m = 24
    graph = build_graph(Problem.check(np.ones((m, m)), rng.integers(6, size=m)))
    rows = start(graph, 2)
    first = np.sort(rng.random(m).astype(np.float32) * 0.3 + 0.7)
    rows.packed[:, :2] = [rng.choice(6, 2, replace=False) for _ in range(m)]
    rows.value[:, 2:] = np.c_[first, np.sqrt(1 - first**2)]
    labels = round_rows(graph, rows)
    np.testing.assert_array_equal(labels, rounded(dense_rows(rows), units_of(graph)))
    assert np.count_nonzero(labels != rows.packed[:, 0]) > 0
