"""Curves of the path, and how long labels last."""

import numpy as np

from spherelax.metrics import pairwise_scores
from spherelax.result import SAME, SweepPath, steady_steps


def test_curves_of_the_path_have_one_entry_per_step(result):
    path = result.path
    n_steps = len(path.labels)
    for curve in (path.alphas, path.etas, path.objectives, path.resolutions, path.n_labels):
        assert curve.shape == (n_steps,)
    assert path.stability.shape == (n_steps,)
    assert path.is_complete
    assert np.all(np.diff(path.alphas) < 0)
    np.testing.assert_allclose(path.resolutions, path.alphas / (1 - path.alphas))
    assert path.n_labels.tolist() == [len(set(labels.tolist())) for labels in path.labels]


def test_stability_is_how_long_labels_last():
    """Resolutions 16, 8, 4, 2, 1: in ln 2, each step reaches halfway to its neighbours."""
    resolutions = 2.0 ** np.arange(4, -1, -1)
    two, one = np.repeat([0, 1], 6), np.zeros(12)
    labels = tuple(step.astype(np.int32) for step in (np.arange(12), two, two, two, one))
    path = SweepPath(resolutions / (1 + resolutions), np.zeros(5), np.zeros(5), labels)
    expected = np.log(2) * np.array([0.5, 3, 3, 3, 0.5])
    np.testing.assert_allclose(path.stability, expected)


def test_labels_that_drift_are_not_called_the_same():
    """Neighbouring steps are nearly the same, the first and the last are not."""
    n_steps, n_items = 40, 400
    labels = [np.repeat([0, 1], n_items // 2).astype(np.int32)]
    for step in range(1, n_steps):
        labels.append(labels[-1].copy())
        labels[-1][step] = 1
    resolutions = 2.0 ** -np.arange(n_steps)
    alphas = resolutions / (1 + resolutions)
    path = SweepPath(alphas, np.zeros(n_steps), np.zeros(n_steps), tuple(labels))
    for at in (0, n_steps // 2, n_steps - 1):
        found = steady_steps(labels, at)
        scores = [pairwise_scores(labels[at], labels[step]).f_score for step in range(n_steps)]
        assert [step for step in range(n_steps) if scores[step] >= SAME] == list(found)
        assert at in found
        width = np.log(resolutions[found.start] / resolutions[found.stop - 1])
        assert width <= path.stability[at] <= width + np.log(2)
    assert len(steady_steps(labels, 0)) < n_steps / 2
