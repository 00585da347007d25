"""Saved results: loaded again, they are what they were."""

import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from support.problems import candidates, with_labels

import spherelax as sl
from spherelax import io
from spherelax.io import Items, Records, load_result, save_result, summary, write_answer

NAMES = ["a", 'say "b"', "c, d", "e\tf", "g\nh", "ä猫", "", "007", " i ", "=1+1", "#k", "l\0m"]
BLOCKS = np.kron(np.eye(3), np.full((4, 4), 5.0)) + 0.5


@pytest.fixture(scope="module")
def blocks():
    """Twelve items with awkward names, and their labels."""
    return Items(BLOCKS, NAMES), sl.solve(BLOCKS)


def same_result(one, other):
    """Compare everything that a file holds."""
    for name in ("labels", "confidence"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        assert getattr(one, name).dtype == getattr(other, name).dtype
    for name in ("status", "kind", "reading", "alternative", "n_labels", "resolution"):
        assert getattr(one, name) == getattr(other, name)
        assert type(getattr(one, name)) is type(getattr(other, name))
    for name in ("picked", "joined", "maxima", "max_labels", "alpha"):
        assert getattr(one.path, name) == getattr(other.path, name)
    for name in ("alphas", "etas", "objectives", "savings", "resolutions", "n_labels", "stability"):
        np.testing.assert_array_equal(getattr(one.path, name), getattr(other.path, name))
    assert one.path.is_complete == other.path.is_complete
    assert len(one.path.labels) == len(other.path.labels)
    for labels, others in zip(one.path.labels, other.path.labels, strict=True):
        np.testing.assert_array_equal(labels, others)
        assert labels.dtype == others.dtype


def test_saved_results_are_loaded_again(result, tmp_path):
    save_result(tmp_path / "result.npz", result)
    loaded = load_result(tmp_path / "result.npz")
    same_result(loaded, result)
    np.testing.assert_array_equal(loaded.labels, loaded.path.labels[loaded.path.picked])


def test_a_loaded_result_moves_along_its_path(result, tmp_path):
    save_result(tmp_path / "result.npz", result)
    loaded = load_result(str(tmp_path / "result.npz"))
    np.testing.assert_array_equal(loaded.pairs().items, result.pairs().items)
    most = int(result.path.n_labels.max())
    for there, here in (
        (loaded.at(1.0), result.at(1.0)),
        (loaded.with_n_labels(most), result.with_n_labels(most)),
    ):
        np.testing.assert_array_equal(there.labels, here.labels)
        assert (there.status, there.path.picked) == (here.status, here.path.picked)
        assert there.path.picked != loaded.path.picked
        assert np.isnan(there.confidence).all()
        assert there.confidence.shape == here.confidence.shape
        np.testing.assert_array_equal(there.pairs().items, here.pairs().items)
        back = there.at(loaded.resolution)
        np.testing.assert_array_equal(back.confidence, result.confidence)
        found = summary(io.Items(np.eye(80), None), there)
        assert found["mean_confidence"] is None
        json.dumps(found, allow_nan=False)
    with pytest.raises(sl.InvalidInputError, match=r"result\.npz: holds no similarities, which"):
        loaded.embedding()
    with pytest.raises(sl.InvalidInputError, match=r"result\.npz: holds no similarities, which"):
        loaded.listed_probability()
    frame = loaded.to_frame()
    np.testing.assert_array_equal(frame["confidence"], result.confidence)


@pytest.fixture(scope="module")
def merged():
    """Labels that come from no step of their path: merged between valleys."""
    X = np.random.default_rng(0).normal(size=(200, 2)) + 8 * np.arange(2).repeat(100)[:, None]
    return sl.solve(sl.similarity.neighbor_graph(X))


def test_labels_of_no_step_are_loaded_again(merged, tmp_path):
    assert merged.path.joined is not None
    save_result(tmp_path / "result.npz", merged)
    loaded = load_result(tmp_path / "result.npz")
    same_result(loaded, merged)
    assert loaded.path.picked == merged.path.picked
    for one, other in zip(loaded.path.labels, merged.path.labels, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(loaded.at(loaded.resolution).labels, merged.labels)


def test_saved_confidence_is_that_of_the_saved_labels_alone(merged, tmp_path):
    save_result(tmp_path / "result.npz", merged)
    loaded = load_result(tmp_path / "result.npz")
    elsewhere = loaded.at(1e9)
    assert np.isnan(elsewhere.confidence).all()
    back = elsewhere.at(loaded.resolution)
    np.testing.assert_array_equal(back.labels, merged.labels)
    np.testing.assert_array_equal(back.confidence, merged.confidence)


def test_another_step_can_be_saved(result, tmp_path):
    other = result.at(1.0)
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
    assert not result.path.is_complete
    save_result(tmp_path / "result.npz", result)
    same_result(load_result(tmp_path / "result.npz"), result)


def test_equal_steps_are_saved_once_and_shared_again(tmp_path):
    W = np.kron(np.eye(40), np.ones((5, 5)))
    result = sl.solve(W)
    one = result.path.labels[0]
    path = replace(result.path, labels=(one,) * len(result.path.labels))
    save_result(tmp_path / "result.npz", replace(result, path=path))
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


def test_a_saved_result_does_not_tell_the_time(blocks, tmp_path):
    save_result(tmp_path / "result.npz", blocks[1])
    with zipfile.ZipFile(tmp_path / "result.npz") as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}


def test_other_endings_are_refused(blocks, tmp_path):
    with pytest.raises(sl.InvalidInputError, match=r"a saved result must end in \.npz$"):
        save_result(tmp_path / "result.pkl", blocks[1])
    assert list(tmp_path.iterdir()) == []


def changed(saved, **others):
    arrays = {name: array for name, array in (saved | others).items() if array is not None}
    return {name: np.asarray(array) for name, array in arrays.items()}


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"labels": None}, "must hold the arrays version, labels,"),
        ({"labels": np.zeros(12)}, "labels has dtype float64 and shape (12,)"),
        ({"picked": [1]}, "picked has dtype int64 and shape (1,)"),
        ({"status": "NONSENSE"}, "status 'NONSENSE' is not known"),
        ({"path_etas": np.zeros(3)}, "path_etas must have shape"),
        ({"path_savings": np.zeros(3)}, "path_savings must have shape"),
        ({"confidence": np.zeros(3)}, "confidence must have shape (12,); found (3,)"),
        ({"joined": 1000}, "joined must be at least -1 and below"),
        ({"picked": -1}, "picked must be at least 0 and below"),
        ({"right": 1000}, "right must be at least -1 and below"),
        ({"left": -2}, "left must be at least -1 and below"),
        ({"labels": np.arange(1, 13, dtype=np.int32)}, "labels must be at least 0 and below 12"),
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


