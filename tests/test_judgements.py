"""Judgements: what they say, and which of them cannot all hold."""

from itertools import combinations

import numpy as np
import pytest

import spherelax as sl
from spherelax.judgements import Judgements


def can_hold(rows, n, groups):
    """Tell by brute force whether judgements can all hold."""
    group = list(range(n))
    for a, b, same in rows:
        if same:
            group = [group[a] if g == group[b] else g for g in group]
    apart = all(group[a] != group[b] for a, b, same in rows if not same)
    taken = [(group[i], groups[i]) for i in range(n)] if groups is not None else []
    judged = {i for a, b, same in rows if same for i in (a, b)}
    taken = [key for i, key in enumerate(taken) if i in judged]
    return apart and len(set(taken)) == len(taken)


def draw(rng, n=6):
    """Draw a few judgements, some of which contradict each other."""
    rows = [(*rng.choice(n, 2, replace=False).tolist(), bool(rng.random() < 0.6)) for _ in range(6)]
    groups = rng.integers(0, 4, n) if rng.random() < 0.5 else None
    return rows, groups


@pytest.mark.parametrize("seed", range(60))
def test_smallest_contradiction_is_one_and_no_smaller_set_is(seed):
    rows, groups = draw(np.random.default_rng(seed))
    found = Judgements.of(rows).find_contradiction(groups)
    assert (found is None) == can_hold(rows, 6, groups)
    if found is not None:
        assert not can_hold([rows[row] for row in found.rows], 6, groups)
        smaller = combinations(range(len(rows)), len(found.rows) - 1)
        assert all(can_hold([rows[row] for row in some], 6, groups) for some in smaller)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_left_after_dropping_can_hold_and_the_last_is_kept(seed):
    rows, groups = draw(np.random.default_rng(seed))
    left = Judgements.of(rows).without_contradictions(groups)
    kept = [(*pair, same) for pair, same in zip(left.pairs.tolist(), left.same, strict=True)]
    assert can_hold(kept, 6, groups)
    if can_hold(rows[-1:], 6, groups):
        assert kept[-1] == rows[-1]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("same", "must be rows of two items"),
        ([(0, 1)], "must be rows of two items"),
        ([(0, 1.5, True)], "must be rows of two items"),
        ([(0, 0, True)], "item 0 twice"),
        ([(0, 1, "perhaps")], "same, different or cannot tell; found 'perhaps'"),
        ([(0, 1, True, 2.0)], "sure with a probability"),
        ([(0, 9, True)], "items 0 to 3; found item 9"),
        ([(0, -1, True)], "items 0 to 3; found item -1"),
        ([(0, 1, True), (1, 2, True), (0, 2, False)], "item 0 = item 1, item 1 = item 2, item 0 ≠"),
    ],
)
def test_wrong_judgements_are_refused_in_one_sentence(given, words):
    with pytest.raises(sl.InvalidInputError, match=words):
        sl.solve(np.kron(np.eye(2), np.ones((2, 2))), judgements=given)


def test_judgements_against_groups_are_refused():
    W = np.kron(np.eye(2), np.ones((2, 2)))
    with pytest.raises(sl.InvalidInputError, match="are of one group"):
        sl.solve(W, ["x", "y", "x", "y"], judgements=[(0, 1, True), (1, 2, True)])


def test_who_is_not_sure_says_nothing():
    assert len(Judgements.of([(0, 1, True, 0.5), (0, 1, None), (0, 1, "cannot tell")])) == 0


def test_power_solver_and_loaded_results_take_no_judgements(tmp_path):
    W = np.kron(np.eye(2), np.ones((3, 3)))
    with pytest.raises(sl.InvalidInputError, match="coordinate solver"):
        sl.solve(W, solver="power", judgements=[(0, 1, False)])
    sl.io.save_result(tmp_path / "result.npz", sl.solve(W))
    with pytest.raises(sl.InvalidInputError, match="loaded from a file"):
        sl.io.load_result(tmp_path / "result.npz").judge([(0, 1, False)])
