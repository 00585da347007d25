"""Why similar items have different labels, against a slow and simple search."""

from dataclasses import replace

import numpy as np
from support.problems import with_labels

from spherelax.report import report_html
from spherelax.report.case import Case
from spherelax.report.dropped import find_dropped, say_dropped, why


def test_dropped_pairs_and_their_rivals_are_those_of_a_slow_search(matching):
    items, result = matching
    case = Case.of(items, result)
    found = find_dropped(case)
    W, labels, groups = items.similarity, result.labels, items.groups
    n = len(labels)
    expected = [
        (i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if W[i, j] > 0 and labels[i] != labels[j] and groups[i] != groups[j]
    ]
    assert sorted(map(tuple, found.pairs.tolist())) == expected
    assert len(expected) > 10

    def n_similar(item, label):
        return sum(
            W[item, other] > 0 and groups[item] != groups[other]
            for other in np.flatnonzero(labels == label)
        )

    for pair, end, holder, fits, apart in zip(*found, strict=True):
        i, j = pair
        rivals = {
            (one, k)
            for one, other in ((i, j), (j, i))
            for k in range(n)
            if groups[k] == groups[one] and labels[k] == labels[other]
        }
        members = [{groups[k] for k in np.flatnonzero(labels == labels[one])} for one in (i, j)]
        assert apart == bool(members[0] & members[1])
        if holder < 0:
            assert not rivals
            assert not fits
        else:
            assert (end, holder) in rivals
            assert fits == (n_similar(holder, labels[holder]) > n_similar(end, labels[holder]))


def test_the_reasons_are_counted_and_told(matching):
    items, result = matching
    case = Case.of(items, result)
    dropped = find_dropped(case)
    said = say_dropped(case, dropped)
    numbers = [int(word) for word in said.replace(";", " ").split() if word.isdecimal()]
    assert numbers[0] == len(dropped.pairs) == sum(numbers[1:])
    assert said in report_html(items, result)
    reasons = why(case, dropped)
    assert len(reasons) == len(dropped.pairs)
    for (i, j), holder in zip(dropped.pairs.tolist(), dropped.holder.tolist(), strict=True):
        if holder >= 0:
            assert reasons[i, j].startswith(f"{items.names[holder]} has the place")


def test_nothing_dropped_is_said(given):
    case = given(np.array([[0, 1.0], [1, 0]]), ["x", "y"])
    case = replace(case, result=with_labels(case.result, np.zeros(2, np.int32)))
    assert say_dropped(case, find_dropped(case)) == "No similar pair has different labels."
