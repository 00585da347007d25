"""Answers in files: what is written can be read again, and says the same."""

import csv
import json
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pytest

import spherelax as sl
from spherelax import io
from spherelax._solve import SOLVERS
from spherelax.io.answers import (
    ENDINGS,
    UNSURE,
    columns_csv,
    load_result,
    save_result,
    summary,
    write_answer,
)
from spherelax.io.pairs import Records
from spherelax.io.points import Points

NAMES = ["a", 'say "b"', "c, d", "e\tf", "g\nh", "<script>", "ä猫", "", "007", " i ", "=1+1", "#k"]
BLOCKS = np.kron(np.eye(3), np.full((4, 4), 5.0)) + 0.5


@pytest.fixture(scope="module", params=SOLVERS)
def result(request):
    W, _ = sl.datasets.make_binary_similarity(80, 4, rewired=0.3, missing=0.2, random_state=0)
    return sl.solve(W, solver=request.param, n_inner=5)


@pytest.fixture(scope="module")
def blocks():
    """Twelve items with awkward names, some of them in groups, and their labels."""
    groups = ["left", None, "right", None] * 3
    return io.Items(BLOCKS, NAMES, groups), sl.solve(BLOCKS)


def same_result(one, other):
    """Compare everything that a file holds."""
    for name in ("labels", "confidence"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        assert getattr(one, name).dtype == getattr(other, name).dtype
    for name in ("alpha", "status", "index", "right", "left", "max_universe", "n_labels"):
        assert getattr(one, name) == getattr(other, name)
        assert type(getattr(one, name)) is type(getattr(other, name))
    for name in ("alphas", "etas", "objectives", "savings", "resolutions", "n_labels", "stability"):
        np.testing.assert_array_equal(getattr(one.path, name), getattr(other.path, name))
    assert one.path.is_whole == other.path.is_whole
    assert len(one.path.labels) == len(other.path.labels)
    for labels, others in zip(one.path.labels, other.path.labels, strict=True):
        np.testing.assert_array_equal(labels, others)
        assert labels.dtype == others.dtype


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
    with pytest.raises(sl.InvalidInputError, match=r"labels\.parquet: the column item must be of"):
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
    assert found["alpha"] == result.alpha
    assert found["resolution"] == pytest.approx(result.alpha / (1 - result.alpha))
    assert (found["pick"], found["status"]) == ("described", str(result.status))
    assert type(found["status"]) is str
    assert found["is_odd"] is False
    assert found["mean_confidence"] == pytest.approx(result.confidence.mean())
    assert summary(io.Items(BLOCKS, None), result)["n_groups"] is None
    assert summary(Points(np.zeros((12, 2)), None), result)["n_groups"] is None


def test_summary_has_the_curves(result):
    found = summary(io.Items(np.eye(80), None), result)
    path = found["path"]
    n_steps = len(result.path.labels)
    assert path.pop("is_whole") is True
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
    assert found["pick"] == "isolated"
    json.dumps(found, allow_nan=False)


def test_saved_results_are_loaded_again(result, tmp_path):
    save_result(tmp_path / "result.npz", result)
    loaded = load_result(tmp_path / "result.npz")
    same_result(loaded, result)
    assert loaded.labels is loaded.path.labels[loaded.index]


def test_a_loaded_result_moves_along_its_path(result, tmp_path):
    save_result(tmp_path / "result.npz", result)
    loaded = load_result(str(tmp_path / "result.npz"))
    np.testing.assert_array_equal(loaded.matches(), result.matches())
    for there, here in (
        (loaded.at(0.5), result.at(0.5)),
        (loaded.with_n_labels(7), result.with_n_labels(7)),
    ):
        np.testing.assert_array_equal(there.labels, here.labels)
        assert (there.alpha, there.status, there.index) == (here.alpha, here.status, here.index)
        assert there.index != loaded.index
        assert np.isnan(there.confidence).all()
        assert there.confidence.shape == here.confidence.shape
        np.testing.assert_array_equal(there.matches(), here.matches())
        back = there.at(loaded.alpha)
        np.testing.assert_array_equal(back.confidence, result.confidence)
        found = summary(io.Items(np.eye(80), None), there)
        assert found["mean_confidence"] is None
        json.dumps(found, allow_nan=False)
    with pytest.raises(sl.InvalidInputError, match=r"result\.npz: holds no similarities, which"):
        loaded.embedding()


def test_another_step_can_be_saved(result, tmp_path):
    other = result.at(0.5)
    save_result(tmp_path / "other.npz", other)
    same_result(load_result(tmp_path / "other.npz"), other)


def test_an_interrupted_result_is_saved(tmp_path):
    seen = []

    def interrupt(step):
        seen.append(step)
        if len(seen) == 5:
            raise KeyboardInterrupt

    with pytest.warns(sl.SphereWarning, match="interrupted"):
        result = sl.solve(BLOCKS, callback=interrupt)
    assert not result.path.is_whole
    save_result(tmp_path / "result.npz", result)
    same_result(load_result(tmp_path / "result.npz"), result)


def test_equal_steps_are_saved_once_and_shared_again(tmp_path):
    W = np.kron(np.eye(40), np.ones((5, 5)))
    result = sl.solve(W)
    one = result.path.labels[0]
    path = replace(result.path, labels=(one,) * len(result.path.labels))
    save_result(tmp_path / "result.npz", replace(result, path=path, labels=one))
    assert io.read_arrays(tmp_path / "result.npz")["path_labels"].shape == (1, 200)
    labels = load_result(tmp_path / "result.npz").path.labels
    assert all(step is labels[0] for step in labels)


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (NAMES, NAMES),
        (None, list(range(12))),
        ([2**62 + n for n in range(12)], [2**62 + n for n in range(12)]),
        ([np.int64(n) for n in range(12)], list(range(12))),
        ([2**70 + n for n in range(12)], [str(2**70 + n) for n in range(12)]),
        ([-1, 2**63] * 6, ["-1", str(2**63)] * 6),
        ([1, "a"] * 6, ["1", "a"] * 6),
        ([True, 2] * 6, ["True", "2"] * 6),
        ([("x", n) for n in range(12)], [f"('x', {n})" for n in range(12)]),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_ids_are_saved_as_integers_or_text(blocks, tmp_path, ids, expected):
    items, result = replace(blocks[0], ids=ids), blocks[1]
    write_answer(tmp_path / "result.npz", items, result)
    assert io.read_arrays(tmp_path / "result.npz", "ids")["ids"].tolist() == expected
    same_result(load_result(tmp_path / "result.npz"), result)


def test_records_are_saved_by_source_and_id(blocks, tmp_path):
    records = Records(BLOCKS, [7, 8] * 6, sources=[n // 2 for n in range(12)])
    write_answer(tmp_path / "result.npz", records, blocks[1])
    assert io.read_arrays(tmp_path / "result.npz")["ids"].tolist() == records.names
    assert len(set(records.names)) == 12


def test_without_items_no_ids_are_saved(blocks, tmp_path):
    save_result(tmp_path / "result.npz", blocks[1])
    assert "ids" not in io.read_arrays(tmp_path / "result.npz")


def test_numpy_reads_a_saved_result_without_pickle(blocks, tmp_path):
    items, result = blocks
    write_answer(tmp_path / "result.npz", items, result)
    with np.load(tmp_path / "result.npz", allow_pickle=False) as saved:
        assert all(saved[name].dtype.kind != "O" for name in saved)
        np.testing.assert_array_equal(saved["labels"], result.labels)
        assert str(saved["version"]) == sl.__version__


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_answer_is_the_same_bytes(blocks, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    for name in ("one", "two"):
        write_answer(tmp_path / f"{name}{ending}", *blocks)
    assert (tmp_path / f"one{ending}").read_bytes() == (tmp_path / f"two{ending}").read_bytes()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_saved_result_does_not_tell_the_time(blocks, tmp_path):
    save_result(tmp_path / "result.npz", blocks[1])
    with zipfile.ZipFile(tmp_path / "result.npz") as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}


def test_other_endings_are_refused(blocks, tmp_path):
    with pytest.raises(sl.InvalidInputError, match=r"must end in one of \.csv, \.tsv, \.parquet"):
        write_answer(tmp_path / "labels.xlsx", *blocks)
    with pytest.raises(sl.InvalidInputError, match=r"a saved result must end in \.npz$"):
        save_result(tmp_path / "result.pkl", blocks[1])
    assert list(tmp_path.iterdir()) == []


def test_endings_may_be_large(blocks, tmp_path):
    write_answer(tmp_path / "LABELS.CSV", *blocks)
    expected = columns_csv(blocks[0].answer(blocks[1]))
    assert (tmp_path / "LABELS.CSV").read_text(encoding="utf-8") == expected


def changed(saved, **others):
    arrays = {name: array for name, array in (saved | others).items() if array is not None}
    return {name: np.asarray(array) for name, array in arrays.items()}


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"labels": None}, "must hold the arrays version, labels,"),
        ({"labels": np.zeros(12)}, "labels has dtype float64 and shape (12,)"),
        ({"alpha": [0.5]}, "alpha has dtype float64 and shape (1,)"),
        ({"status": "NONSENSE"}, "status 'NONSENSE' is not known"),
        ({"path_etas": np.zeros(3)}, "path_etas must have shape"),
        ({"path_savings": np.zeros(3)}, "path_savings must have shape"),
        ({"confidence": np.zeros(3)}, "confidence must have shape (12,); found (3,)"),
        ({"index": 1000}, "index must be at least 0 and below"),
        ({"index": -1}, "index must be at least 0 and below"),
        ({"labels": np.arange(12, dtype=np.int32)}, "labels are not those of the step"),
    ],
)
def test_what_is_no_saved_result_is_refused(blocks, tmp_path, others, message):
    path = tmp_path / "result.npz"
    save_result(path, blocks[1])
    np.savez(path, **changed(io.read_arrays(path), **others))
    with pytest.raises(sl.InvalidInputError) as caught:
        load_result(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["path_steps", "path_labels"])
def test_numbers_out_of_range_are_refused(blocks, tmp_path, name):
    path = tmp_path / "result.npz"
    save_result(path, blocks[1])
    saved = io.read_arrays(path)
    np.savez(path, **changed(saved, **{name: saved[name] + 1000}))
    with pytest.raises(sl.InvalidInputError, match=f"{name} must be at least 0 and below"):
        load_result(path)


def test_objects_and_broken_files_are_refused(blocks, tmp_path):
    path = tmp_path / "result.npz"
    save_result(path, blocks[1])
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(sl.InvalidInputError, match=r"not a readable \.npz file"):
        load_result(path)
    np.savez(path, allow_pickle=True, labels=np.array([{}], dtype=object))
    with pytest.raises(sl.InvalidInputError, match="Object arrays cannot be loaded"):
        load_result(path)
    with pytest.raises(sl.InvalidInputError, match="No such file"):
        load_result(tmp_path / "none.npz")
