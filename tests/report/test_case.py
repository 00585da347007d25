"""What every part of a report uses, against slow and simple ways."""

import numpy as np
import pytest

import spherelax as sl
from spherelax.io.items import Items, View
from spherelax.report.case import Case


def test_entries_components_and_conflicts(given):
    W = np.zeros((6, 6))
    for i, j in ((0, 1), (1, 2), (3, 4)):
        W[i, j] = W[j, i] = 2.0
    case = given(W, ["x", "y", "x", "y", "z", None])
    entries = set(zip(case.rows.tolist(), case.graph.indices.tolist(), strict=True))
    assert entries == {(0, 1), (1, 0), (1, 2), (2, 1), (3, 4), (4, 3)}
    assert case.components.tolist() == [0, 0, 0, 1, 1, 2]
    assert case.conflicted.tolist() == [True, False, False]
    assert case.group_sizes == {"x": 2, "y": 2, "z": 1}


def test_the_chosen_step_is_among_the_steady_ones(answer):
    case = Case.of(*answer)
    assert case.result.path.picked in case.steady


def test_a_result_of_other_items_is_refused(clustering):
    _, result = clustering
    with pytest.raises(sl.InvalidInputError, match="result must be that of the 2 items; found 80"):
        Case.of(Items(np.eye(2), None), result)


@pytest.mark.parametrize(
    ("view", "message"),
    [
        (View(np.ones((3, 2)), ["a", "b"]), r"found \(3, 2\) for 4 items and 2 names"),
        (View(np.ones((4, 2)), ["a"]), r"found \(4, 2\) for 4 items and 1 names"),
        (View(np.full((4, 2), np.nan), ["a", "b"]), "must hold finite numbers"),
    ],
)
def test_numbers_of_other_items_are_refused(view, message):
    W = np.kron(np.eye(2), np.ones((2, 2)))
    with pytest.raises(sl.InvalidInputError, match=message):
        Case.of(Items(W, None, view=view), sl.solve(W, pick=1.0))
