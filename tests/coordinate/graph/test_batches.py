"""Batches, pieces of large units, and what threads are given of them."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from spherelax.coordinate.graph.batches import N_BATCHES, Batches
from spherelax.coordinate.graph.graph import LARGE, build_graph
from spherelax.coordinate.machine import threads
from spherelax.problem import Problem

M = LARGE + 50


def chains(groups, *lengths):
    """Paths through items that follow each other, each with a similarity to the next."""
    ones = np.ones(len(groups) - 1)
    ones[np.cumsum(lengths)[:-1] - 1] = 0.0
    W = sp.csr_array(sp.diags_array([ones, ones], offsets=[-1, 1]))
    W.eliminate_zeros()
    return build_graph(Problem.check(W, groups))


def chain(groups):
    """A path through all items."""
    return chains(groups, len(groups))


def pieces(graph, n_threads):
    """What the threads are given of the batches of large components, in order."""
    found = []
    with Batches(graph, n_threads) as batches:
        for large in batches.large:
            for batch in large.batches:
                batches.share(large, batch, lambda *piece: found.append(piece[:2]))
    return sorted(piece for piece in found if piece[0] < piece[1])


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("n_groups", [M, 300, 7, 2])
def test_threads_get_every_position_once(n_groups, n_threads, monkeypatch):
    monkeypatch.setattr(threads, "WORTH_THREADS", 0)
    graph = chain(np.arange(M) % n_groups)
    found = pieces(graph, n_threads)
    assert found[0][0] == 0
    assert found[-1][1] == M
    assert all(one[1] == other[0] for one, other in pairwise(found))


@pytest.mark.parametrize("n_groups", [300, 7, 2])
def test_units_are_cut_only_if_they_are_larger_than_a_batch(n_groups, monkeypatch):
    """... and then at the same positions for any number of threads."""
    monkeypatch.setattr(threads, "WORTH_THREADS", 0)
    graph = chain(np.arange(M) % n_groups)
    inside = [
        {first for first, _ in pieces(graph, n_threads)} - set(graph.unit_ptr.tolist())
        for n_threads in (1, 2, 5)
    ]
    assert inside[0] == inside[1] == inside[2]
    n_pieces = -(-(M // n_groups) // (M // N_BATCHES))
    assert len(inside[0]) == n_groups * (n_pieces - 1)


@pytest.mark.parametrize("n_groups", [600, 3])
def test_units_that_are_cut_are_runs_of_their_own(n_groups):
    groups = np.arange(M) % n_groups
    groups[:40] = n_groups + np.arange(40)
    with Batches(chain(groups), n_threads=1) as batches:
        (large,) = batches.large
    assert len(large.cut) == (3 if n_groups == 3 else 0)
    runs = [run for batch in large.batches for run in large.runs[batch]]
    assert set(large.cut) <= set(runs)
    assert (runs[0][0], runs[-1][1]) == (0, M)
    assert [last for _, last in runs[:-1]] == [first for first, _ in runs[1:]]
    ends = {end for run in large.cut for end in run} | {end for b in large.batches for end in b}
    assert {end for run in runs for end in run} == ends


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_small_components_are_never_cut(n_threads, monkeypatch):
    monkeypatch.setattr(threads, "WORTH_THREADS", 0)
    lengths = [30, 1, M, 7, M, 200]
    graph = chains(np.arange(sum(lengths)), *lengths)
    assert np.diff(graph.component_ptr).tolist() == sorted(lengths)
    found = []
    with Batches(graph, n_threads) as batches:
        batches.share_small(lambda *part: found.append(part[:2]))
    assert [one.component for one in batches.large] == [4, 5]
    assert sorted(c for part in found for c in range(*part)) == [0, 1, 2, 3]
    visited = sorted(i for piece in pieces(graph, n_threads) for i in range(*piece))
    assert visited == [*range(238, 238 + 2 * M)]


def test_few_items_are_one_part():
    with Batches(chain(np.arange(40) % 2), n_threads=4) as batches:
        found = []
        batches.share_small(lambda *part: found.append(part))
    assert (batches.large, found) == ([], [(0, 1, 0)])


@pytest.mark.parametrize("n_threads", [1, 3])
def test_errors_of_the_work_are_raised(n_threads, monkeypatch):
    monkeypatch.setattr(threads, "WORTH_THREADS", 0)

    def fail(*_):
        raise IndexError("no such position")

    with (
        Batches(chain(np.arange(M)), n_threads) as batches,
        pytest.raises(IndexError, match="no such"),
    ):
        batches.share(batches.large[0], batches.large[0].batches[0], fail)
