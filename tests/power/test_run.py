"""The paper's solver from a problem to labels."""

import numpy as np

import spherelax as sl
from spherelax.power.run import run
from spherelax.power.sweep import alpha_grid
from spherelax.problem import Problem

SETTINGS = sl.Power(alpha_step=0.05, n_inner=5)


def solved(W, groups=None, **others):
    given = {"saving": None, "n_threads": 1, "callback": None} | others
    return run(Problem.check(W, groups), SETTINGS, "eta", **given)


def test_the_path_has_a_step_for_each_alpha_and_the_pick_is_one_of_them():
    W, _ = sl.datasets.make_binary_similarity(60, 3, random_state=0)
    seen = []
    found = solved(W, callback=seen.append, saving=lambda labels: float(labels.max()))
    np.testing.assert_array_equal(found.path.alphas, alpha_grid(0.05))
    assert [step.alpha for step in seen] == found.path.alphas.tolist()
    assert found.alpha == found.path.alphas[found.index]
    np.testing.assert_array_equal(found.labels, found.path.labels[found.index])
    assert found.path.savings.tolist() == [labels.max() for labels in found.path.labels]


def test_control_c_leaves_the_steps_that_were_done():
    def stop(step):
        if step.index == 4:
            raise KeyboardInterrupt

    found = solved(np.kron(np.eye(3), np.ones((4, 4))), callback=stop)
    assert not found.is_complete
    assert len(found.path.alphas) == len(found.path.labels) == 5


def test_items_that_are_similar_to_no_other_stay_alone():
    W = np.kron(np.eye(4), np.ones((3, 3)))
    W[9:, 9:] = 0.0
    found = solved(W)
    for labels in found.path.labels:
        assert len(set(labels[9:].tolist())) == 3
        assert set(labels[9:].tolist()).isdisjoint(labels[:9].tolist())
    confidence = found.solved.confidence(found.labels, found.alpha)
    np.testing.assert_array_equal(confidence[9:], 1.0)
    assert not found.solved.embedding(2)[9:].any()
