"""Links of records, from the tests of splink: no entity has two records of a source.

Left out: that of links that tie none is taken (one of them is better than none, as there is nothing
between them); and that a record whose best link is taken gets none (its second best is kept here).
"""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
from spherelax import baselines, io

# So few items look like noise.
pytestmark = pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")

# Sources a, b and c list records 0 to 8 in turn; the pair of 6 and 5 contradicts two better ones.
PAIRS = [(0, 1, 0.9), (1, 2, 0.7), (3, 5, 0.85), (4, 5, 0.9), (6, 5, 0.8), (6, 7, 0.7)]


def read(pairs, sources):
    """Pairs as splink lists them."""
    frame = {
        "source_dataset_l": [sources[a] for a, _, _ in pairs],
        "unique_id_l": [a for a, _, _ in pairs],
        "source_dataset_r": [sources[b] for _, b, _ in pairs],
        "unique_id_r": [b for _, b, _ in pairs],
        "match_probability": [p for _, _, p in pairs],
    }
    pandas = pytest.importorskip("pandas")
    return io.read_pairs(pandas.DataFrame(frame))


def entities(pairs, sources):
    """Entities by the ids of their records."""
    items = read(pairs, sources)
    answer = items.answer(sl.solve(items.problem))
    found = {}
    for record, entity in zip(answer["id"], answer["entity"], strict=True):
        found.setdefault(entity, set()).add(record)
    return list(found.values())


def test_links_that_contradict_no_better_one_are_kept():
    found = entities(PAIRS, "abcabcabc")
    assert {0, 1, 2} in found
    assert {3, 4, 5} in found


def test_of_two_equal_links_of_one_record_one_is_kept_at_most():
    found = entities([(0, 2, 0.9), (1, 2, 0.9)], "aab")
    assert not any({0, 1} <= records for records in found)


@pytest.mark.parametrize("method", [sl.solve, baselines.single_best_links])
def test_links_are_one_to_one(method, seed):
    rng = np.random.default_rng(seed)
    n, m = 200, 1500
    one, other = rng.integers(n, size=m), n + rng.integers(n, size=m)
    W = sp.coo_array((rng.uniform(0.5, 1.0, m), (one, other)), shape=(2 * n, 2 * n)).tocsr()
    W.data = np.minimum(W.data, 1.0)
    sources = np.repeat([0, 1], n)
    found = method(W + W.T, sources)
    labels = getattr(found, "labels", found)
    assert np.bincount(2 * labels + sources).max() == 1


@pytest.mark.parametrize("at", range(8))
def test_no_label_reaches_over_components(at):
    graph = nx.fast_gnp_random_graph(500, 0.001 * (1 + at / 2), seed=at)
    W = nx.to_scipy_sparse_array(graph, dtype=float, format="csr")
    component = np.empty(500, dtype=int)
    for items in nx.connected_components(graph):
        component[list(items)] = min(items)
    np.testing.assert_array_equal(baselines.union_find(W), sl.labels.renumber(component))
    labels = sl.solve(W).labels
    assert len(np.unique(np.c_[labels, component], axis=0)) == labels.max() + 1
