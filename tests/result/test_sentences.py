"""Sentences for users."""

from dataclasses import replace

import numpy as np
import pytest

import spherelax as sl
from spherelax.result import say_alternative, say_duplicates, say_status


def test_a_number_that_no_step_has_is_named(result):
    missing = len(result.labels) + 1
    with pytest.warns(sl.SphereWarning, match="No step has"):
        near = result.with_n_labels(missing)
    assert say_status(near) == (
        f"No step has {missing} labels, so that the nearest number was taken, {near.n_labels}."
    )
    assert say_status(result) == result.status.sentence
    with pytest.warns(sl.SphereWarning, match="a number of thousands of digits labels"):
        result.with_n_labels(10**5000)


def test_only_an_alternative_is_told(result):
    assert say_alternative(replace(result, alternative=None)) is None
    assert say_alternative(replace(result, alternative=1234)).startswith(
        "Another answer is about as good: 1,234 labels instead of "
    )


def test_the_group_with_most_copies_is_named():
    pairs, likely = np.array([[1, 4], [0, 2]]), np.array([0.9, 0.6])
    few = sl.Duplicates(0, 5, 1.2, True, pairs, likely)
    many = sl.Duplicates(1, 9, 3.9, True, pairs, likely)
    assert say_duplicates(None) is None
    assert say_duplicates([sl.Duplicates(0, 5, 4.0, False, pairs, likely)]) is None
    said = say_duplicates([few, many], list("abcde"), list("uvwxy"), item="record", group="source")
    assert said.startswith("about 4 of the 9 records in source v seem to be copies of others: ")
    assert "b and e, a and c (and 1 more of the sources have some)" in said
