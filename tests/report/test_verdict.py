"""The sentence at the top: what it says, and when."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import spherelax as sl
from spherelax.report import report_html


@pytest.fixture
def verdict(clustering):
    """Return level and sentence for the clustering with another confidence or status."""
    items, result = clustering

    def said(**changes):
        page = report_html(items, replace(result, **changes))
        level = re.search(r'class="verdict (\w+)"', page)[1]
        assert str(changes.get("status", result.status)) in page
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
    assert verdict(confidence=confidence) == (level, f"4 labels from 80 items{said}")


@pytest.mark.parametrize(
    ("sure", "level", "said"),
    [
        (0.96, "clear", ". By their probabilities, about 4% of the items are expected to have a "),
        (0.8, "doubtful", ". But about 20% of the items are expected to have a "),
    ],
)
@pytest.mark.parametrize("status", [sl.Status.LIKELIEST, sl.Status.DESCRIBED])
def test_probabilities_say_how_many_labels_are_wrong(verdict, status, sure, level, said):
    likely = sl.EntityProbability(np.ones(4), np.ones(4))
    source = SimpleNamespace(entity_probability=lambda _: likely, duplicates=lambda: None)
    found = verdict(status=status, confidence=np.full(80, sure), source=source)
    assert found == (level, f"4 labels from 80 items{said}wrong label.")


def test_labels_that_hang_on_the_resolution(verdict, clustering):
    path = clustering[1].path
    restless = int(path.stability[1:-1].argmin()) + 1
    assert path.stability[restless] < 0.25
    level, said = verdict(index=restless, labels=path.labels[restless], confidence=np.ones(80))
    assert level == "doubtful"
    assert said.endswith(". But a slightly different resolution gives different labels.")
    level, _ = verdict(index=0, labels=path.labels[0], confidence=np.ones(80))
    assert level == "clear"


@pytest.mark.parametrize("status", [status for status in sl.Status if status.is_odd])
def test_odd_outcomes(verdict, status):
    expected = "4 labels from 80 items. Do not rely on these labels yet."
    assert verdict(status=status) == ("odd", expected)
