"""Another answer that is about as good."""

from dataclasses import replace

import numpy as np
import pytest

import spherelax as sl
from spherelax.coordinate.worth.alternatives import (
    _coarsen,
    _of_number,
    _refine,
    find_alternative,
    find_frequent_alternative,
)


def labels(n_labels, m=60):
    return (np.arange(m) * n_labels // m).astype(np.int32)


def test_nearly_the_same_labels_are_no_other_answer():
    steps = [labels(30), labels(6), labels(5)]
    assert find_alternative(steps, np.array([10.0, 99.5, 100.0]), steps[2]) == 6
    almost = steps[2].copy()
    almost[:1] = 5
    assert find_alternative([almost, steps[2]], np.array([99.9, 100.0]), steps[2]) is None
    assert find_alternative(steps, np.array([-5.0, -4.0, -1.0]), steps[2]) is None


def test_a_few_nats_are_not_enough_to_be_sure():
    """Two triangles, joined by two pairs: one label is hardly less likely."""
    W = np.kron(np.eye(2), np.ones((3, 3)))
    W[[0, 3, 1, 4], [3, 0, 4, 1]] = 1.0
    result = sl.solve(W, kind="graph")
    assert result.alternative == 1 or result.status is sl.Status.NOISE


def test_coarser_and_finer_labels_are_nested():
    other = np.array([0, 0, 0, 1, 1, 1, 1, 1], dtype=np.int32)
    labels = np.array([0, 0, 1, 1, 1, 2, 2, 3], dtype=np.int32)
    assert _coarsen(labels, other).tolist() == [0, 0, 1, 1, 1, 1, 1, 1]
    assert _refine(labels, other).tolist() == [0, 0, 1, 2, 2, 3, 3, 4]
    assert _of_number(labels, _coarsen(labels, other)).tolist() == [0, 1, 0, 1]


def test_numbers_that_are_met_seldom_are_no_other_answer():
    assert find_frequent_alternative([labels(5)] * 4 + [labels(3)], labels(5)) is None
    assert find_frequent_alternative([labels(5)] * 4 + [labels(3)] * 2, labels(5)) == 3
    assert find_frequent_alternative([labels(5)] * 4, labels(5)) is None


def nested(contrast, seed):
    """Four pairs of communities, which are alike by a contrast."""
    rng, truth = np.random.default_rng(seed), np.repeat(np.arange(8), 25)
    chance = np.where(truth[:, None] // 2 == truth // 2, 0.5 - contrast, 0.02)
    chance = np.where(truth[:, None] == truth, 0.5, chance)
    half = np.triu(rng.random(chance.shape) < chance, 1)
    return (half | half.T).astype(float)


def test_a_second_level_is_named(seed):
    """Communities of a pair are joined 0.05 of the time, others 0.02."""
    result = sl.solve(nested(0.45, seed))
    assert (result.n_labels, result.alternative) == (8, 4)
    result = sl.solve(nested(0.3, seed))
    assert result.n_labels == 4
    assert 8 <= result.alternative <= 10


def test_a_clear_answer_has_no_rival_and_a_chosen_one_has_none(seed):
    result = sl.solve(nested(0.48, seed))
    assert result.n_labels == 8
    assert result.alternative is None
    assert result.with_n_labels(8).alternative is None


def test_somewhere_between_four_and_eight_both_are_about_as_good():
    found = {}
    for contrast in np.arange(0.36, 0.38, 0.002):
        result = sl.solve(nested(contrast, 0))
        found.setdefault(result.alternative, []).append(result.n_labels)
    assert set(found) - {None}
    for rival, others in found.items():
        assert rival is None or all(rival != n for n in others)


@pytest.mark.parametrize("rival", [None, 9])
def test_rivals_are_saved(tmp_path, rival):
    result = sl.solve(np.kron(np.eye(3), np.ones((4, 4))))
    path = tmp_path / "result.npz"
    sl.io.save_result(path, replace(result, alternative=rival))
    assert sl.io.load_result(path).alternative == rival
