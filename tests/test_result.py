"""Moving along the path without another run."""

import pickle
import sys
from dataclasses import FrozenInstanceError, replace
from itertools import combinations

import numpy as np
import pytest

import spherelax as sl
from problems import candidates, quiet_solve, tuned
from spherelax.metrics import pairwise_scores
from spherelax.result import SAME, TAKEN_FOR, Outcome, Reading, SweepPath, say_reading, steady_steps
from spherelax.settings import SOLVERS


@pytest.fixture(scope="module", params=SOLVERS)
def result(request):
    W, _ = sl.datasets.make_binary_similarity(80, 4, rewired=0.3, missing=0.2, random_state=0)
    return sl.solve(W, solver=tuned(request.param, n_inner=5))


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


def test_labels_of_no_step_stand_at_their_resolution(result):
    """`with_n_labels` and `at` return these labels, also after a look at other steps."""
    missing = next(n for n in range(2, 80) if n not in result.path.n_labels)
    own = (np.arange(80) % missing).astype(np.int32)
    outcome = Outcome(
        labels=own,
        alpha=result.path.alpha,
        index=None,
        status=result.status,
        is_whole=True,
        path=result.path,
        source=result._source,
        right=3,
    )
    path = outcome.picked_path()
    assert (path.picked, path.joined, path.maxima) == (result.path.picked,) * 2 + ((3, None),)
    for step, labels in enumerate(path.labels):
        assert labels is (own if step == path.picked else result.path.labels[step])
    other = replace(result, path=path)
    found = other.with_n_labels(missing)
    assert found.labels is own
    assert found.status == sl.Status.CHOSEN
    assert other.at(other.resolution).labels is own
    elsewhere = other.at(1e9)
    assert elsewhere.path.picked == 0
    assert elsewhere.labels is result.path.labels[0]
    assert elsewhere.at(other.resolution).labels is own


def test_nearest_number_of_labels(result):
    missing = next(n for n in range(1, 200) if n not in result.path.n_labels)
    with pytest.warns(sl.SphereWarning, match=f"No step has {missing} labels") as caught:
        other = result.with_n_labels(missing)
    assert f"were taken, {other.n_labels}." in str(caught[0].message)
    assert caught[0].filename == __file__
    assert other.status == sl.Status.NEAREST
    assert str(caught[0].message.about) == other.status
    assert other.at(1.0)._asked is None
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
        result.status = None
    with pytest.raises(FrozenInstanceError):
        result.path.etas = None


def test_repr_is_short(result):
    assert len(repr(result)) < 300
    assert "array" not in repr(result)


def test_matches_are_the_pairs_of_equal_labels(result):
    labels = result.labels
    expected = [(i, j) for i, j in combinations(range(len(labels)), 2) if labels[i] == labels[j]]
    assert [tuple(pair) for pair in result.pairs().items.tolist()] == expected


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
    # The confidence of an item is near the mean probability of its listed pairs inside its label.
    inside = P.multiply(result.labels[:, None] == result.labels).toarray()
    shared = np.bincount(result.labels)[result.labels] > 1
    mean = inside.sum(axis=1)[shared] / np.count_nonzero(inside, axis=1)[shared]
    np.testing.assert_allclose(result.confidence[shared], mean, atol=0.02)
    # What a user does with them changes nothing in the result.
    P.data[:] = 0.0
    assert result.listed_probability().max() > 0.9
    assert (result.at(99.0).listed_probability() != result.listed_probability()).nnz == 0


def test_a_graph_has_no_probabilities(result):
    assert result.listed_probability() is None
    W, _ = candidates()
    assert quiet_solve(W, kind="graph").listed_probability() is None


def test_labels_that_nobody_shares_have_no_matches():
    result = sl.solve(np.kron(np.eye(3), np.ones((4, 4))), pick=1e6)
    assert result.n_labels == 12
    assert result.pairs().items.shape == (0, 2)


