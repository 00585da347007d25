"""Points, and their distances."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist


@pytest.fixture
def points(seed):
    return np.random.default_rng(seed).normal(size=(40, 3))


@pytest.fixture
def ranked(points):
    """Distances and, for each point, the others from near to far."""
    distances = cdist(points, points)
    np.fill_diagonal(distances, np.inf)
    order = np.argsort(distances, axis=1)[:, :-1]
    np.fill_diagonal(distances, 0.0)
    return distances, order
