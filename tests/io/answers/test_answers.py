"""Answers in files: what is written can be read again, and says the same."""

import csv
import json
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from support.problems import candidates

import spherelax as sl
from spherelax import io
from spherelax.io.answers.answers import ENDINGS, UNSURE, columns_csv, summary, write_answer
from spherelax.io.readers.points import Points

NAMES = ["a", 'say "b"', "c, d", "e\tf", "g\nh", "<script>", "ä猫", "", "007", " i ", "=1+1", "#k"]
BLOCKS = np.kron(np.eye(3), np.full((4, 4), 5.0)) + 0.5


@pytest.fixture(scope="module")
def blocks():
    """Twelve items with awkward names, some of them in groups, and their labels."""
    groups = ["left", None, "right", None] * 3
    return io.Items(BLOCKS, NAMES, groups), sl.solve(BLOCKS)


@pytest.mark.parametrize(("ending", "delimiter"), [(".csv", ","), (".tsv", "\t")])
def test_tables_of_text_are_read_again(blocks, tmp_path, ending, delimiter):
    items, result = blocks
    path = tmp_path / f"labels{ending}"
    write_answer(path, items, result)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter=delimiter))
    assert rows[0] == ["item", "group", "label", "confidence"]
    columns = list(zip(*rows[1:], strict=True))
    assert list(columns[0]) == NAMES
    assert [group or None for group in columns[1]] == items.groups
    assert [int(label) for label in columns[2]] == result.labels.tolist()
    np.testing.assert_allclose([float(c) for c in columns[3]], result.confidence, atol=5.1e-5)


def test_labels_quote_what_needs_it() -> None:
    ids = ["Doe, J.", 'say "hi"', "c", "d", "e", "f"]
    items = io.Items(BLOCKS[:6, :6], ids, groups=["x", "ä", "x", "x", "x", "x"])
    lines = columns_csv(items.answer(sl.solve(BLOCKS[:6, :6], pick=9.0))).splitlines()
    assert lines[0] == "item,group,label,confidence"
    assert lines[1].startswith('"Doe, J.",x,0,')
    assert lines[2].startswith('"say ""hi""",ä,1,')
    assert all(re.search(r",[01]\.\d{4}$", line) for line in lines[1:])