def test_a_status_is_a_name_with_a_sentence(result):
    name, of_solver = (
        ("valley", "The labels are those of the step at which they moved least, between the two")
        if result.path.savings is None
        else ("described", "The labels are those with which the similarities have the shortest")
    )
    assert result.status == str(result.status) == name
    assert result.status.sentence.startswith(of_solver)


@pytest.mark.parametrize("names", [sl.Status, Reading])
def test_names_and_sentences(names):
    """Names are those of the members; sentences end, and have no words of the paper."""
    for one in names:
        assert one.value == one.name.lower()
        assert names(str(one)) is pickle.loads(pickle.dumps(one)) is one
        assert one.sentence.endswith(".")
        words = one.sentence.lower().replace(",", " ").split()
        assert {"eta", "nats", "alpha"}.isdisjoint(words)
    assert len({one.sentence for one in names}) == len(names)


@pytest.mark.parametrize(
    ("make", "settings", "kind", "reading"),
    [
        (lambda: candidates()[0], {}, "pairs", Reading.LOG_ODDS),
        (lambda: candidates()[0], {"kind": "graph"}, "graph", Reading.RANKED),
        (lambda: [[0, 2, -1], [2, 0, 0], [-1, 0, 0]], {"kind": "odds"}, "odds", Reading.LOG_ODDS),
        (lambda: np.kron(np.eye(3), np.ones((4, 4))), {}, "graph", Reading.PLAIN),
        (lambda: candidates()[0], {"solver": "power"}, "graph", Reading.PLAIN),
    ],
)
def test_a_result_says_what_the_similarities_were_taken_for(make, settings, kind, reading):
    result = quiet_solve(make(), **settings)
    assert (result.kind, result.reading) == (kind, reading)
    said = say_reading(result)
    assert said.startswith(f"Taken for {TAKEN_FOR[kind]}: ")
    assert said.endswith(reading.sentence[1:])


def test_worth_is_learnt_where_scores_contradict_each_other():
    W, groups, _ = sl.datasets.make_partial_matching(20, 20, shuffled=0.3, random_state=0)
    S = np.triu(W * np.random.default_rng(0).random(W.shape))
    result = sl.solve(S + S.T, groups)
    assert (result.kind, result.reading) == ("graph", Reading.LEARNT)
    assert result.extend(S + S.T, groups).reading == Reading.LEARNT


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


def test_stability_is_how_long_labels_last():
    """Resolutions 16, 8, 4, 2, 1: in ln 2, each step reaches halfway to its neighbours."""
    resolutions = 2.0 ** np.arange(4, -1, -1)
    two, one = np.repeat([0, 1], 6), np.zeros(12)
    labels = tuple(step.astype(np.int32) for step in (np.arange(12), two, two, two, one))
    path = SweepPath(resolutions / (1 + resolutions), np.zeros(5), np.zeros(5), labels)
    expected = np.log(2) * np.array([0.5, 3, 3, 3, 0.5])
    np.testing.assert_allclose(path.stability, expected)


def test_labels_that_drift_are_not_called_the_same():
    """Neighbouring steps are nearly the same, the first and the last are not."""
    n_steps, n_items = 40, 400
    labels = [np.repeat([0, 1], n_items // 2).astype(np.int32)]
    for step in range(1, n_steps):
        labels.append(labels[-1].copy())
        labels[-1][step] = 1
    resolutions = 2.0 ** -np.arange(n_steps)
    alphas = resolutions / (1 + resolutions)
    path = SweepPath(alphas, np.zeros(n_steps), np.zeros(n_steps), tuple(labels))
    for at in (0, n_steps // 2, n_steps - 1):
        found = steady_steps(labels, at)
        scores = [pairwise_scores(labels[at], labels[step]).f_score for step in range(n_steps)]
        assert [step for step in range(n_steps) if scores[step] >= SAME] == list(found)
        assert at in found
        width = np.log(resolutions[found.start] / resolutions[found.stop - 1])
        assert width <= path.stability[at] <= width + np.log(2)
    assert len(steady_steps(labels, 0)) < n_steps / 2


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
