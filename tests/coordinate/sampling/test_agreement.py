"""Counts of items by judged and drawn label, against counting anew after each move."""

import numpy as np

from spherelax.coordinate.sampling.agreement import (
    Agreement,
    Counts,
    count,
    count_all,
    enter,
    enter_all,
    leave,
)


def test_a_table_counts_codes_and_labels(seed):
    rng, m = np.random.default_rng(seed), 60
    code, labels = rng.integers(-1, 4, m).astype(np.int32), rng.integers(m, size=m)
    table = Counts.of(code)
    count_all(table, labels)
    for i in rng.permutation(m):  # each item moves once: as much as one sweep does
        count(table, i, labels[i], -1)
        labels[i] = rng.integers(m)
        count(table, i, labels[i], 1)
    for i in range(m):
        for label in range(m):
            expected = np.sum((code == code[i]) & (labels == label)) if code[i] >= 0 else 0
            assert count(table, i, label, 0) == expected
    assert count(Counts.of(code[:0]), 0, 0, 1) == 0


def test_mixed_labels_are_those_with_several_judged_ones(seed):
    rng, m = np.random.default_rng(seed), 30
    judged, drawn = rng.integers(5, size=m), rng.integers(8, size=m)
    judged[:5] = np.arange(5)
    agreement = Agreement.of(judged)
    enter_all(drawn, agreement)
    for i in rng.permutation(m):
        leave(i, drawn[i], agreement)
        drawn[i] = rng.integers(8)
        enter(i, drawn[i], agreement)
        held = [set(judged[drawn == d].tolist()) for d in range(m)]
        np.testing.assert_array_equal(agreement.n_sorts, [len(each) for each in held])
        np.testing.assert_array_equal(agreement.sum_sorts, [sum(each) for each in held])
        mixed = [sum(c in each and len(each) > 1 for each in held) for c in range(5)]
        np.testing.assert_array_equal(agreement.n_mixed, mixed)


def test_an_item_has_what_its_cell_gains_while_it_is_there():
    agreement = Agreement.of(np.array([0, 0, 0]))
    enter_all(np.array([1, 1, 2]), agreement)
    agreement.gain[agreement.cells.key == 1] += 0.6
    leave(0, 1, agreement)
    enter(0, 2, agreement)
    agreement.gain[agreement.cells.key == 2] += 0.2
    for item, label in enumerate((2, 1, 2)):
        leave(item, label, agreement)
    np.testing.assert_allclose(agreement.item, [0.4, 0.3, 0.1])
