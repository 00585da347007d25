"""Numbers about the labels, against slow and simple counts."""

import numpy as np
import pytest
import scipy.sparse as sp
from support.problems import with_confidence

import spherelax as sl
from spherelax.io.items import Items
from spherelax.io.words import KEYPOINTS
from spherelax.report.case import Case
from spherelax.report.inputs import describe_inputs
from spherelax.report.outcome import describe_outcome, least_certain


class Tracked(Items):
    """Items that are called keypoints."""

    words = KEYPOINTS


def test_outcome_is_that_of_a_slow_count(answer):
    items, result = answer
    W, labels = items.similarity, result.labels
    across = W * (1 - np.eye(len(W)))
    if items.groups is not None:
        names = np.array(items.groups)
        across = across * (names[:, None] != names)
    together = labels[:, None] == labels
    found = describe_outcome(Case.of(items, result))
    sizes = np.bincount(labels)
    assert found.n_labels == len(sizes)
    assert (found.n_single, found.largest) == ((sizes == 1).sum(), sizes.max())
    assert found.kept == pytest.approx(across[together].sum() / across.sum(), rel=1e-6)
    assert found.direct == np.count_nonzero(np.triu(across * together))
    assert found.direct + found.implied == np.triu(together, 1).sum()
    assert found.stability == result.path.stability[result.path.picked]
    assert found.n_unsure == (result.confidence < 0.1).sum()
    assert found.confidence == np.histogram(result.confidence, np.arange(11) / 10)[0].tolist()


def test_conflicts_and_groups_of_a_known_case(given):
    # a1 - b1 - a2 - b2 is one component with two items of each group.
    W = np.zeros((5, 5))
    for i, j, value in [(0, 1, 3.0), (2, 3, 3.0), (1, 2, 1.0)]:
        W[i, j] = W[j, i] = value
    groups = ["a", "b", "a", "b", "c"]
    case = given(W, groups)
    outcome = describe_outcome(case)
    assert outcome.split == 2
    assert (outcome.n_labels, outcome.n_single) == (3, 1)
    rows = {row.name: row for row in outcome.groups}
    assert outcome.groups[0] == rows["c"]
    assert rows["c"][:3] == ("c", 1, 0)
    assert rows["a"][:3] == ("a", 2, 2)


def test_free_items_are_in_no_group(given):
    W = np.kron(np.eye(2), np.ones((3, 3)))
    case = given(W, ["a", None, None, "a", "b", None])
    inputs = describe_inputs(case)
    assert (inputs.n_groups, inputs.n_free, inputs.inside) == (2, 3, 0)
    assert {row.name for row in describe_outcome(case).groups} == {"a", "b"}


def test_keypoints_in_no_track_are_not_listed():
    W = np.pad(np.kron(np.eye(3), np.ones((3, 3))), (0, 2))
    for items in (Items(W, None), Tracked(W, None)):
        result = with_confidence(sl.solve(W), np.linspace(0.9, 0.1, 11))
        rows = [row.item for row in least_certain(Case.of(items, result))]
        assert rows == [*range(8, -1, -1), *([10, 9] if items.words.counts_single else [])]


def test_least_certain_items_and_their_strongest_other_claim(answer):
    items, result = answer
    case = Case.of(items, result)
    rows = least_certain(case)
    is_single = (np.bincount(result.labels) == 1)[result.labels]
    several, single = (np.sort(result.confidence[of]) for of in (~is_single, is_single))
    worst = np.r_[several[several < 0.995], single[single < 0.995]]
    assert [row.confidence for row in rows] == worst[:25].tolist()
    entries = case.graph.values, case.graph.indices, case.graph.indptr
    graph = case.scale * sp.csr_array(entries, shape=(case.n_items,) * 2).toarray()
    for row in rows:
        item = row.item
        sums = np.bincount(result.labels, weights=graph[item])
        assert row.label == str(result.labels[item])
        assert row.own == pytest.approx(sums[result.labels[item]])
        sums[result.labels[item]] = -1
        assert row.other == pytest.approx(max(sums.max(), 0))
        if row.other_label is not None:
            witness = row.witness
            other = int(row.other_label)
            assert sums[other] == pytest.approx(sums.max())
            assert result.labels[witness] == other
            assert graph[item, witness] > 0
            held = np.flatnonzero(result.labels == other)
            if items.groups is not None:
                taken = items.groups[item] in [items.groups[i] for i in held]
                assert row.taken == taken
