"""Judgements of records: in one shard, kept, and refused with the sentences of those in memory."""

import numpy as np
import pytest

import spherelax as sl
from spherelax import InvalidInputError, io

pa = pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")

from support.shard_tables import rows, table  # noqa: E402 (it needs both)

from spherelax import scale  # noqa: E402

ENDS = ("source_a", "id_a", "source_b", "id_b")


def verdicts(*said):
    """Make a table of judgements from rows of two names and a verdict."""
    cells = [(*one.split(), *other.split(), verdict) for one, other, verdict in said]
    return pa.table(dict(zip((*ENDS, "verdict"), map(list, zip(*cells, strict=True)), strict=True)))


def names(folder):
    """Return the shard of each record by its name."""
    return {
        f"{source} {name}": shard.number
        for shard in scale.Plan.load(folder).shards
        for source, name in zip(*(shard.items()[2:0:-1]), strict=True)
    }


@pytest.mark.usefixtures("here")
def test_judgements_are_kept_as_in_memory(tmp_path):
    said = [
        ("shop 0", "bank 175", "same"),  # of two components
        ("bank 175", "town 2", "same"),
        ("shop 3", "bank 4", "different"),  # of one entity
        ("shop 6", "bank 100", "different"),  # of two components
        ("shop 9", "town 11", "cannot tell"),
    ]
    judged = verdicts(*said)
    found = scale.solve(table(), tmp_path / "out", n_shards=4, judgements=judged)
    home = names(tmp_path / "out" / "shards")
    assert home["shop 0"] == home["bank 175"] == home["town 2"]
    entity = {f"{row['source']} {row['id']}": row["entity"] for row in rows(found)}
    for one, other, verdict in said[:4]:
        assert (entity[one] == entity[other]) is (verdict == "same")
    items = io.read_pairs(table())
    result = sl.solve(items.problem, judgements=io.read_judgements(judged, items))
    ours = np.array([entity[name] for name in items.names])
    np.testing.assert_array_equal(ours[:, None] == ours, result.labels[:, None] == result.labels)
    without = rows(scale.solve(table(), tmp_path / "without", n_shards=4))
    assert [row["entity"] for row in without] != [row["entity"] for row in rows(found)]


BAD = {
    "unknown": [("shop 0", "bank 999", "same")],
    "contradiction": [
        *(("shop 0", "bank 1", "same"), ("bank 1", "town 2", "same")),
        ("shop 0", "town 2", "different"),
    ],
    "one per source": [("shop 0", "bank 1", "same"), ("bank 1", "shop 3", "same")],
    "itself": [("shop 0", "shop 0", "same")],
    "verdict": [("shop 0", "bank 1", "perhaps")],
}


@pytest.mark.parametrize("said", BAD.values(), ids=BAD)
def test_bad_judgements_have_the_sentences_of_those_in_memory(tmp_path, said):
    items, judged = io.read_pairs(table()), verdicts(*said)
    with pytest.raises(InvalidInputError) as here:
        io.read_judgements(judged, items).check(items.n_items, items.problem.groups, items.names)
    with pytest.raises(InvalidInputError) as there:
        scale.ingest(table(), tmp_path / "out", judgements=judged)
    assert str(here.value) in str(there.value).replace("judgements: ", "")
    assert not (tmp_path / "out" / "manifest.json").exists()
    right = scale.ingest(
        table(), tmp_path / "out", judgements=verdicts(("shop 0", "bank 1", "same"))
    )
    assert len(right.judgements()) == 1


def test_later_judgements_correct_earlier_ones_on_request(tmp_path):
    judged = verdicts(*BAD["contradiction"])
    plan = scale.ingest(table(), tmp_path, judgements=judged, contradictions="drop")
    assert plan.judgements().same.tolist() == [True, False]
    with pytest.raises(InvalidInputError, match="contradictions must be one of refuse, drop"):
        scale.ingest(table(), tmp_path, judgements=judged, contradictions="keep")


@pytest.mark.usefixtures("here")
def test_other_judgements_are_refused_and_the_same_go_on(tmp_path, pairs):
    paths = [tmp_path / name for name in ("judged.csv", "again.csv", "other.csv")]
    for path, verdict in zip(paths, ("same", "same", "different"), strict=True):
        path.write_text(f"{','.join(ENDS)},verdict\nshop,0,bank,175,{verdict}\n")
    found = scale.solve(pairs, tmp_path / "out", judgements=paths[0])
    assert scale.solve(pairs, tmp_path / "out", judgements=paths[1]) == found
    for given in ({"judgements": paths[2]}, {}):
        with pytest.raises(InvalidInputError, match="holds shards of other input or settings"):
            scale.solve(pairs, tmp_path / "out", **given)
    plan = scale.Plan.load(tmp_path / "out" / "shards")
    with pytest.raises(InvalidInputError, match="judgements belongs to the plan"):
        scale.solve(plan, tmp_path / "out", judgements=paths[0])
    (plan.folder / "judgements.npz").unlink()
    with pytest.raises(InvalidInputError, match=r"judgements\.npz"):
        plan.judgements()


def test_ids_that_are_numbers_are_known_as_text(tmp_path):
    judged = tmp_path / "judged.csv"
    judged.write_text("id_a,id_b,verdict\n0,1,different\n")
    pairs = table(has_sources=False, ids=int)
    plan = scale.ingest(pairs, tmp_path / "out", judgements=judged)
    assert plan.judgements().pairs.tolist() == [[0, 1]]
