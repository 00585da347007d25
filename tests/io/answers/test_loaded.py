"""Loaded results are extended as those that were saved."""

import numpy as np
import pytest
import scipy.sparse as sp
from support.problems import candidates, quiet_solve

import spherelax as sl
from spherelax import io
from spherelax.io import load_result, save_result
from spherelax.io.answers.loaded import KNOWN
from spherelax.io.answers.packed import pack, unpack


def blocks(sizes=(12, 9, 7, 5), *, uneven=0.0, scored=False, seed=0):
    """A sparse graph with labels in random order; its degrees may be uneven, and weights tell."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    same, rate = truth[:, None] == truth, rng.pareto(1.5, len(truth)) + 0.3
    chance = np.where(same, 0.8, 0.05)
    if uneven:
        chance = uneven * np.outer(rate, rate) * np.where(same, 1.0, 0.05)
    half = np.triu(rng.random(same.shape) < chance, 1)
    W = half * (1.0 + scored * (same + rng.random(same.shape)))
    return sp.csr_array(W + W.T)


def odds(seed=0):
    """Log odds of 40 items, about right."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(8, size=40)
    half = np.triu(np.where(truth[:, None] == truth, 2.0, -2.0) + rng.normal(0, 1, (40, 40)), 1)
    return half + half.T


def matches(*, scored=False):
    """Matches between nine images, some of them wrong."""
    W, groups, _ = sl.datasets.make_partial_matching(
        9, 6, observed=0.8, shuffled=0.1, random_state=1
    )
    noise = np.triu(np.random.default_rng(0).uniform(0.5, 1.0, W.shape), 1)
    return (W * (noise + noise.T) if scored else W), groups


def two_sources(n_entities=60, seed=0):
    """Scored candidates between two sources, whose items take turns."""
    rng = np.random.default_rng(seed)
    shape = (n_entities, n_entities)
    scores = np.where(rng.random(shape) < 0.1, rng.beta(2, 5, shape), 0.0)
    scores[np.diag_indices(n_entities)] = rng.beta(6, 2, n_entities)
    W = np.zeros((2 * n_entities, 2 * n_entities))
    W[::2, 1::2] = scores
    return sp.csr_array(W + W.T), np.tile([0, 1], n_entities)


def copies(n_things=12, n_groups=8):
    """Matches of which the first group holds each thing twice."""
    groups = np.r_[np.zeros(n_things, int), np.arange(n_groups).repeat(n_things)]
    things = np.tile(np.arange(n_things), n_groups + 1)
    return (things[:, None] == things) - np.eye(len(things)), groups


# Similarities and groups of known and new items, what `solve` is told, and what it then finds.
CASES = {
    "plain": (blocks(), None, {"kind": "graph"}, "plain"),
    "ranked": (blocks(scored=True), None, {"kind": "graph"}, "ranked"),
    "corrected": (blocks((80, 60, 40), uneven=0.1), None, {"kind": "graph"}, "corrected"),
    "neighbors": (blocks(scored=True, seed=2), None, {"kind": "neighbors"}, "ranked"),
    "matches": (*matches(), {}, "plain"),
    "scores": (*matches(scored=True), {}, "learnt"),
    "copies": (*copies(), {"one_per_group": "unless_copies"}, "plain"),
    "odds": (odds(), None, {"kind": "odds"}, "log_odds"),
    "information": (odds().clip(0.0), None, {"kind": "information"}, "log_odds"),
    "list": (candidates()[0], None, {"kind": "pairs"}, "log_odds"),
    "two sources": (*two_sources(), {"kind": "pairs"}, "log_odds"),
    "chosen": (blocks(scored=True), None, {"kind": "graph", "pick": 3.0}, "ranked"),
}


@pytest.fixture(scope="module", params=CASES)
def case(request, tmp_path_factory):
    """Similarities and groups with new items, a result without these, and the same from a file."""
    W, groups, told, reading = CASES[request.param]
    n_known = W.shape[0] * 9 // 10
    known = None if groups is None else groups[:n_known]
    result = quiet_solve(W[:n_known, :n_known], known, **told)
    assert result.reading.name.lower() == reading
    path = tmp_path_factory.mktemp("saved") / "result.npz"
    save_result(path, result)
    return W, groups, result, path


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
def test_a_loaded_result_is_extended_like_the_saved_one(case):
    W, groups, result, path = case
    there, here = load_result(path).extend(W, groups), result.extend(W, groups)
    np.testing.assert_array_equal(there.labels, here.labels)
    np.testing.assert_array_equal(there.confidence, here.confidence)
    for name in ("status", "kind", "reading", "resolution"):
        assert getattr(there, name) == getattr(here, name)
    for one, other in zip(there.duplicates(), here.duplicates(), strict=True):
        assert (one.group, one.expected, one.is_clear) == (
            other.group,
            other.expected,
            other.is_clear,
        )
    assert (there.embedding() != here.embedding()).nnz == 0


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
def test_a_loaded_result_assigns_like_the_saved_one(case):
    W, groups, result, path = case
    loaded = load_result(path)
    there, here = loaded.assign(W, groups), result.assign(W, groups)
    np.testing.assert_array_equal(there.labels, here.labels)
    np.testing.assert_array_equal(there.confidence, here.confidence)
    np.testing.assert_array_equal(loaded.confidence, result.confidence)


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
def test_known_items_move_if_their_similarities_have_changed(case):
    W, groups, result, path = case
    apart = sp.lil_array(W)
    others = np.flatnonzero(result.labels == result.labels[0])[1:]
    apart[0, others] = apart[others, 0] = 0.0  # the first item loses its label
    changed = sp.csr_array(apart)
    there, here = load_result(path).extend(changed, groups), result.extend(changed, groups)
    np.testing.assert_array_equal(there.labels, here.labels)


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
def test_what_was_loaded_or_extended_is_saved_again(case, tmp_path):
    W, groups, result, path = case
    save_result(tmp_path / "again.npz", load_result(path))
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()
    n_some = len(result.labels) + 2
    some = W[:n_some, :n_some], None if groups is None else groups[:n_some]
    save_result(tmp_path / "some.npz", load_result(path).extend(*some))
    there = load_result(tmp_path / "some.npz").extend(W, groups)
    np.testing.assert_array_equal(there.labels, result.extend(*some).extend(W, groups).labels)


