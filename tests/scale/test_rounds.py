"""Labels of shards are those of the whole problem."""

from functools import cache

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


def in_shards(table, folder, n_shards, kind, judgements=None):
    """Solve in shards, one after the other; return the first number of each item's entity."""
    plan = scale.ingest(table, folder, n_shards=n_shards, kind=kind, judgements=judgements)
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
    judged = plan.judgements()
    result = sl.solve(sp.csr_array(W + W.T), names, kind=plan.kind, judgements=judged)
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


def problem(name):
    """Return the pairs of a problem, what they are, and the truth."""
    how = dict(PROBLEMS[name])
    kind = how.pop("kind", None)
    table, truth = records(1, **how)
    return table, kind, truth


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Solve a problem in shards, once."""

    @cache
    def solve(name, n_shards):
        table, kind, _ = problem(name)
        return in_shards(table, tmp_path_factory.mktemp("plain") / "plan", n_shards, kind)

    return solve


@pytest.fixture(scope="module")
def whole():
    """Solve the shards of a problem as one, once for all numbers of shards."""
    known = {}

    def solve(plan, *what):
        if what not in known:
            known[what] = as_one(plan)
        return known[what]

    return solve


@pytest.fixture
def _small_is_large(monkeypatch):
    """Let small problems take the road of large ones."""
    for module in (part, rounds):
        monkeypatch.setattr(module, "LEARN_FROM", 700)
        monkeypatch.setattr(module, "LEAST_ITEMS", 200)
    monkeypatch.setattr(trail, "MANY", 200)


@pytest.mark.usefixtures("_small_is_large")
@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
@pytest.mark.parametrize("n_shards", [1, 7])
@pytest.mark.parametrize("name", PROBLEMS)
def test_labels_are_those_of_the_whole(name, n_shards, plain, whole):
    found, plan = plain(name, n_shards)
    assert len(plan.shards) == n_shards
    assert (plan.folder / rounds.READING).exists()
    expected = whole(plan, name)
    if plan.kind == "pairs":
        # In memory a list is learnt from as a whole, in shards from a part of it.
        assert pairwise_scores(expected, found).f_score > 0.9
    else:
        np.testing.assert_array_equal(found, expected)
    assert 1 < len(np.unique(found)) < len(problem(name)[2])


def judge(table, truth, n, seed=0):
    """Judge n listed pairs, and n others of the same thing, which may be of two components."""
    rng, columns, source = np.random.default_rng(seed), {}, {}
    for side in "ab" if "source_a" in table.column_names else "":
        names = (table[f"{what}_{side}"].to_pylist() for what in ("id", "source"))
        source |= dict(zip(*names, strict=True))
    a, b = (table[name].to_numpy() for name in ("id_a", "id_b"))
    rows = rng.choice(len(a), n, replace=False)
    ids = np.unique(np.r_[a, b])
    mates = [ids[truth[ids] == thing] for thing in rng.permutation(truth[ids])[:n].tolist()]
    far = np.array([(each[0], each[-1]) for each in mates if len(each) > 1])
    a, b = np.r_[a[rows], far[:, 0]], np.r_[b[rows], far[:, 1]]
    for side, items in (("a", a), ("b", b)):
        columns[f"id_{side}"] = items
        if source:
            columns[f"source_{side}"] = [source[item] for item in items.tolist()]
    return pa.table({**columns, "verdict": np.where(truth[a] == truth[b], "same", "different")})


@pytest.mark.usefixtures("_small_is_large")
@pytest.mark.parametrize("n_shards", [1, 7])
@pytest.mark.parametrize("name", ["plain", "plain, groups", "scored, groups", "pairs", "odds"])
def test_judgements_are_kept_as_in_the_whole(name, n_shards, plain, whole, tmp_path):
    table, kind, truth = problem(name)
    found, plan = in_shards(table, tmp_path / "plan", n_shards, kind, judge(table, truth, 40))
    assert (plan.folder / rounds.READING).exists()
    judged = plan.judgements()
    assert len(judged) > 60
    one, other = found[judged.pairs.T]
    np.testing.assert_array_equal(one == other, judged.same)
    if plan.kind != "pairs":  # which learns from a part, with and without judgements
        np.testing.assert_array_equal(found, whole(plan, name, "judged"))
    assert not np.array_equal(found, plain(name, n_shards)[0])


@pytest.mark.usefixtures("_small_is_large")
def test_judgements_of_all_shards_choose_the_level(tmp_path):
    table, _ = records(1, has_scores=False)
    plain, plan = in_shards(table, tmp_path / "plain", 7, "graph")
    steps = [np.load(shard.folder / "steps.npy") for shard in plan.shards]
    rng, rows = np.random.default_rng(0), []
    for shard, labels in zip(plan.shards, steps, strict=True):
        fine, coarse = plain[shard.numbers()], labels[-1]
        a, b = rng.integers(0, len(fine), (2, 20_000))
        joined = np.flatnonzero((coarse[a] == coarse[b]) & (fine[a] != fine[b]))[:3]
        ids = shard.items().id.to_numpy()
        rows += zip(ids[a[joined]].tolist(), ids[b[joined]].tolist(), strict=True)
    one, other = zip(*rows, strict=True)
    judged = pa.table({"id_a": one, "id_b": other, "verdict": ["same"] * len(rows)})
    found, plan = in_shards(table, tmp_path / "judged", 7, "graph", judged)
    np.testing.assert_array_equal(found, as_one(plan))
    # At the level of before, each judgement would join two labels at most.
    assert len(np.unique(found)) < len(np.unique(plain)) - 2 * len(rows)


@pytest.mark.parametrize("n_shards", [1, 3])
def test_small_problems_are_solved_as_one(n_shards, tmp_path):
    table, truth = records(1, n=80)
    found, plan = in_shards(table, tmp_path / "plan", n_shards, None)
    np.testing.assert_array_equal(found, as_one(plan))
    judged = judge(table, truth, 9)
    again, plan = in_shards(table, tmp_path / "judged", n_shards, None, judged)
    np.testing.assert_array_equal(again, as_one(plan))
    assert not np.array_equal(again, found)
