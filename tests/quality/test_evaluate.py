"""Estimates, compared with the truth: exact if all is judged, and inside intervals if not."""

import numpy as np
import pytest

import spherelax as sl


def true_measures(labels, truth):
    """The four measures, from all pairs of items."""
    together, same = labels[:, None] == labels, truth[:, None] == truth
    both, off = together & same, ~np.eye(len(labels), dtype=bool)
    return {
        "pair_precision": (both & off).sum() / (together & off).sum(),
        "pair_recall": (both & off).sum() / (same & off).sum(),
        "bcubed_precision": (both.sum(axis=1) / together.sum(axis=1)).mean(),
        "bcubed_recall": (both.sum(axis=1) / same.sum(axis=1)).mean(),
    }


@pytest.mark.parametrize("of", ["records", "entities"])
def test_all_cases_give_the_truth(answer, judge, of):
    result, truth = answer
    found = sl.evaluate(result, judge(sl.sample(result, 9999, of=of), truth))
    assert found.n_judged == found.n_drawn > 0
    for name, value in true_measures(result.labels, truth).items():
        np.testing.assert_allclose(found.judged[name], value, err_msg=name)


def test_all_pairs_give_precision_and_the_recall_of_listed_pairs(answer, judge):
    result, truth = answer
    found = sl.evaluate(result, judge(sl.sample(result, 9999, of="pairs"), truth)).judged
    listed = result.listed_probability().toarray() > 0
    labels, same = result.labels, truth[:, None] == truth
    together = labels[:, None] == labels
    off = ~np.eye(len(labels), dtype=bool)
    n_right = (together & same & off).sum()
    np.testing.assert_allclose(found["pair_precision"], n_right / (together & off).sum())
    known = ((listed | together) & same & off).sum()
    np.testing.assert_allclose(found["pair_recall"], n_right / known)
    assert n_right / known > true_measures(labels, truth)["pair_recall"]
    assert found["bcubed_precision"] is found["bcubed_recall"] is None


@pytest.mark.parametrize("of", ["records", "entities", "pairs"])
def test_intervals_hold_the_truth(answer, judge, of):
    result, truth = answer
    whole = sl.evaluate(result, judge(sl.sample(result, 9999, of=of), truth)).judged
    held = []
    for seed in range(40):
        drawn = judge(sl.sample(result, 50, of=of, random_state=seed), truth)
        found = sl.evaluate(result, drawn).judged
        held += [
            one.low <= whole[name].value <= one.high for name, one in found.items() if one
        ]  # fmt: skip
    assert 0.88 <= np.mean(held) <= 1.0


def test_records_can_be_used_for_a_later_answer(answer, judge):
    result, truth = answer
    drawn = judge(sl.sample(result, 9999), truth)
    better = result.judge([(0, 1, "same"), (1, 2, "different")])
    assert not np.array_equal(better.labels, result.labels)
    found = sl.evaluate(better, drawn).judged
    for name, value in true_measures(better.labels, truth).items():
        np.testing.assert_allclose(found[name], value, err_msg=name)
    entities = judge(sl.sample(result, 9999, of="entities"), truth)
    with pytest.raises(sl.InvalidInputError, match="must be drawn from the same answer"):
        sl.evaluate(better, entities)


def test_a_judge_who_stops_early(answer, judge):
    result, truth = answer
    drawn = judge(sl.sample(result, 60), truth)
    drawn["verdict"] = [
        verdict if case < 40 else ""
        for case, verdict in zip(drawn["case"], drawn["verdict"], strict=True)
    ]
    found = sl.evaluate(result, drawn)
    assert (found.n_judged, found.n_drawn) == (40, 60)
    assert "40 of 60 records of the sample judged" in str(found)


@pytest.mark.parametrize(("verdict", "precision"), [("same", 1.0), ("different", 0.0)])
def test_all_right_and_all_wrong(verdict, precision):
    result = sl.solve(np.kron(np.eye(20), np.ones((3, 3))))
    drawn = sl.sample(result, 30, of="pairs")
    drawn["verdict"] = [verdict] * 30
    found = sl.evaluate(result, drawn).judged
    assert found["pair_precision"].value == precision
    assert found["pair_precision"].low < 0.2 or found["pair_precision"].high > 0.8
    assert found["pair_precision"].low < found["pair_precision"].high
    assert (found["pair_recall"] is None) == (verdict == "different")


def test_a_pair_has_two_items():
    result = sl.solve(np.kron(np.eye(20), np.ones((3, 3))))
    drawn = sl.sample(result, 30, of="pairs")
    drawn["verdict"], drawn["case"] = ["same"] * 30, [0] * 30
    with pytest.raises(sl.InvalidInputError, match="cases of pairs must have two items"):
        sl.evaluate(result, drawn)


def test_the_model_is_a_judge_of_all_records(answer):
    result, _ = answer
    said, labels = sl.evaluate(result).model, result.labels
    np.testing.assert_allclose(said["pair_precision"], result.pairs().probability.mean(), atol=0.02)
    P = result.listed_probability().toarray()
    missed = np.where(labels[:, None] == labels, 0.0, P).sum(axis=1)
    mates = np.bincount(labels)[labels] - 1
    right = mates * result.confidence
    np.testing.assert_allclose(said["pair_recall"], right.sum() / (right + missed).sum())
    recall = np.mean((right + 1) / (right + missed + 1))
    np.testing.assert_allclose(said["bcubed_recall"], recall)


def test_what_a_model_does_not_know(tmp_path, answer):
    W = np.kron(np.eye(3), np.ones((4, 4)))
    graph = sl.evaluate(sl.solve(W)).model
    assert graph["pair_precision"] > 0.9
    assert graph["pair_recall"] is graph["bcubed_recall"] is None
    assert set(sl.evaluate(sl.solve(W, solver="power")).model.values()) == {None}
    result, _ = answer
    sl.io.save_result(tmp_path / "r.npz", result)
    loaded = sl.evaluate(sl.io.load_result(tmp_path / "r.npz"))
    np.testing.assert_allclose(
        loaded.model["pair_precision"], sl.evaluate(result).model["pair_precision"]
    )
    assert loaded.model["pair_recall"] is None
    assert str(loaded).splitlines()[2].split() == ["pair", "recall", "-"]


def test_tables(answer, judge):
    result, truth = answer
    found = sl.evaluate(result, judge(sl.sample(result, 40, of="pairs"), truth))
    columns = found.columns()
    assert list(columns) == ["measure", "value", "low", "high", "model"]
    assert columns["low"][2:] == [None, None]
    assert columns["value"][0] == found.judged["pair_precision"].value
    assert found.to_frame().shape == (4, 5)
    head, first, *_, last, recall = str(found).splitlines()
    assert recall == "recall is that among listed pairs"
    assert head.split() == ["judged", "95", "%", "interval", "model"]
    assert first.startswith("pair precision")
    assert last == "40 of 40 pairs of the sample judged"
