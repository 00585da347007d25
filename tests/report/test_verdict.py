"""The sentence at the top: what it says, and when."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from support.problems import with_confidence

import spherelax as sl
from spherelax.report import report_html


@pytest.fixture
def verdict(clustering):
    """Return level and sentence for the clustering with another confidence or status."""
    items, result = clustering

    def said(confidence=None, *, is_probability=True, **changes):
        sure = np.ones(80) if confidence is None else confidence
        page = report_html(
            items, with_confidence(result, sure, is_probability=is_probability, **changes)
        )
        level = re.search(r'class="verdict (\w+)"', page)[1]
        assert changes.get("status", result.status).sentence in page
        return level, re.search(r'<p class="sentence">(.*?)</p>', page)[1]

    return said


@pytest.mark.parametrize(
    ("n_unsure", "level", "said"),
    [
        (0, "clear", ". No item has another label that is nearly as good."),
        (1, "clear", ". Only 1 item (1.2%) has another label that is nearly as good."),
        (20, "clear", ". Only 20 items (25%) have another label that is nearly as good."),
        (21, "doubtful", ". But 21 items (26%) have another label that is nearly as good."),
    ],
)
def test_unsure_items(verdict, n_unsure, level, said):
    confidence = np.r_[np.zeros(n_unsure), np.full(80 - n_unsure, 0.1)]
    found = verdict(confidence, is_probability=False)
    assert found == (level, f"4 labels from 80 items{said}")


@pytest.mark.parametrize(
    ("sure", "level", "said"),
    [
        (1.0, "clear", "No item is expected to have a wrong label."),
        (0.96, "clear", "By their probabilities, about 3 items (4%) may have a wrong label."),
        (0.84, "doubtful", "But about 13 items (16%) may have a wrong label."),
    ],
)
@pytest.mark.parametrize("status", [sl.Status.LIKELIEST, sl.Status.DESCRIBED])
def test_probabilities_say_how_many_labels_are_wrong(verdict, status, sure, level, said):
    likely = sl.EntityProbability(np.ones(4), np.ones(4))
    source = SimpleNamespace(
        entity_probability=lambda _: likely, duplicates=lambda: None, tied=lambda: 0.5
    )
    found = verdict(np.full(80, sure), status=status, source=source)
    assert found == (level, f"4 labels from 80 items. {said}")


def test_two_answers_that_are_about_as_good(clustering):
    items, result = clustering
    page = report_html(items, with_confidence(result, np.ones(80), alternative=7))
    assert "4 labels from 80 items. But it is one of two answers." in page
    assert "Another answer is about as good: 7 labels instead of 4." in page
    assert "Another answer" not in report_html(items, result)


def test_scores_that_only_show_what_looks_the_same(verdict):
    likely = sl.EntityProbability(np.ones(4), np.ones(4))
    source = SimpleNamespace(
        entity_probability=lambda _: likely, duplicates=lambda: None, tied=lambda: 0.7
    )
    level, said = verdict(status=sl.Status.LIKELIEST, source=source)
    assert level == "doubtful"
    assert said.endswith(". But the scores show only which items look the same.")


def test_labels_that_hang_on_the_resolution(verdict, clustering):
    path = clustering[1].path
    restless = int(path.stability[1:-1].argmin()) + 1
    assert path.stability[restless] < 0.25
    level, said = verdict(path=replace(path, picked=restless))
    assert level == "doubtful"
    assert said.endswith(". But a slightly coarser or finer answer has other labels.")
    assert path.stability[0] < 0.25
    level, said = verdict(path=replace(path, picked=0))
    assert level == "doubtful"
    assert verdict(path=replace(path, picked=restless), status=sl.Status.LIKELIEST)[0] == "clear"


@pytest.mark.parametrize("status", [status for status in sl.Status if status.is_odd])
def test_odd_outcomes(verdict, status):
    expected = "4 labels from 80 items. Do not rely on these labels yet."
    assert verdict(status=status) == ("odd", expected)
