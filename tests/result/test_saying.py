"""Sentences of explanations."""

import numpy as np

import spherelax as sl
from spherelax.io.words import RECORDS

ODDS = np.array([[0, 3, -1, 0], [3, 0, 2, 0], [-1, 2, 0, 0], [0, 0, 0, 0]], dtype=float)
NAMES = ["ann", "{0}", "item label", "bob"]


def test_together_in_the_words_of_the_input():
    why = sl.solve(ODDS, kind="odds").explain(0, 2)
    lines = why.text(NAMES, speak=RECORDS.speak, scores=lambda score: 10 * score).splitlines()
    assert lines[0].startswith("ann and item label are together, in an entity of 3 records. They")
    assert lines[1] == "The strongest path: ann - {0} - item label."
    assert lines[2].startswith("For one entity: 2 pairs, worth +5 nats: ann with {0} (score 30, ve")
    assert lines[3].startswith(
        "Against one entity: 1 pair, worth -1 nats: ann with item label (score -10, unlikely "
    )
    assert lines[4].startswith(
        "The weakest cut: item label | ann, {0}. The pairs across are worth "
    )
    assert lines[5] == "They part without 1 pair ({0} with item label)."


def test_apart_and_alone():
    result = sl.solve(ODDS, kind="odds")
    lines = str(result.explain(1, 3)).splitlines()
    assert lines[0] == "item 1 and item 3 are apart, in labels of 3 items and 1 item."
    assert lines[1] == "No pair is listed between their labels."
    assert lines[-1].endswith("or more (item 1 with item 3, not listed).")
    assert str(result.explain(entity=1)) == "item 3 is alone and similar to no other."


def test_many_pairs_are_counted():
    why = sl.solve(np.kron(np.eye(2), np.ones((12, 12)))).explain(0, 12)
    assert len(why.change.raised) == 12
    assert str(why).endswith("item 0 with item 21, not listed; and 2 more).")


def test_nothing_can_be_changed():
    W, groups, _ = sl.datasets.make_partial_matching(5, 4, random_state=0)
    same = np.flatnonzero(np.asarray(groups) == groups[0])[:2].tolist()
    said = str(sl.solve(W, groups).explain(*same))
    assert "They are of one group, which holds each thing once." in said
    assert said.endswith("makes them join: items of one group never share a label.")
