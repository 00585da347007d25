"""What the page begins with: above the fold, means of features, graphs sorted by label."""

import re

import numpy as np
import pytest
from support.problems import clouds

from spherelax.report import report_html
from spherelax.report.case import Case


def test_means_of_features_stand_below(two_columns):
    items, result = two_columns
    page = report_html(items, result)
    table = re.search(r'<table id="means".*?</table>', page, re.S)[0]
    for label in range(3):
        row = re.search(rf'<th scope="row"[^>]*>{label}</th>(.*?)</tr>', table)[1]
        means = [float(said) for said in re.findall(r">([^<>]+)</span>", row)]
        expected = items.view.points[result.labels == label].mean(axis=0)
        assert means == pytest.approx(expected.tolist(), rel=1e-3)
        shades = re.findall(r"rgba\(0,114,178", row)
        assert len(shades) == np.count_nonzero(expected > items.view.points.mean(axis=0))


def test_the_features_that_differ_most_are_listed():
    centres = np.zeros((3, 12))
    centres[:, 7] = [0, 30, 60]
    items, result = clouds(centres, [f"gene {at}" for at in range(12)])
    page = report_html(items, result)
    assert "The 8 of 12 features that differ most." in page
    assert "\u2068gene 7\u2069" in re.search(r'<table id="means".*?</thead>', page, re.S)[0]


def test_what_is_drawn_is_above_the_fold(visit, two_columns):
    items, result = two_columns
    page = visit(report_html(items, result), viewport={"width": 1300, "height": 900})
    field = page.locator(".plane .field").bounding_box()
    assert field["y"] + field["height"] < 900
    shown = page.locator("section").filter(has=page.locator(".plane")).inner_text()
    above = page.locator(".verdict").inner_text() + shown
    for word in ("resolution", "saving", "stability"):
        assert word not in above.lower()


def test_a_graph_is_sorted_by_label(clustering):
    items, result = clustering
    page = report_html(items, result)
    first = page.index('<h2 id="graph">')
    assert first < page.index('<h2 id="whole">')
    assert page.index("data:image/png") > first
    assert Case.of(items, result).view is None


def test_a_phone_shows_means_under_the_names_of_features(visit, two_columns):
    page = visit(report_html(*two_columns), viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    head = page.locator("#means td").first.evaluate(
        "cell => getComputedStyle(cell, '::before').content"
    )
    assert "<b>minutes</b>" in head
    assert "bdi" not in head
