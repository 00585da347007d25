"""Problems with a known answer, and solving without warnings, for the tests of solve."""

import warnings
from dataclasses import fields

import numpy as np

import spherelax as sl
from spherelax.labels import renumber
from spherelax.settings import SOLVERS

SIZES = [7, 4, 1, 6, 2]


def clean(sizes=SIZES, seed=0):
    """Complete clusters of different sizes in random order."""
    labels = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    return (labels[:, None] == labels).astype(float), renumber(labels)


def tuned(solver, **settings):
    """Return the settings of a solver, of those given the ones that it has."""
    known = {field.name for field in fields(SOLVERS[solver])}
    return SOLVERS[solver](**{name: settings[name] for name in known & set(settings)})


def quiet_solve(*args, **kwargs):
    """Solve without the warning that odd outcomes give."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SphereWarning)
        return sl.solve(*args, **kwargs)
