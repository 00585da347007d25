"""The evidence for labels of graphs: sums to one over all graphs, and the formula written out."""

from itertools import combinations, product
from math import comb, exp, inf, lgamma, log

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import logsumexp

import spherelax as sl
from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.readings import read_problem
from spherelax.coordinate.worth.block_model import BlockModel, Blocks, Degrees, log_choose, log_ways
from spherelax.labels import renumber
from spherelax.problem import Problem


def factorial(n):
    """The logarithm of n factorial."""
    return lgamma(n + 1)


def choose(n, k):
    """The logarithm of the number of ways to choose k of n."""
    return factorial(n) - factorial(k) - factorial(n - k)


def sums(n):
    """The logarithm of the number of ways to write n as a sum, by Hardy and Ramanujan."""
    return log(max(n, 1)) if n <= 3 else np.pi * np.sqrt(2 * n / 3) - log(4 * np.sqrt(3) * n)


def placed(e, p, z):
    """Which e of p pairs are listed."""
    return -choose(p, e) - (e * log(z / p) if e else 0.0) if p else 0.0


def log_listed(A, labels, *, is_corrected, by_degree):
    """The log probability of a graph without isolated items by one of the four models."""
    N = len(A)
    k = A.sum(axis=1).astype(int)
    weight = k if is_corrected else np.ones(N, dtype=int)
    pairs = list(combinations(range(N), 2))
    listed = [bool(A[i, j]) for i, j in pairs]
    E, P, Z = sum(listed), len(pairs), sum(weight[i] * weight[j] for i, j in pairs)
    of_label = []
    for c in np.unique(labels):
        inside = [n for n, (i, j) in enumerate(pairs) if labels[i] == labels[j] == c]
        e, z = (
            sum(listed[n] for n in inside),
            sum(weight[i] * weight[j] for i, j in (pairs[n] for n in inside)),
        )
        of_label.append((e, len(inside), z, weight[labels == c].sum()))
    e, p, z = (sum(each[n] for each in of_label) for n in range(3))
    found = -log(P + 1)
    if is_corrected:
        counts = np.bincount(k)
        histogram = sum(map(factorial, counts)) - factorial(N) - sums(2 * E)
        found += np.logaddexp(-choose(2 * E - 1, N - 1), histogram) - log(2)
        for d in k:
            rest = N - 1 - d
            found += d * log(d) - choose(N - 1, d) - d * log(d / (N - 1))
            found -= rest * log(rest / (N - 1)) if rest else 0.0
    expected = E * z // Z
    if e < expected:
        return -inf
    found -= log(min(E, p) - expected + 1)
    if by_degree:
        total = sum(z / size for _, _, z, size in of_label)
        found += factorial(e) - sum(factorial(each[0]) for each in of_label)
        for e_r, p_r, z_r, size in of_label:
            found += (e_r * log(z_r / size / total) if e_r else 0.0) + placed(e_r, p_r, z_r)
    else:
        found += placed(e, p, z)
    return found + placed(E - e, P - p, Z - z)


def evidence(A, labels):
    """The log probability of a graph with labels, the mean of the four models, less that of one."""

    def mean(labels):
        models = product([False, True], repeat=2)
        return logsumexp(
            [log_listed(A, labels, is_corrected=a, by_degree=b) for a, b in models]
        ) - log(4)

    one = mean(np.zeros_like(labels))
    sizes = np.bincount(labels)
    ways = (
        factorial(len(labels))
        - sum(map(factorial, sizes))
        - sum(map(factorial, np.bincount(sizes)[1:]))
    )
    return mean(labels) - one - ways, one


def random_graph(rng, m, share):
    """A graph without isolated items."""
    while True:
        half = np.triu(rng.random((m, m)) < share, 1)
        A = (half | half.T).astype(float)
        if A.any(axis=0).all():
            return A


