"""The shared spectral pieces: self matchings, positive eigenpairs, reference rows, rotations."""

import numpy as np

from spherelax.baselines.spectral_factor import (
    matching_blocks,
    nearest_rotation,
    positive_eigenpairs,
    reference_rows,
    widen,
)
from spherelax.datasets import make_partial_matching


def random_symmetric(seed, m=12):
    A = np.random.default_rng(seed).standard_normal((m, m))
    return A + A.T


def test_blocks_inside_groups_are_the_identity_and_scale_does_not_count(seed):
    W, groups, _ = make_partial_matching(5, 4, random_state=seed)
    spoilt = 7.0 * W
    spoilt[groups[:, None] == groups] = 3.0
    blocks, own = matching_blocks(spoilt, groups.astype(str))
    np.testing.assert_allclose(blocks, W)
    np.testing.assert_array_equal(own[:, None] == own, groups[:, None] == groups)


def test_positive_eigenpairs_give_the_nearest_semidefinite_matrix_of_low_rank(seed):
    W = random_symmetric(seed)
    all_values, all_vectors = np.linalg.eigh(W)
    for k in (3, 12):
        values, vectors = positive_eigenpairs(W, k)
        kept = np.clip(all_values, 0, None) * (np.arange(12) >= 12 - k)
        expected = all_vectors * kept @ all_vectors.T
        np.testing.assert_allclose(vectors * values @ vectors.T, expected, atol=1e-9)


def test_reference_rows_are_greedily_farthest_from_the_span(seed):
    U = np.random.default_rng(seed).standard_normal((15, 4))
    rest, expected = U.copy(), []
    for _ in range(4):
        row = int(np.argmax(np.linalg.norm(rest, axis=1)))
        expected.append(row)
        direction = rest[row] / np.linalg.norm(rest[row])
        rest -= np.outer(rest @ direction, direction)
    assert reference_rows(U).tolist() == expected


def test_no_more_reference_rows_than_the_rank(seed):
    rng = np.random.default_rng(seed)
    U = rng.standard_normal((15, 3)) @ rng.standard_normal((3, 6))
    assert len(reference_rows(U)) == 3


def test_nearest_rotation_solves_the_procrustes_problem(seed):
    A = np.random.default_rng(seed).standard_normal((5, 5))
    Q = nearest_rotation(A)
    np.testing.assert_allclose(Q @ Q.T, np.eye(5), atol=1e-12)
    # Optimality: Q^T A is symmetric and positive semidefinite.
    H = Q.T @ A
    np.testing.assert_allclose(H, H.T, atol=1e-12)
    assert np.linalg.eigvalsh(H).min() >= -1e-12


def test_widen_keeps_what_is_there():
    scores = np.arange(6.0).reshape(3, 2)
    wide = widen(scores, 4)
    np.testing.assert_array_equal(wide[:, :2], scores)
    assert wide.shape == (3, 4)
    assert not wide[:, 2:].any()
