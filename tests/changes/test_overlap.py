"""Overlaps of entities: the assignment is the best one, dense and sparse."""

from itertools import permutations

import numpy as np
import pytest

from spherelax.changes import overlap
from spherelax.changes.overlap import Overlap
from spherelax.io.answers.labelled import Labelled


def stay(old, new, successor):
    """Number of items that stay under their id."""
    return sum(successor[a] == b for a, b in zip(old, new, strict=True))


def best(old, new):
    """The most items that can stay, by trying all assignments."""
    n = max(*old, *new) + 1
    return max(stay(old, new, order) for order in permutations(range(n)))


@pytest.mark.parametrize("dense", [0, 1 << 20])
def test_assignment_is_that_of_brute_force(dense, monkeypatch):
    monkeypatch.setattr(overlap, "DENSE", dense)
    rng = np.random.default_rng(0)
    for _ in range(60):
        old, new = rng.integers(0, 5, (2, 14))
        found = Overlap.of(Labelled.of(old), Labelled.of(new))
        successor = found.successors()
        kept = successor[successor >= 0]
        assert len(set(kept.tolist())) == len(kept)
        names = dict(enumerate(found.labels_after))
        by_label = {
            label: names.get(successor[code], -1) for code, label in enumerate(found.labels_before)
        }
        assert stay(old, new, by_label) == best(old, new)


def test_ties_go_to_the_first_item():
    before = Labelled.of({"id": ["a", "b", "c", "d"], "entity": [7, 7, 7, 7]})
    after = Labelled.of({"id": ["d", "c", "b", "a"], "entity": [0, 0, 1, 1]})
    found = Overlap.of(before, after)
    assert found.labels_after[found.successors()[0]] == 1
