"""Why items share a label or do not: the numbers of explanations."""

import numpy as np
import pytest

import spherelax as sl
from spherelax.result import Reason

ODDS = np.array([[0, 3, -1, 0], [3, 0, 2, 0], [-1, 2, 0, 0], [0, 0, 0, 0]], dtype=float)


def test_pairs_for_and_against():
    why = sl.solve(ODDS, kind="odds").explain(0, 2)
    assert why.pairs.items.tolist() == [[0, 1], [1, 2], [0, 2]]
    assert why.pairs.score == pytest.approx([3, 2, -1])
    assert why.pairs.worth == pytest.approx([3, 2, -1], abs=1e-5)
    assert why.pairs.probability == pytest.approx(1 / (1 + np.exp([-3, -2, 1])))
    assert (why.pairs.n_absent, why.pairs.absent, why.unit) == (0, 0.0, "nats")


def test_weakest_cut_and_its_probability():
    result = sl.solve(ODDS, kind="odds")
    cut = result.explain(0, 2).cut
    assert [side.tolist() for side in cut.sides] == [[2], [0, 1]]
    assert cut.worth == pytest.approx(1.0)
    pairs = result.pairs()
    likely = {tuple(pair): p for pair, p in zip(pairs.items, pairs.probability, strict=True)}
    assert cut.probability == pytest.approx((likely[0, 2] + likely[1, 2]) / 2)
    assert result.explain(0, 1).probability == pytest.approx(likely[0, 1])


def test_a_label_is_explained_by_the_pair_across_its_weakest_cut():
    why = sl.solve(ODDS, kind="odds").explain(entity=0)
    assert set(why.items) == {1, 2}
    assert why.change.removed.tolist() == [[1, 2]]


def test_an_item_that_is_alone():
    result = sl.solve(np.array([[0, 3, -2], [3, 0, -1], [-2, -1, 0]]), kind="odds")
    assert result.labels.tolist() == [0, 0, 1]
    why = result.explain(entity=1)
    assert (why.items, why.are_together) == ((2, 1), False)
    none = sl.solve(ODDS, kind="odds").explain(entity=1)
    assert (none.items, none.change, none.path) == ((3,), None, ())


def test_absent_pairs_of_a_graph_count_against_one_label():
    W = np.kron(np.eye(2), np.ones((3, 3)))
    W[2, 3] = W[3, 2] = 1
    why = sl.solve(W).explain(2, 3)
    assert why.pairs.n_absent == 8
    total = float(why.pairs.worth.sum() + why.pairs.absent)
    assert why.reasons == (Reason("weak", (2, 3), (pytest.approx(total),)),)
    assert [items.tolist() for items in why.labels] == [[0, 1, 2], [3, 4, 5]]


def test_a_better_partner_elsewhere():
    odds = np.zeros((4, 4))
    odds[0, 1], odds[2, 3], odds[1, 2], odds[0, 3], odds[0, 2] = 5, 5, 1, -9, -9
    why = sl.solve(odds + odds.T, kind="odds").explain(1, 2)
    assert why.reasons == (Reason("better", (1, 2), (5.0, 1.0)), Reason("weak", (1, 2), (-17.0,)))


def test_judgements_are_reasons():
    W = np.kron(np.eye(2), np.ones((4, 4)))
    judged = sl.solve(W, judgements=[(0, 1, "different"), (4, 5, "same")])
    assert judged.explain(0, 1).reasons[0].why == "judged different"
    assert judged.explain(4, 5).reasons == (Reason("judged same"),)


def test_what_is_judged_to_be_the_same_is_not_cut():
    W = np.kron(np.eye(2), np.ones((4, 4)))
    judged = sl.solve(W, judgements=[(4, 5, "same"), (5, 6, "same")])
    assert judged.explain(4, 7).cut.sides[0].tolist() == [7]
    removed = judged.explain(4, 7).change.removed
    assert len(removed) > 0
    assert set(removed[:, 1].tolist()) == {7}
    whole = sl.solve(W, judgements=[(4, 5, "same"), (5, 6, "same"), (6, 7, "same")])
    assert whole.explain(entity=1).change is None


@pytest.mark.parametrize("seed", range(3))
def test_noise_and_points(seed):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((30, 30)) < 0.2, 1)
    with pytest.warns(sl.SphereWarning):
        noise = sl.solve(W + W.T + np.zeros((30, 30)))
    a, b = (int(item) for item in np.flatnonzero(noise.labels == noise.labels[0])[:2])
    assert noise.explain(a, b).change is not None
    clouds = np.r_[rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 12.0]
    points = sl.solve(sl.similarity.neighbor_graph(clouds))
    apart = points.explain(0, 79)
    assert not apart.are_together
    assert apart.change is None
    assert points.explain(0, 1).cut is not None
