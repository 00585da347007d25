"""Neighbour graphs that come as graphs: recognised, and cut where their borders are thin."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score
from support.lists import entities

import spherelax as sl
from spherelax.coordinate.graph import build_graph
from spherelax.coordinate.points.borders import LARGEST, SMALLEST, PatchLaw
from spherelax.problem import Problem


def relative(X, k=12):
    """Join points to their nearest; the nearest of each has weight 1, as umap makes it."""
    W = sl.similarity.nearest_neighbors(X, n_neighbors=k)
    scaled = sp.diags_array(1.0 / W.max(axis=1).toarray().ravel()) @ W
    return sp.csr_array(scaled.maximum(scaled.T))


@pytest.fixture(scope="module")
def cells():
    X, truth = make_blobs(1500, n_features=8, centers=6, center_box=(-4, 4), random_state=0)
    W = relative(X)
    return W, truth, sl.solve(W)


def test_cells_are_recognised_and_found(cells):
    _, truth, result = cells
    assert result.status is sl.Status.BORDERS
    assert adjusted_rand_score(truth, result.labels) > 0.9


def test_the_order_of_clear_cells_does_not_matter(cells):
    W, _, result = cells
    order = np.random.default_rng(1).permutation(W.shape[0])
    shuffled = sl.solve(sp.csr_array(W[order][:, order])).labels
    assert adjusted_rand_score(result.labels[order], shuffled) > 0.9


def ring(gap=None, m=400):
    """A circle of items, each joined to the next four; a thin place after item ``gap - 1``."""
    W = sum(np.eye(m, k=k) + np.eye(m, k=k - m) for k in (1, 2))
    if gap is not None:
        W[gap - 1, gap : gap + 2] = 0.0
    return W + W.T


def arcs(size, m=400):
    return np.arange(m, dtype=np.int32) // size


def law_of(W, sizes):
    """The law of patches of a graph in the order of W, and labelings of arcs."""
    graph = build_graph(Problem.check(W), given=np.arange(len(W), dtype=np.int32))
    labelings = [arcs(size) for size in sizes]
    return PatchLaw.of(graph, labelings, n_cells=len(W)), labelings


def test_patches_of_a_ring_follow_the_law():
    """An arc of s items has 4 s edge ends, of which 6 leave it: a line of slope -1."""
    law, _ = law_of(ring(), (10, 20, 25, 40))
    for one, size in zip(law.patches, (10, 20, 25, 40), strict=True):
        np.testing.assert_allclose(one.edges, 4.0 * size)
        np.testing.assert_allclose(one.leaving, 6.0)
        assert one.share_leaving == pytest.approx(6.0 / (4.0 * size))
        assert SMALLEST <= np.exp(one.mean_size) <= LARGEST * (1 + 1e-9)
    slope, offset = law.line
    assert (slope, np.exp(offset)) == pytest.approx((-1.0, 1.5))
    assert law.loss == pytest.approx(1.5 / LARGEST)
    assert law.clearest() is None


def test_evidence_is_what_labels_save_beyond_patches():
    """By the formula of the module, for halves of a ring that one thin place separates."""
    W = ring(gap=200)
    law, labelings = law_of(W, (10, 20, 200))
    ends = [W[labelings[-1] == a].sum() for a in range(2)]
    leaving = W[:200, 200:].sum()
    share = np.exp(np.polyval(law.line, np.log(200.0))) * np.sqrt(0.5)
    saved = sum((v * share - leaving) * np.log(sum(ends) / v) for v in ends) / sum(ends)
    assert law.evidence.tolist() == [-np.inf, -np.inf, pytest.approx(saved)]


def test_one_cloud_is_one_label(seed):
    W = relative(np.random.default_rng(seed).normal(size=(1200, 4)))
    with pytest.warns(sl.SphereWarning):
        result = sl.solve(W)
    assert (result.n_labels, result.status) == (1, sl.Status.NOISE)


def overlapping(n_dimensions, seed):
    """Six clusters whose neighbours are about as far away as everything else."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(6, size=900)
    return 0.45 * rng.normal(size=(6, n_dimensions))[truth] + rng.normal(
        size=(900, n_dimensions)
    ), truth


def test_clusters_of_many_dimensions_are_found(seed):
    X, truth = overlapping(60, seed)
    result = sl.SphereClustering().fit(X).result_
    assert result.status is sl.Status.BORDERS
    assert adjusted_rand_score(truth, result.labels) > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("n_dimensions", [20, 60])
def test_one_cloud_of_many_dimensions_is_one_label(n_dimensions, seed):
    X = np.random.default_rng(seed).normal(size=(900, n_dimensions))
    assert sl.SphereClustering().fit(X).n_clusters_ == 1
    with pytest.warns(sl.SphereWarning):
        assert sl.solve(relative(X)).n_labels == 1


