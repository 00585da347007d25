"""Sentences about a result."""

from types import SimpleNamespace

import numpy as np
import pytest

from spherelax.result.findings import Duplicates
from spherelax.result.sentences import N_OFFENDERS, TIED, say_duplicates, say_rival, say_tied


def copies(group, expected, is_clear=True):
    pairs = np.arange(10).reshape(5, 2)
    return Duplicates(group, 12, expected, is_clear, pairs, np.linspace(0.9, 0.5, 5))


def test_the_group_with_most_copies_is_named_with_its_likeliest_pairs():
    said = say_duplicates([copies(0, 1.2), copies(1, 4.4)], list("abcdefghij"), ["shop"] * 10)
    assert said.startswith("about 4 of the 12 items in group shop seem to be copies of others: ")
    assert said.count(" and ") == N_OFFENDERS
    assert said.endswith("a and b, c and d, e and f (and 1 more of the groups have some)")


def test_copies_that_are_not_clear_are_not_told():
    assert say_duplicates([copies(0, 3.0, is_clear=False)]) is None
    assert say_duplicates(None) is None


@pytest.mark.parametrize(("share", "is_told"), [(None, False), (TIED, False), (0.75, True)])
def test_scores_that_are_nearly_all_the_same_are_told(share, is_told):
    said = say_tied(SimpleNamespace(source=SimpleNamespace(tied=lambda: share)))
    assert (said is not None and said.startswith("75% of the pairs")) == is_told


def test_another_answer_is_told():
    said = say_rival(SimpleNamespace(rival=1200, n_labels=3))
    assert said == "Another answer is about as good: 1,200 labels instead of 3."
