"""Moving along the path without another run."""

import sys
from dataclasses import FrozenInstanceError, replace
from itertools import combinations

import numpy as np
import pytest

import spherelax as sl
from problems import candidates, quiet_solve, tuned
from spherelax.settings import SOLVERS


@pytest.fixture(scope="module", params=SOLVERS)
def result(request):
    W, _ = sl.datasets.make_binary_similarity(80, 4, rewired=0.3, missing=0.2, random_state=0)
    return sl.solve(W, solver=tuned(request.param, n_inner=5))


@pytest.mark.parametrize("wanted", [0.01, 0.434, 1.012, 4.0, 32.3])
def test_at_takes_the_resolution_that_is_nearest_in_ratio(result, wanted):
    ratios = [max(r / wanted, wanted / r) if r else np.inf for r in result.path.resolutions]
    assert result.at(wanted).index == np.argmin(ratios)


def test_the_ends_of_the_path(result):
    assert result.at(1e300).index == 0
    assert result.at(0.0).index == len(result.path.labels) - 1


def test_another_step_is_a_whole_result(result):
    other = result.at(1.0)
    assert other.alpha == result.path.alphas[other.index] != result.alpha
    np.testing.assert_array_equal(other.labels, result.path.labels[other.index])
    assert other.status == sl.Status.CHOSEN
    assert other.path is result.path
    assert other.confidence.shape == result.labels.shape
    assert not np.array_equal(result.at(0.0).confidence, result.confidence)
    np.testing.assert_array_equal(result.at(result.resolution).confidence, result.confidence)


def test_coarser_below_finer_above(result):
    counts = [result.at(at).n_labels for at in (0.0, result.resolution, 99.0)]
    assert counts == [1, 4, result.path.n_labels.max()]
    assert counts[2] > 4


def test_every_number_of_labels_on_the_path(result):
    for n in set(result.path.n_labels.tolist()):
        other = result.with_n_labels(n)
        assert other.n_labels == n
        assert other.status == sl.Status.CHOSEN
        same = result.path.n_labels == n
        assert result.path.etas[other.index] == result.path.etas[same].min()


def test_labels_of_no_step_stand_at_their_alpha(result):
    """`with_n_labels` and `at` return these labels, and the path is not changed."""
    missing = next(n for n in range(2, 80) if n not in result.path.n_labels)
    own = (np.arange(80) % missing).astype(np.int32)
    other = replace(result, labels=own, index=None)
    assert other.position == result.index == result.position
    assert len(other.labelings) == len(other.path.labels)
    for step, labels in enumerate(other.labelings):
        assert labels is (own if step == other.position else result.path.labels[step])
    found = other.with_n_labels(missing)
    assert found.labels is own
    assert (found.index, found.status) == (None, sl.Status.CHOSEN)
    assert other.at(other.resolution).labels is own
    elsewhere = other.at(1e9)
    assert (elsewhere.index, elsewhere.position) == (0, 0)
    assert elsewhere.labels is result.path.labels[0]


def test_nearest_number_of_labels(result):
    missing = next(n for n in range(1, 200) if n not in result.path.n_labels)
    with pytest.warns(sl.SphereWarning, match=f"No step has {missing} labels") as caught:
        other = result.with_n_labels(missing)
    assert f"were taken, {other.n_labels}." in str(caught[0].message)
    assert caught[0].filename == __file__
    assert other.status == sl.Status.NEAREST
    assert other.asked == missing
    assert other.at(1.0).asked is None
    assert other.n_labels in result.path.n_labels


@pytest.mark.parametrize("resolution", [-0.1, np.inf, "0.5", None, np.nan])
def test_bad_resolution(result, resolution):
    with pytest.raises(sl.InvalidInputError, match=r"^resolution must be a finite number >= 0"):
        result.at(resolution)


@pytest.mark.parametrize("n", [0, 2.0, "3", True])
def test_bad_number_of_labels(result, n):
    with pytest.raises(sl.InvalidInputError, match=r"^n_labels must be an integer >= 1; found"):
        result.with_n_labels(n)


def test_frozen(result):
    with pytest.raises(FrozenInstanceError):
        result.labels = None
    with pytest.raises(FrozenInstanceError):
        result.path.etas = None


def test_repr_is_short(result):
    assert len(repr(result)) < 300
    assert "array" not in repr(result)


def test_matches_are_the_pairs_of_equal_labels(result):
    labels = result.labels
    expected = [(i, j) for i, j in combinations(range(len(labels)), 2) if labels[i] == labels[j]]
    assert [tuple(pair) for pair in result.matches().tolist()] == expected


