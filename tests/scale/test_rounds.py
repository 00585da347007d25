"""Labels of shards are those of the whole problem."""

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
from spherelax import scale
from spherelax.coordinate import trail
from spherelax.coordinate.graph import part
from spherelax.metrics import pairwise_scores
from spherelax.scale import rounds
from spherelax.scale.protocol import advance, perform
from spherelax.settings import Coordinate

pa = pytest.importorskip("pyarrow", reason="the scale extra is not installed")
pytest.importorskip("duckdb", reason="the scale extra is not installed")


def records(seed, *, n=700, n_sources=0, has_scores=True, right=0.8, unreliable=0.0):
    """Scored pairs of copies of n things, in sources or not; some pairs are wrong.

    A share of the right pairs is listed, and of the wrong ones a sixth as many as there are right
    ones. ``unreliable`` is the share of the pairs of the first two sources that are wrong.
    """
    rng = np.random.default_rng(seed)
    n_places = n_sources or 6
    size = np.minimum(rng.integers(1, 7, n), n_places)
    truth = np.repeat(np.arange(n), size)
    source = np.concatenate([rng.permutation(n_places)[:s] for s in size])
    one, other = np.nonzero(np.triu(truth[:, None] == truth, 1))
    kept = rng.random(len(one)) < right
    wrong = rng.integers(len(truth), size=(2, len(one) // 6))
    wrong[1] = np.minimum(wrong[0] + rng.integers(1, 30, wrong.shape[1]), len(truth) - 1)
    one, other = np.r_[one[kept], wrong[0]], np.r_[other[kept], wrong[1]]
    is_bad = (source[one] + source[other] == 1) & (rng.random(len(one)) < unreliable)
    near = np.minimum(other[is_bad] + rng.integers(1, 60, is_bad.sum()), len(truth) - 1)
    other[is_bad] = near
    fine = (one != other) & (source[one] != source[other])
    one, other = one[fine], other[fine]
    same = truth[one] == truth[other]
    score = np.round(np.where(same, rng.beta(7, 2, len(one)), rng.beta(2, 4, len(one))), 3)
    pairs = {"id_a": one, "id_b": other, "score": score if has_scores else np.ones(len(one))}
    if n_sources:
        name = np.array([f"s{each}" for each in range(n_sources)])
        pairs |= {"source_a": name[source[one]], "source_b": name[source[other]]}
    return pa.table(pairs), truth


def in_shards(table, folder, n_shards, kind):
    """Solve in shards, one after the other; return the first number of each item's entity."""
    plan = scale.ingest(table, folder, n_shards=n_shards, kind=kind)
    settings = Coordinate()
    while (order := advance(plan.folder, settings)) is not None:
        for shard in order.shards:
            perform(plan.folder, order.number, shard)
    first = np.empty(plan.n_items, dtype=np.int64)
    for shard in plan.shards:
        number, labels = shard.numbers(), np.load(shard.folder / "labels.npy")
        smallest = np.full(labels.max() + 1, plan.n_items)
        np.minimum.at(smallest, labels, number)
        first[number] = smallest[labels]
    return first, plan


def as_one(plan):
    """Solve all shards as one problem; return the same."""
    m = plan.n_items
    W, groups = np.zeros((m, m)), np.full(m, -1)
    for shard in plan.shards:
        number, edges = shard.numbers(), shard.edges()
        W[number[edges.left], number[edges.right]] = edges.similarity
        groups[number] = shard.groups()
    names = [None if group < 0 else int(group) for group in groups] if groups.max() >= 0 else None
    result = sl.solve(sp.csr_array(W + W.T), names, kind=plan.kind)
    smallest = np.full(result.n_labels, m)
    np.minimum.at(smallest, result.labels, np.arange(m))
    return smallest[result.labels]


PROBLEMS = {
    "plain": {"has_scores": False},
    "plain, groups": {"has_scores": False, "n_sources": 6},
    "scored, groups": {"n_sources": 6},
    "scored, two groups": {"n_sources": 2},
    "pairs": {},
    "graph": {"kind": "graph"},
    "odds": {"kind": "odds"},
    "noise": {"has_scores": False, "right": 0.0},
    "noise, groups": {"has_scores": False, "right": 0.0, "n_sources": 6},
    "unreliable sources": {"has_scores": False, "n_sources": 6, "unreliable": 0.9},
}


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
@pytest.mark.parametrize("n_shards", [1, 7])
@pytest.mark.parametrize("name", PROBLEMS)
def test_labels_are_those_of_the_whole(name, n_shards, tmp_path, monkeypatch):
    for module in (part, rounds):
        monkeypatch.setattr(module, "LEARN_FROM", 700)
        monkeypatch.setattr(module, "LEAST_ITEMS", 200)
    monkeypatch.setattr(trail, "MANY", 200)
    how = dict(PROBLEMS[name])
    kind = how.pop("kind", None)
    table, truth = records(1, **how)
    found, plan = in_shards(table, tmp_path / "plan", n_shards, kind)
    assert len(plan.shards) == n_shards
    assert (plan.folder / rounds.READING).exists()
    assert (plan.folder / rounds.NOISE).exists() or name != "noise, groups"
    whole = as_one(plan)
    if (
        plan.kind == "pairs"
    ):  # in memory a list is learnt from as a whole, in shards from a part of it
        assert pairwise_scores(whole, found).f_score > 0.9
    else:
        np.testing.assert_array_equal(found, whole)
    assert 1 < len(np.unique(found)) < len(truth)


@pytest.mark.parametrize("n_shards", [1, 3])
def test_small_problems_are_solved_as_one(n_shards, tmp_path):
    table, _ = records(1, n=80)
    found, plan = in_shards(table, tmp_path / "plan", n_shards, None)
    np.testing.assert_array_equal(found, as_one(plan))
