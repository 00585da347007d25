"""Problems with a known answer, and solving without warnings, for the tests of solve."""

import warnings

import numpy as np

import spherelax as sl
from spherelax.labels import renumber

SIZES = [7, 4, 1, 6, 2]


def clean(sizes=SIZES, seed=0):
    """Complete clusters of different sizes in random order."""
    labels = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    return (labels[:, None] == labels).astype(float), renumber(labels)


def quiet_solve(*args, **kwargs):
    """Solve without the warning that odd outcomes give."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SphereWarning)
        return sl.solve(*args, **kwargs)
