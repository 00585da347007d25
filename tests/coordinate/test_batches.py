"""Batches, pieces of large units, and what threads are given of them."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from spherelax.coordinate import batches as module
from spherelax.coordinate.batches import BATCHED_ITEMS, N_BATCHES, Batches
from spherelax.coordinate.graph import build_graph
from spherelax.problem import Problem

M = BATCHED_ITEMS + 50


def chain(groups):
    """A path through all items, each of which has a similarity to the next."""
    ones = np.ones(len(groups) - 1)
    return build_graph(
        Problem.check(sp.csr_array(sp.diags_array([ones, ones], offsets=[-1, 1])), groups)
    )


def pieces(graph, n_threads):
    """What the threads are given of every batch, in order."""
    found = []
    with Batches(graph, n_threads) as batches:
        for first, last in batches.spans:
            batches.share(first, last, lambda *piece: found.append(piece[:2]))
    return sorted(piece for piece in found if piece[0] < piece[1])


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("n_groups", [M, 300, 7, 1])
def test_threads_get_every_position_once(n_groups, n_threads, monkeypatch):
    monkeypatch.setattr(module, "WORTH_THREADS", 0)
    graph = chain(np.arange(M) % n_groups)
    found = pieces(graph, n_threads)
    assert found[0][0] == 0
    assert found[-1][1] == M
    assert all(one[1] == other[0] for one, other in pairwise(found))


@pytest.mark.parametrize("n_groups", [300, 7, 1])
def test_units_are_cut_only_if_they_are_larger_than_a_batch(n_groups, monkeypatch):
    """... and then at the same positions for any number of threads."""
    monkeypatch.setattr(module, "WORTH_THREADS", 0)
    graph = chain(np.arange(M) % n_groups)
    inside = [
        {first for first, _ in pieces(graph, n_threads)} - set(graph.unit_ptr.tolist())
        for n_threads in (1, 2, 5)
    ]
    assert inside[0] == inside[1] == inside[2]
    n_pieces = -(-(M // n_groups) // (M // N_BATCHES))
    assert len(inside[0]) == n_groups * (n_pieces - 1)


def test_few_items_are_one_batch_of_whole_units():
    graph = chain(np.arange(40) % 2)
    batches = Batches(graph, n_threads=4)
    assert not batches.is_batched
    assert (batches.spans, batches.n_threads) == ([(0, 40)], 1)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_errors_of_the_work_are_raised(n_threads, monkeypatch):
    monkeypatch.setattr(module, "WORTH_THREADS", 0)

    def fail(*_):
        raise IndexError("no such position")

    with (
        Batches(chain(np.arange(M)), n_threads) as batches,
        pytest.raises(IndexError, match="no such"),
    ):
        batches.share(*batches.spans[0], fail)
