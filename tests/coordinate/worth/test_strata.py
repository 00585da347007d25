"""Scores of matches in strata: how many there are, what is inside labels, and what that saves."""

import numpy as np
import pytest

from spherelax.coordinate.graph import graph as graph_module
from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.worth.strata import MAX_STRATA, PAIRS_A_STRATUM, Strata, strata_saving
from spherelax.problem import Problem


def scored(seed, m=120, k=6):
    """Similarities of any order of magnitude, and labels."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(k), m // k)
    half = np.triu(np.exp(rng.normal(size=(m, m))) * (rng.random((m, m)) < 0.2), 1)
    return half + half.T, truth


def test_strata_save_what_a_table_of_shares_saves(seed):
    rng = np.random.default_rng(seed)
    n_pairs = np.array([40.0, 60.0, 100.0])
    inside = np.array([4.0, 15.0, 70.0])
    share, overall = inside / n_pairs, inside.sum() / n_pairs.sum()
    gained = inside * np.log(share / overall)
    gained += (n_pairs - inside) * np.log((1 - share) / (1 - overall))
    assert strata_saving(n_pairs, inside) == pytest.approx(gained.sum() - np.log(200.0))
    assert strata_saving(n_pairs, inside[::-1] / n_pairs[::-1] * n_pairs) == pytest.approx(0.0)
    assert strata_saving(n_pairs, n_pairs) == strata_saving(n_pairs, 0.0 * n_pairs) == 0.0
    noise = rng.binomial(100, 0.3, size=8).astype(float)
    assert strata_saving(np.full(8, 100.0), noise) < 3.0


def test_empty_strata_save_nothing():
    n_pairs, inside = np.array([40.0, 0.0, 100.0]), np.array([4.0, 0.0, 70.0])
    assert strata_saving(n_pairs, inside) == strata_saving(n_pairs[::2], inside[::2])
    assert strata_saving(np.zeros(3), np.zeros(3)) == 0.0


def test_pairs_inside_labels_are_counted(seed):
    W, truth = scored(seed)
    graph = build_graph(Problem.check(W))
    strata = Strata.of(graph)
    assert strata.n_pairs.sum() == np.count_nonzero(W) / 2
    assert strata.n_pairs.min() >= PAIRS_A_STRATUM - 1
    found = strata.inside(graph, truth[graph.given].astype(np.int32))
    same = W * (truth[:, None] == truth) / W.max()
    floors = np.r_[strata.floors, np.inf]
    expected = np.histogram(same[same > 0].astype(np.float32), floors)[0] / 2
    np.testing.assert_array_equal(found, expected)


def test_blocks_change_nothing(monkeypatch, seed):
    graph = build_graph(Problem.check(scored(seed)[0]))
    whole = Strata.of(graph)
    monkeypatch.setattr(graph_module, "BLOCK_ENTRIES", 37)
    for one, other in zip(whole, Strata.of(graph), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("n_pairs", "n_strata"),
    [
        (1.5 * PAIRS_A_STRATUM, 2),
        (5 * PAIRS_A_STRATUM, 5),
        (5.9 * PAIRS_A_STRATUM, 5),
        (1.5 * MAX_STRATA * PAIRS_A_STRATUM, MAX_STRATA),
    ],
)
def test_there_are_as_many_strata_as_pairs_fill(n_pairs, n_strata):
    n_pairs = int(n_pairs)
    m = 2 + int(np.sqrt(2.0 * n_pairs))
    W = np.zeros((m, m))
    one, other = np.triu_indices(m, 1)
    W[one[:n_pairs], other[:n_pairs]] = np.arange(1.0, n_pairs + 1.0)
    graph = build_graph(Problem.check(W + W.T))
    assert len(Strata.of(graph).n_pairs) == n_strata
