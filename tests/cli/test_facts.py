"""Facts about a file against slow and simple ones."""

import numpy as np
import pytest
from support.program import BLOCKS

from spherelax import io
from spherelax.cli.facts import facts


def test_facts_against_slow_and_simple_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((30, 30)) * (rng.random((30, 30)) < 0.04), 1)
    upper[:, 7] = upper[7] = 0
    groups = [None if group == 9 else int(group) for group in rng.integers(0, 10, 30)]
    about = facts(io.Items(upper + upper.T + np.eye(30), ids=None, groups=groups))
    edges = [(int(i), int(j)) for i, j in np.argwhere(upper)]
    inside = [(i, j) for i, j in edges if groups[i] is not None and groups[i] == groups[j]]
    outside = [edge for edge in edges if edge not in inside]
    component = list(range(30))
    for i, j in outside:
        component = [component[i] if c == component[j] else c for c in component]
    members = {c: [i for i in range(30) if component[i] == c] for c in component}
    known = {c: [groups[i] for i in m if groups[i] is not None] for c, m in members.items()}
    values = [upper[edge] for edge in outside]
    assert about == {
        "n_items": 30,
        "n_groups": len({*groups} - {None}),
        "n_edges": len(outside),
        "n_edges_inside_groups": len(inside),
        "n_components": len(members),
        "n_components_with_conflicts": sum(len(set(g)) < len(g) for g in known.values()),
        "n_isolated": 30 - len({item for edge in outside for item in edge}),
        "smallest": pytest.approx(min(values)),
        "largest": pytest.approx(max(values)),
    }


def test_facts_of_nothing() -> None:
    about = facts(io.Items(np.zeros((3, 3)), ids=None))
    assert (about["n_edges"], about["n_components"], about["n_isolated"]) == (0, 3, 3)
    assert about["smallest"] is about["largest"] is about["n_groups"] is None
    assert facts(io.Items(BLOCKS, ids=None))["n_components"] == 3
