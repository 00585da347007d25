"""Numbers about the input, against slow and simple counts."""

from itertools import combinations

import numpy as np
import pytest

from spherelax.report.case import Case
from spherelax.report.inputs import describe_inputs, find_oddities


@pytest.fixture
def oddities(given):
    """What is odd, by its first words."""

    def found(similarity, groups=None, names=None):
        case = given(similarity, groups, names)
        return {
            odd.what: [example.said.format(*example.names) for example in odd.examples]
            for odd in find_oddities(case, describe_inputs(case))
        }

    return found


def test_inputs_are_those_of_a_slow_count(matching):
    items, result = matching
    W, groups = items.similarity, items.groups
    pairs = [(i, j) for i, j in combinations(range(len(W)), 2) if W[i, j] > 0]
    across = [W[i, j] for i, j in pairs if groups[i] != groups[j]]
    found = describe_inputs(Case.of(items, result))
    assert found.n_items == len(W)
    assert found.n_groups == len(set(groups))
    assert found.n_edges == len(across)
    assert found.inside == len(pairs) - len(across)
    assert (found.smallest, found.largest) == (min(across), max(across))
    assert found.median == np.median(across)
    linked = np.linalg.matrix_power(np.eye(len(W)) + (W > 0), len(W)) > 0
    components = {tuple(np.flatnonzero(row)) for row in linked}
    assert found.n_components == len(components)
    assert found.largest_component == max(map(len, components))
    conflicted = [one for one in components if len({groups[i] for i in one}) < len(one)]
    assert found.n_conflicted == len(conflicted) > 0


def test_every_oddity_is_found_and_only_where_it_is(oddities):
    W = np.kron(np.eye(2), np.ones((4, 4)))
    assert oddities(W) == {}
    alone = W.copy()
    alone[7, :7] = alone[:7, 7] = 0
    assert oddities(alone) == {"1 item similar to no other": ["7"]}
    huge = W.copy()
    huge[1, 2] = huge[2, 1] = 150
    expected = {"1 pair over 100 times as similar as the median pair": ["1 and 2"]}
    assert oddities(huge) == expected
    names = ["Ann", "b", "c", "d", "e", "f", "g", " ANN"]
    assert oddities(W, names=names) == {"1 item with the name of another": [" ANN"]}
    assert oddities(W, groups=[0, 1, 2, 3, 0, 1, 2, 3]) == {}
    two = oddities(W, groups=[0, 1, 2, 3, 0, 1, 2, 9])
    assert two == {"2 groups of one item": ["3", "9"]}
    inside = oddities(W, groups=[0, 0, 2, 3, 1, 1, 2, 3])
    assert inside["2 pairs of one group similar to each other"] == ["0 and 1", "4 and 5"]
    assert inside["2 connected components with two items of one group"] == [
        "4 items around 0",
        "4 items around 4",
    ]
