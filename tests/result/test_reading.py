"""What similarities were taken for."""

import numpy as np
import pytest
from support.problems import candidates, quiet_solve

import spherelax as sl
from spherelax.result import TAKEN_FOR, Reading, say_reading


@pytest.mark.parametrize(
    ("make", "settings", "kind", "reading"),
    [
        (lambda: candidates()[0], {}, "pairs", Reading.LOG_ODDS),
        (lambda: candidates()[0], {"kind": "graph"}, "graph", Reading.RANKED),
        (lambda: [[0, 2, -1], [2, 0, 0], [-1, 0, 0]], {"kind": "odds"}, "odds", Reading.LOG_ODDS),
        (lambda: np.kron(np.eye(3), np.ones((4, 4))), {}, "graph", Reading.PLAIN),
        (lambda: candidates()[0], {"solver": "power"}, "graph", Reading.PLAIN),
    ],
)
def test_a_result_says_what_the_similarities_were_taken_for(make, settings, kind, reading):
    result = quiet_solve(make(), **settings)
    assert (result.kind, result.reading) == (kind, reading)
    said = say_reading(result)
    assert said.startswith(f"Taken for {TAKEN_FOR[kind]}: ")
    assert said.endswith(reading.sentence[1:])


def test_worth_is_learnt_where_scores_contradict_each_other():
    W, groups, _ = sl.datasets.make_partial_matching(20, 20, shuffled=0.3, random_state=0)
    S = np.triu(W * np.random.default_rng(0).random(W.shape))
    result = sl.solve(S + S.T, groups)
    assert (result.kind, result.reading) == ("graph", Reading.LEARNT)
    assert result.extend(S + S.T, groups).reading == Reading.LEARNT
