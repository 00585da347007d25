"""The normalised affinity."""

import numpy as np
import pytest

from spherelax.baselines.laplacian import normalised_affinity, unit_rows


def test_spectrum_of_the_normalised_affinity(seed):
    A = np.random.default_rng(seed).random((30, 30))
    A = A + A.T
    L = normalised_affinity(A)
    assert np.abs(L - L.T).max() < 1e-15
    # Its largest eigenvalue is 1, with the square roots of the degrees as eigenvector.
    root = np.sqrt(A.sum(axis=1))
    assert L @ root == pytest.approx(root)
    assert np.linalg.eigvalsh(L).max() == pytest.approx(1.0)


def test_rows_of_zeros_stay_zero():
    A = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0.0]])
    assert (normalised_affinity(A) == A).all()
    assert (unit_rows(2 * A) == A).all()