def test_parquet_is_read_again_with_types(blocks, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    items, result = blocks
    write_answer(tmp_path / "labels.parquet", items, result)
    assert parquet.read_table(tmp_path / "labels.parquet").to_pydict() == items.answer(result)


@pytest.mark.parametrize("ids", [None, list(range(7, 19)), [n / 2 for n in range(12)]])
def test_parquet_keeps_the_type_of_ids(blocks, tmp_path, ids):
    parquet = pytest.importorskip("pyarrow.parquet")
    items, result = replace(blocks[0], ids=ids), blocks[1]
    write_answer(tmp_path / "labels.parquet", items, result)
    found = parquet.read_table(tmp_path / "labels.parquet")["item"].to_pylist()
    assert found == (list(range(12)) if ids is None else ids)
    assert {type(name) for name in found} == {int if ids is None else type(ids[0])}


@pytest.mark.parametrize("ids", [[1, "a"] * 6, [object()] * 12, [10**30] * 12])
def test_ids_that_parquet_has_no_column_for(blocks, tmp_path, ids):
    pytest.importorskip("pyarrow")
    items, result = replace(blocks[0], ids=ids), blocks[1]
    with pytest.raises(sl.InvalidInputError, match=r"labels\.parquet: the column item must have"):
        write_answer(tmp_path / "labels.parquet", items, result)
    assert list(tmp_path.iterdir()) == []


def test_parquet_without_pyarrow(blocks, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"\.parquet needs pyarrow: pip install pyarrow$"):
        write_answer(tmp_path / "labels.parquet", *blocks)


def test_json_is_the_summary(blocks, tmp_path):
    write_answer(tmp_path / "found.json", *blocks)
    text = (tmp_path / "found.json").read_text()
    assert json.loads(text, parse_constant=pytest.fail) == summary(*blocks)
    assert text.endswith("}\n")


def test_summary_says_what_was_found(blocks):
    items, result = blocks
    found = summary(items, result)
    assert found["version"] == sl.__version__
    assert (found["n_items"], found["n_labels"], found["n_groups"]) == (12, 3, 2)
    assert found["sizes"] == {"4": 3}
    assert found["resolution"] == pytest.approx(result.path.alpha / (1 - result.path.alpha))
    assert (found["status"], found["sentence"]) == ("described", result.status.sentence)
    assert (found["kind"], found["reading"]) == (result.kind, str(result.reading))
    assert found["path"]["picked"] == result.path.picked
    assert type(found["status"]) is type(found["reading"]) is str
    assert found["is_odd"] is False
    assert found["mean_confidence"] == pytest.approx(result.confidence.mean())
    assert summary(io.Items(BLOCKS, None), result)["n_groups"] is None
    assert summary(Points(np.zeros((12, 2)), None), result)["n_groups"] is None


def test_summary_has_the_curves(result):
    found = summary(io.Items(np.eye(80), None), result)
    path = found["path"]
    n_steps = len(result.path.labels)
    assert path.pop("is_complete") is True
    assert path.pop("picked") == result.path.picked
    if result.path.savings is None:
        assert path.pop("savings") is None
    for name, curve in path.items():
        np.testing.assert_array_equal(curve, getattr(result.path, name))
        assert len(curve) == n_steps
    assert sum(int(size) * count for size, count in found["sizes"].items()) == 80
    assert sum(found["sizes"].values()) == result.n_labels
    assert found["n_unsure"] == sum(sure < UNSURE for sure in result.confidence)


def test_an_odd_status_is_told():
    with pytest.warns(sl.SphereWarning):
        result = sl.solve(np.eye(4))
    found = summary(io.Items(np.eye(4), None), result)
    assert found["is_odd"] is True
    assert found["status"] == "isolated"
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_answer_is_the_same_bytes(blocks, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    for name in ("one", "two"):
        write_answer(tmp_path / f"{name}{ending}", *blocks)
    assert (tmp_path / f"one{ending}").read_bytes() == (tmp_path / f"two{ending}").read_bytes()
    assert len(list(tmp_path.iterdir())) == 2


def test_other_endings_are_refused(blocks, tmp_path):
    with pytest.raises(sl.InvalidInputError, match=r"must end in one of \.csv, \.tsv, \.parquet"):
        write_answer(tmp_path / "labels.xlsx", *blocks)
    assert list(tmp_path.iterdir()) == []


def test_endings_may_be_large(blocks, tmp_path):
    write_answer(tmp_path / "LABELS.CSV", *blocks)
    expected = columns_csv(blocks[0].answer(blocks[1]))
    assert (tmp_path / "LABELS.CSV").read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
def test_the_labels_of_other_items_are_refused(blocks, tmp_path, ending):
    result = sl.solve(BLOCKS[:8, :8])
    with pytest.raises(sl.InvalidInputError, match=r"each of 12 items; found 8$"):
        write_answer(tmp_path / f"labels{ending}", blocks[0], result)
    assert list(tmp_path.iterdir()) == []


def test_entities_and_pairs_have_a_row_each(tmp_path):
    W, _ = candidates()
    ids, sources = [f"r{i}" for i in range(len(W.toarray()))], ["x"] * W.shape[0]
    records = io.Records(W, ids, None, sources)
    result = sl.solve(records.problem)
    likely, matches = result.entities(), result.pairs().items
    write_answer(tmp_path / "entities.csv", records, result, of="entities")
    rows = list(csv.DictReader((tmp_path / "entities.csv").read_text().splitlines()))
    assert [int(row["entity"]) for row in rows] == list(range(result.n_labels))
    assert [int(row["size"]) for row in rows] == np.bincount(result.labels).tolist()
    np.testing.assert_allclose([float(row["pure"]) for row in rows], likely.pure, atol=5.1e-5)
    np.testing.assert_allclose([float(row["whole"]) for row in rows], likely.whole, atol=5.1e-5)
    write_answer(tmp_path / "pairs.tsv", records, result, of="pairs")
    rows = list(csv.DictReader((tmp_path / "pairs.tsv").read_text().splitlines(), delimiter="\t"))
    assert list(rows[0]) == ["source_a", "id_a", "source_b", "id_b", "entity", "probability"]
    assert [(row["id_a"], row["id_b"]) for row in rows] == [(ids[i], ids[j]) for i, j in matches]
    found = [float(row["probability"]) for row in rows]
    np.testing.assert_allclose(found, result.pairs().probability, atol=5.1e-5)
    assert summary(records, result)["n_wrong"] == pytest.approx(np.sum(1 - result.confidence))
    with pytest.raises(sl.InvalidInputError, match="an answer must end in one of"):
        write_answer(tmp_path / "pairs.json", records, result, of="pairs")
    with pytest.raises(sl.InvalidInputError, match="of must be one of items, entities, pairs"):
        write_answer(tmp_path / "pairs.csv", records, result, of="labels")


def test_entities_without_probabilities():
    items = io.Items(np.kron(np.eye(2), np.ones((3, 3))), None, list("abcabc"))
    result = sl.solve(items.problem, solver="power")
    found = items.entities(result)
    assert list(found) == ["label", "size", "representative_item"]
    assert (found["label"], found["size"]) == ([0, 1], [3, 3])
    assert list(items.pairs(result)) == ["item_a", "group_a", "item_b", "group_b", "label"]
    assert summary(items, result)["n_wrong"] is None


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_formulas_are_escaped_on_request(tmp_path, ending):
    ids = ["=1+1", "@x", "-5", "plain", "+1", "\tx"]
    items = io.Items(np.kron(np.eye(2), np.ones((3, 3))), ids)
    path, result = tmp_path / f"labels{ending}", sl.solve(items.problem)
    delimiter = "\t" if ending == ".tsv" else ","

    def names():
        rows = csv.reader(path.read_text().splitlines(), delimiter=delimiter)
        return [row[0] for row in rows][1:]

    write_answer(path, items, result)
    assert names() == ids
    write_answer(path, items, result, escape_formulas=True)
    assert names() == ["'=1+1", "'@x", "'-5", "plain", "'+1", "'\tx"]