def test_probabilities_of_listed_pairs():
    W, truth = candidates()
    result = sl.solve(W)
    P = result.match_probability()
    assert P.shape == W.shape
    assert ((P != 0) != (W != 0)).nnz == 0
    assert abs(P - P.T).max() == 0.0
    pairs = P.tocoo()
    is_right = truth[pairs.row] == truth[pairs.col]
    assert pairs.data.min() >= 0.0
    assert pairs.data.max() <= 1.0
    assert np.mean((pairs.data > 0.5) == is_right) > 0.99
    assert result.status == sl.Status.LIKELIEST
    # The confidence of an item is near the mean probability of its listed pairs inside its label.
    inside = P.multiply(result.labels[:, None] == result.labels).toarray()
    shared = np.bincount(result.labels)[result.labels] > 1
    mean = inside.sum(axis=1)[shared] / np.count_nonzero(inside, axis=1)[shared]
    np.testing.assert_allclose(result.confidence[shared], mean, atol=0.02)
    # What a user does with them changes nothing in the result.
    P.data[:] = 0.0
    assert result.match_probability().max() > 0.9
    assert (result.at(99.0).match_probability() != result.match_probability()).nnz == 0


def test_a_graph_has_no_probabilities(result):
    assert result.match_probability() is None
    W, _ = candidates()
    assert quiet_solve(W, kind="graph").match_probability() is None


def test_labels_that_nobody_shares_have_no_matches():
    result = sl.solve(np.kron(np.eye(3), np.ones((4, 4))), pick=1e6)
    assert result.n_labels == 12
    assert result.matches().shape == (0, 2)


def test_status_is_a_sentence(result):
    assert isinstance(result.status, str)
    of_power = (
        "The labels are those of the step at which they moved least, between the two steps at "
        "which they moved most."
    )
    of_coordinate = (
        "The labels are those with which the similarities have the shortest description, of all "
        "resolutions that were tried."
    )
    assert str(result.status) == (of_power if result.path.savings is None else of_coordinate)
    assert all(status.endswith(".") for status in sl.Status)


def test_statuses_have_no_words_of_the_paper():
    for status in sl.Status:
        assert {"eta", "nats", "alpha"}.isdisjoint(status.lower().replace(",", " ").split())


def test_curves_of_the_path_have_one_entry_per_step(result):
    path = result.path
    n_steps = len(path.labels)
    for curve in (path.alphas, path.etas, path.objectives, path.resolutions, path.n_labels):
        assert curve.shape == (n_steps,)
    assert path.stability.shape == (n_steps,)
    assert path.is_whole
    assert np.all(np.diff(path.alphas) < 0)
    np.testing.assert_allclose(path.resolutions, path.alphas / (1 - path.alphas))
    assert path.n_labels.tolist() == [len(set(labels.tolist())) for labels in path.labels]


@pytest.mark.parametrize("like", ["pandas", "polars", "pyarrow"])
def test_frames_hold_the_labels(result, like):
    pytest.importorskip(like)
    ids, groups = [f"i{n}" for n in range(80)], [n % 7 for n in range(80)]
    frame = result.to_frame(ids=ids, groups=groups, like=like)
    assert type(frame).__module__.split(".")[0] == like
    columns = {name: frame[name].to_numpy().tolist() for name in ("item", "group")}
    assert columns == {"item": ids, "group": groups}
    np.testing.assert_array_equal(frame["label"], result.labels)
    np.testing.assert_array_equal(frame["confidence"], result.confidence)
    names = frame.column_names if like == "pyarrow" else list(frame.columns)
    assert names == ["item", "group", "label", "confidence"]


def test_frames_are_of_pandas_and_number_the_items(result):
    pandas = pytest.importorskip("pandas")
    frame = result.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["item", "label", "confidence"]
    assert frame["item"].tolist() == list(range(80))


def test_frames_keep_ids_of_any_type(result):
    pytest.importorskip("pandas")
    ids = [("a", n) if n % 2 else n for n in range(80)]
    assert result.to_frame(ids=ids)["item"].tolist() == ids


def test_a_frame_is_a_copy(result):
    pytest.importorskip("pandas")
    before = result.labels.copy()
    frame = result.to_frame()
    frame.loc[0, "label"] = 99
    np.testing.assert_array_equal(result.labels, before)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"like": "excel"}, "like must be one of pandas, polars, pyarrow; found 'excel'"),
        ({"ids": ["a"]}, "to_frame must have one item for each of 80 items; found 1"),
        ({"groups": ["a"] * 81}, "to_frame must have one group for each of 80 items; found 81"),
    ],
)
def test_bad_frames(result, settings, message):
    with pytest.raises(sl.InvalidInputError) as caught:
        result.to_frame(**settings)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("like", "ids"),
    [
        ("polars", [7, "7"]),
        ("polars", [("a", 1), 7]),
        ("pyarrow", [7, "7"]),
        ("pyarrow", [("a", 1), ("b", 2)]),
        ("pyarrow", [2**70, 1]),
    ],
)
def test_ids_that_a_package_has_no_type_for(result, like, ids):
    pytest.importorskip(like)
    message = f"^ids and groups must be of types that {like} has; .+"
    with pytest.raises(sl.InvalidInputError, match=message) as caught:
        result.to_frame(ids=40 * ids, like=like)
    assert "\n" not in str(caught.value)


def test_a_frame_without_its_package(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"^to_frame needs polars: pip install polars$"):
        result.to_frame(like="polars")