def test_another_step_is_extended_too(tmp_path):
    W = blocks(scored=True)
    result = sl.solve(W[:28, :28], kind="graph")
    save_result(tmp_path / "result.npz", result)
    loaded = load_result(tmp_path / "result.npz")
    for resolution in (0.5, 8.0):
        there, here = loaded.at(resolution).extend(W), result.at(resolution).extend(W)
        np.testing.assert_array_equal(there.labels, here.labels)


def test_the_file_holds_no_similarities(tmp_path):
    W = sp.block_diag([sp.csr_array(np.ones((100, 100)))] * 3, format="csr")
    save_result(tmp_path / "result.npz", sl.solve(W, kind="graph"))
    packed = io.read_arrays(tmp_path / "result.npz")[KNOWN]
    assert len(packed) < 8 * W.shape[0] + 2000


@pytest.mark.parametrize("method", ["extend", "assign"])
def test_files_without_what_is_needed_are_loaded_but_not_extended(tmp_path, method):
    """Those of older versions, and of other forms."""
    W, path = np.kron(np.eye(2), np.ones((3, 3))), tmp_path / "result.npz"
    result = sl.solve(W)
    save_result(path, result)
    saved = io.read_arrays(path)
    packed = saved.pop(KNOWN)
    for others in ({}, {"known_99": packed}):
        np.savez(path, **saved, **others)
        loaded = load_result(path)
        np.testing.assert_array_equal(loaded.confidence, result.confidence)
        with pytest.raises(sl.InvalidInputError, match=r"found one that was loaded from a file$"):
            getattr(loaded, method)(W)


def test_points_are_refused(tmp_path):
    X = np.random.default_rng(0).normal(size=(200, 2)) + 8 * np.arange(2).repeat(100)[:, None]
    graph = sl.similarity.neighbor_graph(X)
    save_result(tmp_path / "result.npz", sl.solve(graph))
    with pytest.raises(sl.InvalidInputError, match="found one of points that was loaded from"):
        load_result(tmp_path / "result.npz").extend(graph)


def shorter(packed):
    """Keep what must be known of all items but the last."""
    known = unpack(packed.tobytes())["known"]
    content = pack({"known": known._replace(keys=known.keys[:-1])})
    return np.frombuffer(content, dtype=np.uint8)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda packed: packed[: len(packed) // 2], "not a readable .npz file; "),
        (lambda packed: packed[:0], "not a readable .npz file; "),
        (lambda packed: np.r_[packed[:200], packed[200:] ^ 1], "not a readable .npz file; "),
        (lambda _: np.frombuffer(pack({"other": 1}), np.uint8), "not a readable .npz file; "),
        (lambda _: np.frombuffer(pack({"known": 1}), np.uint8), "not a readable .npz file; "),
        (shorter, f"not a saved result; {KNOWN} must be of 12 items; found 11"),
        (lambda packed: packed.astype(float), f"not a saved result; {KNOWN} has dtype float64"),
    ],
)
def test_damage_is_told_in_one_sentence(tmp_path, damage, message):
    W, path = np.kron(np.eye(3), np.full((4, 4), 5.0)) + 0.5, tmp_path / "result.npz"
    save_result(path, sl.solve(W))
    saved = io.read_arrays(path)
    np.savez(path, **saved | {KNOWN: damage(saved[KNOWN])})
    with pytest.raises(sl.InvalidInputError) as caught:
        load_result(path).extend(W)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


def test_warnings_of_a_loaded_result_point_at_the_caller(tmp_path):
    save_result(tmp_path / "result.npz", quiet_solve(np.eye(3)))
    with pytest.warns(sl.SphereWarning, match="No item is similar") as caught:
        load_result(tmp_path / "result.npz").extend(np.eye(4))
    assert caught[0].filename == __file__