def half_hidden(n_dimensions, seed):
    """Three clusters of about eight dimensions: edges bridge most of the valleys between them."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=900)
    means = 2.2 * np.eye(3, n_dimensions)
    return means[truth] + rng.normal(size=(900, n_dimensions)), truth


def test_clusters_between_slight_valleys_are_found(seed):
    X, truth = half_hidden(8, seed)
    result = sl.SphereClustering().fit(X).result_
    assert result.status is sl.Status.BORDERS
    assert result.n_labels == 3
    assert adjusted_rand_score(truth, result.labels) > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("n_dimensions", [4, 6, 9])
def test_a_long_cloud_is_one_label_or_in_doubt(n_dimensions, seed):
    X = np.random.default_rng(seed).normal(size=(900, n_dimensions))
    X[:, 0] *= 4.0
    result = sl.SphereClustering().fit(X).result_
    assert result.n_labels <= 2
    assert result.confidence.mean() < 0.8


def test_precomputed_neighbours_are_recognised(cells):
    model = sl.SphereClustering(affinity="precomputed").fit(cells[0])
    assert model.result_.status is sl.Status.BORDERS


def test_weights_of_karate_do_not_hide_its_clubs():
    graph = nx.karate_club_graph()
    weighted, plain = (
        sl.solve(sl.io.from_graph(graph, weight=weight).problem) for weight in ("weight", None)
    )
    assert weighted.n_labels == plain.n_labels == 2
    assert np.mean(weighted.labels != plain.labels) < 0.1


def canonical(labels):
    """Number labels in order of first appearance."""
    return np.unique(labels, return_index=True)[1][np.unique(labels, return_inverse=True)[1]]


def listed():
    """A list of candidates, as similarities without groups."""
    pairs, _ = entities(0, n=80)
    score = pairs.score - pairs.score.min() + 0.1
    W = sp.coo_array((score, (pairs.one, pairs.other)), shape=(pairs.n_items,) * 2).tocsr()
    return W + W.T, None


def planted():
    """Clusters with noise."""
    W = sl.datasets.make_binary_similarity(80, 4, rewired=0.4, random_state=0)[0]
    return sp.csr_array(W), None


def matched():
    """Matches between eight groups, half of them shuffled."""
    W, groups, _ = sl.datasets.make_partial_matching(8, 12, shuffled=0.5, random_state=0)
    return sp.csr_array(W), groups


@pytest.mark.slow
@settings(max_examples=9, deadline=None)
@given(
    n_alone=st.sampled_from([1, 70, 5000]),
    make=st.sampled_from([listed, planted, matched]),
    seed=st.integers(0, 9),
)
def test_items_without_similarity_change_nothing(n_alone, make, seed):
    W, groups = make()
    rng, m = np.random.default_rng(seed), W.shape[0] + n_alone
    place = np.sort(rng.permutation(m)[: W.shape[0]])
    pairs = W.tocoo()
    among = sp.csr_array((pairs.data, (place[pairs.row], place[pairs.col])), shape=(m, m))
    everyone = None
    if groups is not None:
        everyone = rng.integers(groups.max() + 1, size=m)
        everyone[place] = groups
    alone, beside = sl.solve(W, groups).labels, sl.solve(among, everyone).labels
    np.testing.assert_array_equal(canonical(beside[place]), canonical(alone))


def test_a_neighbour_graph_with_groups_keeps_them_apart():
    X = np.random.default_rng(0).normal(size=(300, 2))
    groups = np.arange(300) % 100
    result = sl.solve(relative(X), groups, kind="neighbors")
    assert result.status is not sl.Status.BORDERS
    assert len(set(zip(groups.tolist(), result.labels.tolist(), strict=True))) == 300


@pytest.mark.parametrize("n", [500, 1500])
def test_a_finer_sample_of_moons_is_still_two(n):
    X, truth = make_moons(n, noise=0.05, random_state=1)
    assert adjusted_rand_score(truth, sl.SphereClustering().fit(X).labels_) > 0.99


NOTHING = np.zeros((3, 3))


@pytest.mark.parametrize(
    ("W", "kind"),
    [(NOTHING, None), (NOTHING, "neighbors"), (sl.similarity.NeighborGraph(NOTHING), None)],
)
def test_without_any_edge_all_items_are_alone(W, kind):
    with pytest.warns(sl.SphereWarning):
        result = sl.solve(W, kind=kind)
    assert result.status == sl.Status.ISOLATED
    assert result.n_labels == 3
