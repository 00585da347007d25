"""Records of a run are explained as in memory, by the shards that hold them."""

import re

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
from spherelax import InvalidInputError
from spherelax.coordinate import trail
from spherelax.coordinate.graph import part
from spherelax.io.words import RECORDS

pa = pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")

from support.shard_tables import table  # noqa: E402 (it needs both)

from spherelax import scale  # noqa: E402
from spherelax.scale import rounds, shares  # noqa: E402

JUDGED = {
    "source_a": ["shop", "shop"],
    "id_a": ["0", "6"],
    "source_b": ["bank", "bank"],
    "id_b": ["1", "100"],
    "verdict": ["different", "different"],
}


def as_one(plan):
    """Solve all shards as one problem; return the result, and the name and home of each item."""
    m = plan.n_items
    W, groups, home, names = np.zeros((m, m)), np.full(m, -1), np.full(m, -1), [""] * m
    for shard in plan.shards:
        number, edges, items = shard.numbers(), shard.edges(), shard.items()
        W[number[edges.left], number[edges.right]] = edges.similarity
        groups[number], home[number] = shard.groups(), shard.number
        for at, source, name in zip(number, items.source, items.id, strict=True):
            names[at] = f"{source} {name}"
    judged = plan.judgements()
    result = sl.solve(sp.csr_array(W + W.T), groups, kind=plan.kind, judgements=judged)
    return result, names, home


def without_figures(text):
    """Return sentences without what is learnt in each shard by itself: how likely pairs are."""
    text = re.sub(
        r" They are the same with probability \S+\.| Both sides .*|probability \d\.\d+", "", text
    )
    return re.sub(r"(nearly certain|very likely|likely|unlikely|very unlikely), \d\.\d+", "", text)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("is_large", [False, True])
def test_explanations_are_those_of_the_whole(tmp_path, monkeypatch, is_large):
    if is_large:
        for module in (part, rounds):
            monkeypatch.setattr(module, "LEARN_FROM", 100)
            monkeypatch.setattr(module, "LEAST_ITEMS", 50)
        monkeypatch.setattr(trail, "MANY", 50)
    folder = tmp_path / "out"
    found = scale.solve(table(), folder, n_shards=3, judgements=pa.table(JUDGED))
    plan = scale.Plan.load(folder / "shards")
    assert (plan.folder / rounds.READING).exists() is is_large
    result, names, home = as_one(plan)
    place = {name: at for at, name in enumerate(names)}
    apart = next(name for name in names if home[place[name]] != home[place["shop 0"]])
    asked = [
        *(("shop 0", "bank 1"), ("shop 0", "town 2"), ("shop 6", "bank 100"), ("shop 3", "bank 4")),
        *(("shop 9", "shop 12"), ("shop 0", apart)),
    ]
    for pair in asked:
        whole = result.explain(*(place[name] for name in pair))
        why = scale.explain(folder, pair)
        assert why.explanation.are_together == whole.are_together
        assert [each.why for each in why.explanation.reasons] == [r.why for r in whole.reasons]
        said = whole.text(names, speak=RECORDS.speak)
        assert without_figures(str(why)) == without_figures(said)
        if not is_large:
            assert str(why) == said
    entity = int(np.flatnonzero(result.labels == result.labels[place["town 2"]])[0])
    why = str(scale.explain(folder, entity=entity))
    said = result.explain(entity=int(result.labels[entity])).text(names, speak=RECORDS.speak)
    assert without_figures(why) == without_figures(said)
    assert found.n_parts == 3


@pytest.mark.usefixtures("here")
def test_only_the_shards_that_hold_the_records_are_read(tmp_path, monkeypatch):
    for module in (part, rounds):
        monkeypatch.setattr(module, "LEARN_FROM", 100)
        monkeypatch.setattr(module, "LEAST_ITEMS", 50)
    scale.solve(table(), tmp_path, n_shards=4)
    looked = []
    problem = shares.Shard.problem
    monkeypatch.setattr(
        shares.Shard, "problem", lambda shard, kind: looked.append(shard) or problem(shard, kind)
    )
    scale.explain(tmp_path, ("shop 0", "bank 1"))
    assert len(looked) == 1


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("pair", "entity", "message"),
    [
        (("shop 0", "nobody"), None, "pair must name records of the run; found 'nobody'"),
        (("shop 0", "shop 0"), None, "explain needs two records; found 'shop 0' twice"),
        (None, 999, "entity must be the number of one entity; found 999"),
        (None, None, "explain needs one of pair and entity"),
        (("shop 0", "bank 1"), 0, "explain needs one of pair and entity"),
    ],
)
def test_questions_that_cannot_be_answered_are_one_sentence(tmp_path, pair, entity, message):
    scale.solve(table(n_entities=9), tmp_path, n_jobs=1)
    with pytest.raises(InvalidInputError, match=message):
        scale.explain(tmp_path, pair, entity=entity)
    assert str(scale.explain(tmp_path, ("0", "1"))).startswith("shop 0 and bank 1 are together")


def test_ids_of_two_sources_need_their_source(tmp_path, here):
    del here
    pairs = {"source_a": ["x", "x"], "id_a": [7, 8], "source_b": ["y", "y"], "id_b": [7, 9]}
    scale.solve(pa.table({**pairs, "score": [0.9, 0.8]}), tmp_path)
    with pytest.raises(InvalidInputError, match="pair must name one record; found x 7, y 7"):
        scale.explain(tmp_path, ("7", "8"))
    assert str(scale.explain(tmp_path, ("x 7", "9"))).startswith("x 7 and y 9 are apart")


def test_a_run_that_is_not_complete_is_refused(tmp_path):
    scale.ingest(table(), tmp_path / "shards")
    with pytest.raises(InvalidInputError, match=r"summary\.json: No such file"):
        scale.explain(tmp_path, ("shop 0", "bank 1"))
