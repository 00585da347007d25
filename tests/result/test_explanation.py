"""What may be explained, and what is refused."""

import numpy as np
import pytest

import spherelax as sl
from spherelax import io

W = np.kron(np.eye(2), np.ones((4, 4)))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((), "two items"),
        ((1,), "two items"),
        ((0, 0), "item 0 twice"),
        ((0, 8), "an item must be a number from 0 to 7; found 8"),
        ((-1, 2), "found -1"),
        ((0, "b"), "found 'b'"),
        ((0, 1.5), "found 1.5"),
    ],
)
def test_items_that_are_none_are_refused(asked, said):
    with pytest.raises(sl.InvalidInputError, match=said):
        sl.solve(W).explain(*asked)


@pytest.mark.parametrize("entity", [2, -1, "x"])
def test_labels_that_are_none_are_refused(entity):
    with pytest.raises(sl.InvalidInputError, match="entity must be a number from 0 to 1"):
        sl.solve(W).explain(entity=entity)


def test_items_and_a_label_are_refused():
    with pytest.raises(sl.InvalidInputError, match="two items, or"):
        sl.solve(W).explain(0, 1, entity=0)


def test_results_of_the_power_solver_and_of_files_are_refused(tmp_path):
    with pytest.raises(sl.InvalidInputError, match="found one of the power solver"):
        sl.solve(W, solver="power").explain(0, 1)
    io.save_result(tmp_path / "result.npz", sl.solve(W))
    loaded = io.load_result(tmp_path / "result.npz")
    with pytest.raises(sl.InvalidInputError, match=r"which an explanation needs; solve again"):
        loaded.explain(0, 1)


def test_other_steps_and_numpy_numbers():
    result = sl.solve(W + 0.1).at(1e-3)
    assert result.n_labels == 1
    why = result.explain(np.int64(0), np.int32(7))
    assert why.are_together
    assert why.items == (0, 7)


def test_an_item_that_is_similar_to_nothing():
    result = sl.solve(np.pad(W, (0, 1)))
    why = result.explain(8, 0)
    assert [reason.why for reason in why.reasons] == ["nothing"]
    assert str(why).startswith("item 8 and item 0 are apart, in labels of 1 item and 4 items.")
    assert str(result.explain(entity=2)) == "item 8 is alone and similar to no other."


def test_results_that_were_judged_extended_or_are_of_another_number_of_labels():
    result = sl.solve(W + 0.1)
    judged = result.judge([(0, 1, "different"), (4, 5, "same")])
    assert judged.explain(0, 1).wall == judged.explain(4, 5).wall == "judged"
    assert str(judged.explain(0, 1)).endswith("judgements are kept, whatever pairs say.")
    grown = result.extend(np.kron(np.eye(2), np.ones((5, 5)))[:9, :9] + 0.1)
    coarse = result.with_n_labels(1)
    for one in (judged, grown, result.at(1e-3), coarse):
        same = np.flatnonzero(one.labels == one.labels[2])
        why = one.explain(2, int(same[same != 2][0]))
        assert why.are_together
        assert "The weakest cut:" in str(why)


def test_points_say_why_no_change_is_looked_for():
    rng = np.random.default_rng(0)
    clouds = np.r_[rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 12.0]
    why = sl.solve(sl.similarity.neighbor_graph(clouds)).explain(0, 1)
    assert (why.wall, why.change) == ("points", None)
    assert "labels of points end where points are less dense" in str(why)


def test_what_would_have_to_change_is_not_looked_for_in_huge_labels(monkeypatch):
    monkeypatch.setattr("spherelax.coordinate.explaining.MOST_ITEMS", 3)
    why = sl.solve(W).explain(0, 1)
    assert (why.wall, why.change) == ("size", None)
    assert "was not looked for" in str(why)
