"""What would have to change was checked: here, on the whole problem instead of its components."""

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
from lawful import make_case
from spherelax.coordinate import changing
from spherelax.result import Reason


def holds(result, why):
    """Change the pairs that an explanation names, solve all again, and see whether it holds."""
    items = np.arange(len(result.labels))
    frozen = result._solved.freeze(result.labels, result.path.alpha, items)
    scores, change = sp.lil_array(frozen.scores), why.change
    for a, b in change.removed.tolist():
        scores[a, b] = scores[b, a] = 0.0
    least = change.score / result._solved.model.reading.unit
    for a, b in change.raised.tolist():
        scores[a, b] = scores[b, a] = max(scores[a, b], least)
    changed = np.unique(np.r_[change.removed, change.raised])
    labels, (a, b) = frozen.solve(sp.csr_array(scores), changed)[0], why.items
    return (labels[a] == labels[b]) != why.are_together


@pytest.mark.parametrize("family", ["graph", "complete", "matching", "list"])
def test_named_pairs_part_or_join(family):
    held = []
    for seed in range(500, 506):
        rng = np.random.default_rng(seed)
        case = make_case(rng, family)
        result = case.solve()
        listed = sp.coo_array(case.W)
        for entry in rng.choice(len(listed.data), 4):
            a, b = int(listed.row[entry]), int(listed.col[entry])
            if a == b or (case.groups is not None and case.groups[a] == case.groups[b]):
                continue
            why = result.explain(a, b)
            if why.change is not None:
                held.append(holds(result, why))
    assert len(held) >= 15
    assert all(held)


def test_pairs_that_speak_against_one_label_are_not_removed():
    odds = np.array([[0, 4, -1, 3], [4, 0, 3, -1], [-1, 3, 0, 4], [3, -1, 4, 0]], dtype=float)
    result = sl.solve(odds, kind="odds")
    assert result.n_labels == 1
    why = result.explain(0, 2)
    assert {tuple(pair) for pair in why.change.removed.tolist()} <= {(0, 1), (0, 3), (1, 2), (2, 3)}
    assert holds(result, why)


def test_a_rival_is_beaten():
    odds = np.zeros((3, 3))
    odds[0, 2], odds[1, 2] = 2.0, 5.0
    result = sl.solve(odds + odds.T, ["x", "x", "y"], kind="odds")
    why = result.explain(0, 2)
    assert why.reasons[0] == Reason("taken", (0, 2, 1), (5.0, 2.0))
    assert why.change.raised.tolist() == [[0, 2]]
    assert 5.0 < why.change.score < 5.5
    assert holds(result, why)


def test_nothing_joins_items_of_one_group_or_what_is_judged():
    W, groups, _ = sl.datasets.make_partial_matching(5, 4, random_state=0)
    same = np.flatnonzero(np.asarray(groups) == groups[0])[:2].tolist()
    assert sl.solve(W, groups).explain(*same).change is None
    blocks = np.kron(np.eye(2), np.ones((4, 4)))
    judged = sl.solve(blocks, judgements=[(0, 1, "different"), (4, 5, "same"), (5, 6, "same")])
    assert judged.explain(0, 1).change is None
    assert judged.explain(4, 6).change is None
    assert judged.explain(4, 7).change is not None


def test_no_more_pairs_are_raised_than_somebody_can_act_on(monkeypatch):
    W = np.kron(np.eye(2), np.ones((6, 6)))
    W[0, 6] = W[6, 0] = 0.1
    most = len(sl.solve(W).explain(0, 6).change.raised)
    assert most > 1
    monkeypatch.setattr(changing, "MOST_RAISED", most - 1)
    change = sl.solve(W).explain(0, 6).change
    assert change is None or len(change.raised) < most
