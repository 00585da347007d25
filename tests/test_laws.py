"""Laws of the docs' page on laws, on generated problems.

The number of cases is small here; `make fuzz` sets SPHERELAX_FUZZ to try many more.
"""

import os
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lawful
from spherelax.coordinate.graph.graph import build_graph
from spherelax.problem import Problem

FEW = 200
CASES = int(os.environ.get("SPHERELAX_FUZZ", FEW))
EXACT = ["permuted", "scaled", "risen", "renamed", "with_inside", "with_isolated"]
# Those of similarities by which labels are not described, but measured.
METRIC = ["points", "list"]

some = settings(
    max_examples=CASES // (len(EXACT) + 2),
    deadline=None,
    derandomize=CASES <= FEW,
    suppress_health_check=list(HealthCheck),
)
seeds = st.integers(0, 2**32 - 1)


def families(law):
    """The families of problems that a law is about."""
    if law in lawful.OF_GROUPS:
        return ["matching"]
    return [name for name in lawful.FAMILIES if law != "risen" or name not in METRIC]


def graph_of(case):
    """The graph of the items that are similar to any other."""
    return build_graph(Problem.check(case.W, case.groups, kind=case.kind)).present()


def is_open(one, other):
    """Tell whether items that cannot be told apart make one graph another one."""
    parts = ("indptr", "indices", "group", "component_ptr", "unit_ptr")
    return not all(np.array_equal(getattr(one, part), getattr(other, part)) for part in parts)


def check_labels_stay(law, case, rng, before=None):
    """Check that a law holds, unless items that cannot be told apart leave the order open."""
    changed = lawful.LAWS[law](case, rng)
    before, after = before or case.solve(), changed.solve()
    if law == "risen" and case.has_many_groups and "pairs" in (before.kind, after.kind):
        return  # in a list of candidates of several sources, sizes of scores count
    given, items = slice(None), changed.items
    if law == "permuted":
        one, other = graph_of(case), graph_of(changed)
        if is_open(one, other):
            return
        # Items may change places in a graph without making it another one.
        given, items = one.given, other.given
    assert lawful.are_same(before.labels[given], after.labels[items])
    assert before.status == after.status


@pytest.mark.slow
@pytest.mark.parametrize("law", EXACT)
@some
@given(seed=seeds, data=st.data())
def test_labels_stay(law, seed, data):
    rng = np.random.default_rng(seed)
    case = lawful.make_case(rng, data.draw(st.sampled_from(families(law))))
    check_labels_stay(law, case, rng)


@lru_cache(maxsize=1)
def solved(name):
    """Return a problem of many items, and its result."""
    case = lawful.LARGE[name](np.random.default_rng(0))
    return case, case.solve()


@pytest.mark.slow
@pytest.mark.parametrize("law", ["permuted", "with_isolated"])
@pytest.mark.parametrize("name", lawful.LARGE)
def test_labels_of_many_items_stay(name, law):
    case, before = solved(name)
    check_labels_stay(law, case, np.random.default_rng(1), before)


@pytest.mark.slow
@some
@given(seed=seeds, family=st.sampled_from(list(lawful.FAMILIES)))
def test_what_is_known_already_changes_nothing(seed, family):
    case = lawful.make_case(np.random.default_rng(seed), family)
    before = case.solve()
    assert lawful.are_same(before.labels, case.extend(before).labels)


@some
@given(seed=seeds, family=st.sampled_from(list(lawful.FAMILIES)))
def test_components_keep_their_order_whatever_lies_beside(seed, family):
    rng = np.random.default_rng(seed)
    case = lawful.make_case(rng, family)
    alone, among = (
        build_graph(Problem.check(one.W, one.groups)) for one in (case, lawful.beside(case, rng))
    )
    components = [
        {tuple(items.tolist()) for items in np.split(graph.given, graph.component_ptr[1:-1])}
        for graph in (alone, among)
    ]
    assert components[0] <= components[1]


def test_few_items_cannot_be_told_apart():
    """The order of a problem matters in few of them, so that the first law says something."""
    rng = np.random.default_rng(0)
    cases = [lawful.make_case(rng) for _ in range(100)]
    permuted = [lawful.permuted(case, rng) for case in cases]
    graphs = ((graph_of(one), graph_of(other)) for one, other in zip(cases, permuted, strict=True))
    assert sum(is_open(*both) for both in graphs) <= 10


def test_most_twins_join():
    """Of copies of items, nearly all get the label of the item."""
    joined = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        twin = lawful.with_twin(lawful.make_case(rng, "graph"), rng)
        labels = twin.solve().labels
        joined.append(labels[-1] == labels[twin.items[-1]])
    assert np.mean(joined) >= 0.9
