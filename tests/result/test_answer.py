"""Moving along the path without another run."""

import sys
import warnings
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
import scipy.sparse as sp
from support.problems import candidates, quiet_solve

import spherelax as sl


@pytest.mark.parametrize("wanted", [0.01, 0.434, 1.012, 4.0, 32.3])
def test_at_takes_the_resolution_that_is_nearest_in_ratio(result, wanted):
    ratios = [max(r / wanted, wanted / r) if r else np.inf for r in result.path.resolutions]
    assert result.at(wanted).path.picked == np.argmin(ratios)


def test_the_ends_of_the_path(result):
    assert result.at(1e300).path.picked == 0
    assert result.at(0.0).path.picked == len(result.path.labels) - 1


def test_another_step_is_a_whole_result(result):
    other = result.at(1.0)
    assert other.path.alpha == result.path.alphas[other.path.picked] != result.path.alpha
    np.testing.assert_array_equal(other.labels, result.path.labels[other.path.picked])
    assert other.status == sl.Status.CHOSEN
    for one, same in zip(other.path.labels, result.path.labels, strict=True):
        assert one is same
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
        assert result.path.etas[other.path.picked] == result.path.etas[same].min()


def test_nearest_number_of_labels(result):
    missing = len(result.labels) + 1
    with pytest.warns(sl.SphereWarning, match=f"No step has {missing} labels") as caught:
        other = result.with_n_labels(missing)
    assert f"was taken, {other.n_labels}." in str(caught[0].message)
    assert caught[0].filename == __file__
    assert other.status == sl.Status.NEAREST
    assert str(caught[0].message.about) == other.status
    assert other.at(1.0)._asked is None
    assert other.n_labels in other.path.n_labels


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
        result.status = None
    with pytest.raises(FrozenInstanceError):
        result.path.etas = None


def test_repr_tells_what_was_found(result):
    fresh = replace(result, alternative=None)
    said = f"4 labels of 80 items; kind graph, reading {result.reading}, status {result.status}"
    assert repr(fresh) == f"Result({said})"
    mean = fresh.confidence.mean()
    assert repr(fresh) == f"Result({said}; mean confidence {mean:.2f})"
    assert repr(replace(result, alternative=1200)).endswith("; about as good: 1,200 labels)")
    W, groups, _ = sl.datasets.make_partial_matching(9, 5, random_state=0)
    assert f"of {len(W)} items in 8 groups; " in repr(sl.solve(W, groups))


def test_probabilities_of_listed_pairs():
    W, truth = candidates()
    result = sl.solve(W)
    P = result.listed_probability()
    assert P.shape == W.shape
    assert ((P != 0) != (W != 0)).nnz == 0
    assert abs(P - P.T).max() == 0.0
    pairs = P.tocoo()
    is_right = truth[pairs.row] == truth[pairs.col]
    assert pairs.data.min() >= 0.0
    assert pairs.data.max() <= 1.0
    assert np.mean((pairs.data > 0.5) == is_right) > 0.99
    assert result.status == sl.Status.LIKELIEST
    # An item is no less sure than its listed pairs inside its label are on average.
    inside = P.multiply(result.labels[:, None] == result.labels).toarray()
    shared = np.bincount(result.labels)[result.labels] > 1
    mean = inside.sum(axis=1)[shared] / np.count_nonzero(inside, axis=1)[shared]
    assert (result.confidence[shared] > mean - 0.02).all()
    # What a user does with them changes nothing in the result.
    P.data[:] = 0.0
    assert result.listed_probability().max() > 0.9
    assert (result.at(99.0).listed_probability() != result.listed_probability()).nnz == 0


def test_a_graph_has_no_probabilities(result):
    assert result.listed_probability() is None
    W, _ = candidates()
    assert quiet_solve(W, kind="graph").listed_probability() is None


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


def test_representatives_are_medoids():
    rng = np.random.default_rng(0)
    odds = np.triu(rng.normal(1.0, 2.0, (12, 12)), 1)
    odds[:6, 6:] = -6.0
    result = sl.solve(odds + odds.T, kind="odds")
    pairs = result.pairs()
    shares = np.zeros((12, 12))
    shares[pairs.items[:, 0], pairs.items[:, 1]] = pairs.probability
    sums = (shares + shares.T).sum(axis=1)
    found = result.representatives()
    assert result.labels[found].tolist() == list(range(result.n_labels))
    for label, item in enumerate(found):
        members = np.flatnonzero(result.labels == label)
        assert sums[item] >= sums[members].max() - 0.01 * len(members)


@pytest.mark.parametrize("is_points", [True, False])
def test_a_number_between_those_of_the_steps(seed, is_points):
    """Nested clusters: the coarse ones are those of the coarse truth."""
    rng = np.random.default_rng(seed)
    coarse = np.repeat(np.arange(4), 3)
    centres = 14.0 * rng.permutation(np.eye(12))[coarse] + 5.0 * np.eye(12)
    fine = rng.integers(0, 12, 1500)
    points = centres[fine] + rng.normal(size=(1500, 12))
    graph = sl.similarity.neighbor_graph(points, n_neighbors=60)
    result = sl.solve(graph if is_points else graph.similarity)
    missing = [n for n in range(4, 60) if n not in result.path.n_labels]
    for n in missing:
        found = result.with_n_labels(n)
        assert (found.n_labels, found.status) == (n, sl.Status.LINKED)
        assert found.alternative is None
        assert len(found.confidence) == 1500
    truth = {4: coarse[fine], 12: fine}
    for n, expected in truth.items():
        scores = sl.metrics.pairwise_scores(expected, result.with_n_labels(n).labels)
        assert scores.f_score > 0.95
    assert missing


@pytest.mark.parametrize("kind", ["matching", "scores", "odds", "graph"])
def test_any_number_of_labels(seed, kind):
    """Down to what connects or keeps apart, and up to single items; labels grow only by merging."""
    rng, groups = np.random.default_rng(seed), None
    if kind == "graph":
        W = sl.datasets.make_binary_similarity(60, 5, rewired=0.3, random_state=seed)[0]
    else:
        W, groups, _ = sl.datasets.make_partial_matching(9, 6, shuffled=0.1, random_state=seed)
        W = sp.coo_array(W)
        value = rng.random((len(groups), len(groups)))[
            np.minimum(W.row, W.col), np.maximum(W.row, W.col)
        ]
        W = {
            "matching": W,
            "scores": sp.csr_array((0.5 + 0.5 * value, (W.row, W.col)), shape=W.shape),
            "odds": sp.csr_array((8.0 * value - 1.0, (W.row, W.col)), shape=W.shape),
        }[kind]
    result = sl.solve(W, groups, kind="odds" if kind == "odds" else None)
    m = len(result.labels)
    least = 1 if groups is None else np.bincount(np.unique(groups, return_inverse=True)[1]).max()
    few = None
    for n in range(1, m + 1):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = result.with_n_labels(n)
        assert found.n_labels == n or caught
        assert found.n_labels >= least
        if groups is not None:
            assert len(set(zip(found.labels, groups, strict=True))) == m
        few = found.n_labels if few is None else few
        assert found.n_labels == max(n, few)
    assert few <= 2 * least