def test_savings_are_what_the_formula_says(seed):
    rng = np.random.default_rng(seed)
    for m, share in ((6, 0.5), (12, 0.3), (30, 0.15)):
        A = random_graph(rng, m, share)
        model = read_problem(Problem.check(A))
        A = A[np.ix_(model.graph.given, model.graph.given)]
        for k in (2, 3, m // 2):
            labels = renumber(rng.integers(k, size=m))
            expected = evidence(A, labels)[0]
            if np.isfinite(expected):
                assert model.labeling(labels).saving == pytest.approx(expected, abs=1e-6)
            else:  # labels that attract less than any say nothing, and cost as much as they do
                assert model.labeling(labels).saving == pytest.approx(
                    -log_ways(np.bincount(np.bincount(labels)))
                )


@pytest.mark.parametrize("labels", [[0, 0, 1, 1, 1], [0, 0, 0, 0, 1], [0, 0, 1, 1, 2]])
def test_probabilities_of_all_graphs_sum_to_at_most_one(labels):
    labels, pairs = np.array(labels, dtype=np.int32), list(combinations(range(5), 2))
    total, total_of_two = 0.0, 0.0
    coarse = np.minimum(labels, 1)
    for listed in product([0.0, 1.0], repeat=len(pairs)):
        A = np.zeros((5, 5))
        for (i, j), value in zip(pairs, listed, strict=True):
            A[i, j] = A[j, i] = value
        if not A.any(axis=0).all():
            continue
        model = read_problem(Problem.check(A))
        here = model.graph.given
        found = model.labeling(renumber(labels[here]))
        log_one = evidence(A, labels)[1]
        ways = log_ways(found.account.of_size)
        if abs(found.saving + ways) > 1e-9:  # not those that are excluded
            total += exp(found.saving + ways + log_one)
        if labels.max() == 2:
            outer = model.labeling(renumber(coarse[here])).account
            of_number = np.bincount([1, 2])
            nats = model.description.saving_of_two(found.account, outer, of_number)
            cost = ways + log_ways(of_number) + sums(3)
            if abs(nats + cost) > 1e-9:
                total_of_two += exp(nats + cost + log_one)
    assert 0.3 < total <= 1.0
    assert total_of_two <= 1.0


def planted(seed, *, m=120, n_clusters=4, weighted=False):
    """A planted similarity, its model, and the true labels."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_clusters, size=m)
    same = truth[:, None] == truth
    half = np.triu(rng.random((m, m)) < np.where(same, 0.5, 0.04), 1)
    sizes = np.exp(rng.normal(size=(m, m)) + same) if weighted else 1.0
    W = half * sizes
    model = read_problem(Problem.check(W + W.T))
    return model, renumber(truth[model.graph.given])


@pytest.mark.parametrize("weighted", [False, True])
def test_true_labels_beat_one_label_and_any_others(weighted, seed):
    model, truth = planted(seed, weighted=weighted)
    rng = np.random.default_rng(seed)
    saving = model.labeling(truth).saving
    assert saving > 0
    for trivial in (np.zeros(120, dtype=np.int32), np.arange(120, dtype=np.int32)):
        assert model.labeling(trivial).saving == 0.0
    for _ in range(20):
        assert model.labeling(renumber(rng.permutation(truth))).saving < 0
    for n_wrong in (10, 30):
        worse = truth.copy()
        worse[:n_wrong] = rng.permutation(worse[:n_wrong])
        assert model.labeling(renumber(worse)).saving < saving


@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_of_parts_add_up_to_the_same_bits(weighted, seed):
    rng = np.random.default_rng(seed)
    parts = []
    for m in (30, 50):
        half = np.triu(rng.random((m, m)) < 0.3, 1) * (rng.random((m, m)) if weighted else 1.0)
        parts.append(half + half.T)
    model = read_problem(Problem.check(sp.block_diag(parts).toarray()))
    component = np.repeat([0, 1], np.diff(model.graph.component_ptr))
    labels = renumber(rng.integers(7, size=80) + 7 * component)
    one = model.labeling(labels).account
    both = [
        model.among(some).labeling(renumber(labels[some])).account
        for some in (np.flatnonzero(component == part) for part in (0, 1))
    ]
    for found in (both[0].plus(both[1]), both[1].plus(both[0])):
        for a, b in zip(found, one, strict=True):
            np.testing.assert_array_equal(a, b)


def test_threads_count_the_same(monkeypatch, seed):
    model, truth = planted(seed, weighted=True)
    one = Blocks.of(model.graph, model.entries.bins, truth)
    monkeypatch.setattr("spherelax.coordinate.machine.threads.WORTH_THREADS", 1)
    for a, b in zip(one, Blocks.of(model.graph, model.entries.bins, truth, 3), strict=True):
        np.testing.assert_array_equal(a, b)


def test_items_without_similarities_change_nothing(seed):
    model, truth = planted(seed)
    W = np.zeros((130, 130))
    rows = model.graph.rows()
    W[rows, model.graph.indices] = model.graph.values
    larger = read_problem(Problem.check(W))
    labels = np.r_[truth, truth.max() + 1 + np.arange(10)]
    found = larger.labeling(renumber(labels[larger.graph.given])).saving
    assert found == pytest.approx(model.labeling(truth).saving)


def test_three_rates_are_likelier_where_there_are_two_levels(seed):
    rng = np.random.default_rng(seed)
    fine = np.repeat(np.arange(16, dtype=np.int32), 12)
    coarse = fine // 4
    rate = np.where(coarse[:, None] == coarse, 0.2, 0.02)
    half = np.triu(rng.random(rate.shape) < np.where(fine[:, None] == fine, 0.8, rate), 1)
    model = read_problem(Problem.check((half | half.T).astype(float)))
    given = model.graph.given
    accounts = [model.labeling(renumber(each[given])).account for each in (fine, coarse)]
    description = model.description
    assert isinstance(description, BlockModel)
    two = description.saving_of_two(*accounts, np.bincount([4] * 4))
    assert two > max(map(description.saving, accounts))
    any_four = model.labeling(
        renumber(rng.permutation(16)[fine].astype(np.int32)[given] // 4)
    ).account
    assert description.saving_of_two(accounts[0], any_four, np.bincount([4] * 4)) < two


def test_ways_to_choose_are_exact():
    n, k = np.array([(n, k) for n in range(150) for k in range(n + 1)], dtype=float).T
    exact = [log(comb(int(a), int(b))) for a, b in zip(n, k, strict=True)]
    np.testing.assert_allclose(log_choose(n, k), exact, atol=1e-11)
    # of 10^15 things, where logarithms of factorials have no digits left
    assert float(log_choose(1e15, 3.0)) == pytest.approx(3 * log(1e15) - log(6), abs=1e-9)


def uneven(degrees):
    degrees = degrees[degrees > 0].astype(int)
    return Degrees.of(np.bincount(degrees)).are_uneven(len(degrees))


@pytest.mark.parametrize("m", [50, 400])
def test_only_broad_degrees_are_uneven(m, seed):
    rng = np.random.default_rng(seed)
    for mean in (4, 10):
        assert not uneven(np.full(m, mean))
        assert not uneven(rng.binomial(m - 1, mean / (m - 1), m))
        assert uneven(np.minimum((rng.pareto(1.5, m) + 0.5) * mean, m - 1))
    assert not Degrees.of(np.bincount([0, 0])).are_uneven(0)


def test_small_labels_are_denser_where_degrees_are_the_same(seed):
    """Sizes 8 to 100, each item with six right neighbours: one density would miss small labels."""
    rng = np.random.default_rng(seed)
    sizes = [8, 8, 8, 10, 12, 15, 25, 50, 100]
    truth = np.repeat(np.arange(len(sizes)), sizes)
    rate = np.minimum(6.0 / (np.array(sizes) - 1), 0.95)[truth]
    chance = np.where(truth[:, None] == truth, rate[:, None], 1.5 / len(truth))
    half = np.triu(rng.random(chance.shape) < chance, 1)
    result = sl.solve((half | half.T).astype(float), kind="graph")
    assert sl.metrics.pairwise_scores(truth, result.labels).f_score > 0.85


def test_many_small_labels_are_found_among_as_many_wrong_links(seed):
    """Entities of two or three items; every second link joins two at random."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(400), rng.integers(2, 4, 400))
    m = len(truth)
    right = np.triu((truth[:, None] == truth) & (rng.random((m, m)) < 0.9), 1)
    wrong = np.zeros((m, m), dtype=bool)
    wrong[tuple(rng.integers(m, size=(2, int(right.sum()))))] = True
    W = sp.csr_array(np.triu(right | wrong | wrong.T, 1).astype(float))
    result = sl.solve(W + W.T)
    scores = [sl.metrics.pairwise_scores(truth, labels).f_score for labels in result.path.labels]
    assert sl.metrics.pairwise_scores(truth, result.labels).f_score > max(scores) - 0.05
    assert max(scores) > 0.8


def test_an_empty_graph_has_no_evidence():
    graph = build_graph(Problem.check(np.eye(4)))
    model = read_problem(Problem.check(np.eye(4)), graph)
    assert model.labeling(np.array([0, 0, 1, 1], dtype=np.int32)).saving == 0.0
