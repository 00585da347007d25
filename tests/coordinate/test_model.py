"""A graph and a reading: the unit of resolutions, objectives, and parts of a problem."""

from functools import reduce

import numpy as np
import pytest
import scipy.sparse as sp
from support import twins

import spherelax as sl
from spherelax.coordinate.graph.account import Totals
from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.model import Facts
from spherelax.coordinate.readings import read_problem
from spherelax.coordinate.worth.block_model import Blocks
from spherelax.labels import renumber
from spherelax.problem import Problem


@pytest.mark.parametrize("grouped", [False, True])
def test_the_average_and_objectives_are_those_of_all_pairs(grouped, seed):
    rng = np.random.default_rng(seed)
    groups = rng.integers(12, size=40) if grouped else None
    W = rng.random((40, 40))
    model = read_problem(Problem.check(W + W.T, groups))
    assert model.graph.grouped == grouped
    S, n = twins.dense_similarity(model.graph), model.graph.weight.astype(float)
    apart = np.ones((40, 40), dtype=bool) if groups is None else groups[:, None] != groups
    pairs = np.triu(np.outer(n, n) * apart, 1).sum()
    assert model.average == pytest.approx(np.triu(S, 1).sum() / pairs)
    labels = renumber(np.arange(40) if grouped else rng.integers(6, size=40))
    for resolution in (0.3, 1.0, 7.0):
        found = model.objective(model.labeling(labels).account, resolution)
        expected = twins.discrete_objective(S, n, labels, resolution * model.average)
        assert found * model.average == pytest.approx(expected, abs=1e-4)


def test_without_similarities_the_average_is_one():
    model = read_problem(Problem.check(np.eye(4)))
    assert model.average == 1.0
    labels = np.arange(4, dtype=np.int32)
    assert model.labeling(labels).saving == 0.0


def two_parts(seed, *, weighted):
    """The model of two separate parts, the models of both, and labels of all items."""
    rng = np.random.default_rng(seed)
    parts = []
    for m in (30, 50):
        half = np.triu(rng.random((m, m)) < 0.3, 1)
        parts.append((half + half.T) * (rng.random((m, m)) if weighted else 1.0))
        parts[-1] = np.maximum(parts[-1], parts[-1].T)
    model = read_problem(Problem.check(sp.block_diag(list(map(sp.csr_array, parts))).toarray()))
    component = np.repeat([0, 1], np.diff(model.graph.component_ptr))
    labels = renumber(rng.integers(7, size=80) + 7 * component)
    return model, [np.flatnonzero(component == part) for part in (0, 1)], labels


@pytest.mark.parametrize("weighted", [False, True])
def test_parts_of_a_model_know_the_whole_and_add_up_to_it(weighted, seed):
    model, items, labels = two_parts(seed, weighted=weighted)
    parts = [model.among(some) for some in items]
    totals = reduce(Totals.plus, (part.count() for part in parts))
    assert totals.n_present == model.totals.n_present
    assert totals.n_pairs == pytest.approx(model.totals.n_pairs)
    for name in ("of_degree", "of_rank", "unexplained"):
        np.testing.assert_array_equal(getattr(totals, name), getattr(model.totals, name))
    accounts = [
        part.within(totals).labeling(renumber(labels[some])).account
        for part, some in zip(parts, items, strict=True)
    ]
    saving = parts[0].within(totals).description.saving(reduce(Blocks.plus, accounts))
    assert saving == model.labeling(labels).saving
    assert parts[0].within(totals).average == pytest.approx(model.average)


def test_facts_tell_what_the_degrees_of_a_graph_tell(seed):
    W, _ = sl.datasets.make_binary_similarity(80, 4, rewired=0.3, random_state=seed)
    W[0] = W[:, 0] = 1.0
    graph = build_graph(Problem.check(W))
    facts = Facts.of(graph)
    degrees = np.diff(graph.indptr)
    np.testing.assert_array_equal(facts.degrees, np.bincount(degrees))
    assert (facts.n_present, facts.n_entries) == (80, degrees.sum())
    assert not facts.are_uneven()
    assert Facts(np.bincount([31] * 5 + [1] * 45), 200).are_uneven()


def test_a_model_that_is_read_again_keeps_its_similarities(seed):
    W, _ = sl.datasets.make_binary_similarity(60, 3, rewired=0.3, random_state=seed)
    W[:3] = W[:, :3] = 1.0
    model = read_problem(Problem.check(W))
    corrected = model.reread(is_corrected=True)
    assert corrected.graph.weight.max() == 59.0
    plain = corrected.reread(is_corrected=False)
    np.testing.assert_array_equal(plain.graph.weight, 1.0)
    np.testing.assert_array_equal(plain.given.values, model.given.values)
