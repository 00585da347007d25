"""How far labels are trusted: the rule, without a page."""

from dataclasses import replace

import numpy as np
import pytest
from support.problems import with_confidence

import spherelax as sl
from spherelax.result import Verdict, judge


@pytest.fixture(scope="module")
def solved():
    """Four planted clusters that are found."""
    W, _ = sl.datasets.make_binary_similarity(80, 4, random_state=0)
    return sl.solve(W)


def test_labels_that_are_likely_right_are_clear(solved):
    found = judge(with_confidence(solved, np.ones(80)))
    assert found == Verdict("clear", "Clear", "no item is expected to have a wrong label")


@pytest.mark.parametrize("at", ["first", "inside", "last"])
def test_labels_that_change_nearby_are_never_clear(solved, at):
    path = solved.path
    step = {"first": 0, "inside": 1 + int(path.stability[1:-1].argmin()), "last": -1}[at]
    labels = list(path.labels)
    if at == "last":  # labels that were merged after the walk stand beside others that were not
        labels[-1] = (np.arange(80) % 7).astype(np.int32)
    path = replace(path, labels=labels, picked=step % len(labels))
    assert path.stability[path.picked] < 0.25
    restless = with_confidence(solved, np.ones(80), path=path)
    assert judge(restless).level == "doubtful"
    assert judge(replace(restless, status=sl.Status.LIKELIEST)).level == "clear"


@pytest.mark.parametrize("status", [status for status in sl.Status if status.is_odd])
def test_an_odd_status_is_never_clear(solved, status):
    assert judge(with_confidence(solved, np.ones(80), status=status)).level == "odd"


def test_one_of_two_answers_is_never_clear(solved):
    assert judge(with_confidence(solved, np.ones(80), alternative=7)).level == "doubtful"


def test_a_path_of_one_step_raises_no_doubt(solved):
    W, _ = sl.datasets.make_binary_similarity(80, 4, random_state=0)
    again = solved.extend(W)
    assert again.path.stability.tolist() == [0.0]
    assert judge(with_confidence(again, np.ones(80))).level == "clear"
