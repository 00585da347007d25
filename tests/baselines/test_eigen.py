"""Leading eigenpairs."""

import numpy as np
import pytest

from spherelax.baselines.eigen import leading_eigenpairs


def test_eigenpairs_are_those_of_the_definition(seed):
    A = np.random.default_rng(seed).standard_normal((30, 30))
    A = A + A.T
    values, vectors = leading_eigenpairs(A, 5)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-10)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-10)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(A)[::-1][:5])


@pytest.mark.parametrize("q", [10, 40])
def test_no_copy_of_a_repeated_eigenvalue_is_missed(q):
    order = np.random.default_rng(0).permutation(q * 30)
    truth = (np.arange(q * 30) % 30)[order]
    values, vectors = leading_eigenpairs((truth[:, None] == truth).astype(float), 30)
    np.testing.assert_allclose(values, q)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(30), atol=1e-8)