def test_probabilities_of_labels_are_saved(tmp_path):
    W, _ = candidates()
    result, path = sl.solve(W), tmp_path / "result.npz"
    save_result(path, result)
    loaded = load_result(path)
    assert loaded.is_probability
    for there, here in zip(loaded.entities(), result.entities(), strict=True):
        np.testing.assert_array_equal(there, here)
    with pytest.raises(sl.InvalidInputError, match="which the probabilities of pairs need"):
        loaded.pairs().probability  # noqa: B018 (the access is the test)
    with pytest.raises(sl.InvalidInputError, match="which the probabilities of other labels need"):
        with_labels(loaded, np.zeros(W.shape[0], np.int32)).entities()
    arrays = dict(np.load(path))
    np.savez(path, **arrays | {"pure": arrays["pure"][1:]})
    with pytest.raises(sl.InvalidInputError, match="not a saved result; pure must have shape"):
        load_result(path)
    save_result(path, sl.solve(np.kron(np.eye(2), np.ones((3, 3)))))
    plain = load_result(path)
    assert plain.is_probability
    assert plain.entities() is None
    assert plain.pairs().probability is None


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("path_alphas", np.nan, "path_alphas must hold numbers from 0 to 1"),
        ("path_alphas", 1.0, "path_alphas must hold numbers from 0 to 1"),
        ("path_alphas", 2.0, "path_alphas must hold numbers from 0 to 1"),
        ("path_etas", np.nan, "path_etas must hold numbers from 0 to"),
        ("path_etas", -1.0, "path_etas must hold numbers from 0 to"),
        ("path_objectives", np.inf, "path_objectives must hold numbers from"),
        ("path_savings", np.nan, "path_savings must hold numbers from"),
        ("confidence", 1.5, "confidence must hold numbers from 0 to 1"),
    ],
)
def test_odd_numbers_are_refused(blocks, tmp_path, name, value, message):
    path = tmp_path / "result.npz"
    save_result(path, blocks[1])
    saved = io.read_arrays(path)
    np.savez(path, **changed(saved, **{name: np.full(saved[name].shape, value)}))
    with pytest.raises(sl.InvalidInputError, match=f"not a saved result; {message}"):
        load_result(path)


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"labels": np.zeros(12, np.int32)}, "labels are not those of step"),
        ({"picked": 99}, "picked must be at least 0 and below"),
        ({"kind": "cosine"}, "kind 'cosine' is not known"),
        ({"reading": "PLAIN"}, "reading 'PLAIN' is not known"),
        ({"max_labels": 0}, "max_labels must hold numbers from 1"),
        ({"labels": np.full(12, 3, np.int32)}, "labels must be numbered in order"),
        ({"ids": np.array(3)}, "ids must have shape (12,); found ()"),
        ({"ids": np.zeros(12)}, "ids must be integers or text; found dtype float64"),
    ],
)
def test_more_odd_arrays_are_refused(blocks, tmp_path, others, message):
    path = tmp_path / "result.npz"
    save_result(path, blocks[1])
    np.savez(path, **changed(io.read_arrays(path), **others))
    with pytest.raises(sl.InvalidInputError) as caught:
        load_result(path)
    assert message in str(caught.value)


def test_steps_must_go_down(blocks, tmp_path):
    path = tmp_path / "result.npz"
    save_result(path, blocks[1])
    saved = io.read_arrays(path)
    np.savez(path, **changed(saved, path_alphas=saved["path_alphas"][::-1]))
    with pytest.raises(sl.InvalidInputError, match="path_alphas must not rise"):
        load_result(path)


def test_files_of_other_versions_are_refused(blocks, tmp_path):
    path = tmp_path / "result.npz"
    save_result(path, blocks[1])
    saved = io.read_arrays(path)
    del saved["reading"]
    np.savez(path, **saved | {"version": "0.0.9"})
    assert io.format_of(path) == "result"
    with pytest.raises(sl.InvalidInputError, match=r"this version of spherelax; found '0\.0\.9'"):
        load_result(path)
