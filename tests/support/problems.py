"""Problems with a known answer, and solving without warnings, for the tests of solve."""

import warnings
from dataclasses import fields, replace

import numpy as np
import scipy.sparse as sp

import spherelax as sl
from spherelax.labels import renumber
from spherelax.settings import SOLVERS

SIZES = [7, 4, 1, 6, 2]


def clean(sizes=SIZES, seed=0):
    """Complete clusters of different sizes in random order."""
    labels = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    return (labels[:, None] == labels).astype(float), renumber(labels)


def candidates(n_entities=60, seed=0):
    """Scored candidates of three copies each: few wrong pairs score as high as right ones."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat(np.arange(n_entities), 3))
    m = len(truth)
    wrong = np.where(rng.random((m, m)) < 0.05, rng.normal(0.35, 0.08, (m, m)), 0.0)
    right = rng.normal(0.75, 0.08, (m, m))
    scores = np.triu(np.where(truth[:, None] == truth, right, wrong.clip(0.0)), 1)
    return sp.csr_array(scores + scores.T), renumber(truth)


def tuned(solver, **settings):
    """Return the settings of a solver, of those given the ones that it has."""
    known = {field.name for field in fields(SOLVERS[solver])}
    return SOLVERS[solver](**{name: settings[name] for name in known & set(settings)})


def quiet_solve(*args, **kwargs):
    """Solve without the warning that odd outcomes give."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SphereWarning)
        return sl.solve(*args, **kwargs)


class Sure:
    """The source of a result, but for the confidence that it returns."""

    def __init__(self, source, confidence, *, is_probability=True):
        self.source, self.stated, self.is_probability = source, confidence, is_probability

    def confidence(self, *_):
        return self.stated

    def explain(self, *asked):
        if not hasattr(self.source, "explain"):
            raise sl.InvalidInputError("nothing is known that explains")
        return self.source.explain(*asked)

    def __getattr__(self, name):
        return getattr(self.source, name)


def with_labels(result, labels):
    """Return a result with other labels at its step."""
    path, at = result.path, result.path.picked
    labels = (*path.labels[:at], labels, *path.labels[at + 1 :])
    return replace(result, path=replace(path, labels=labels))


def with_confidence(result, confidence, *, is_probability=True, **changes):
    """Return a result with a confidence and other changes."""
    source = Sure(changes.pop("source", result._solved), confidence, is_probability=is_probability)
    return replace(result, _solved=source, **changes)


def clouds(centres, names):
    """Points around centres, with what clustering says of them."""
    rng = np.random.default_rng(0)
    X = np.repeat(centres, 60, axis=0) + rng.normal(size=(60 * len(centres), centres.shape[1]))
    graph = sl.similarity.neighbor_graph(X)
    return sl.io.Points(X, [f"p{at}" for at in range(len(X))], names).joined(graph), sl.solve(graph)
