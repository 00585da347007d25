"""Items in a plane: where they are drawn, in which colour, and what stands beside them."""

import re

import numpy as np
import pytest
from sklearn.decomposition import PCA
from support.problems import with_confidence

import spherelax as sl
from spherelax import io
from spherelax.io.items import View
from spherelax.report import report_html
from spherelax.report.plane import make_plane


def drawn(page):
    """The dots of each label, in the order of the labels, as places in the picture."""
    found = re.findall(r'<g><title>([^<]*)</title><path class="\w+" d="([^"]*)"', page)
    return {
        said: np.array(re.findall(r"M(\d+) (\d+)h0", path), dtype=float) for said, path in found
    }


def test_two_columns_are_the_axes(two_columns):
    items, result = two_columns
    page = report_html(items, result)
    dots, points = drawn(page), items.view.points
    assert set(dots) == {f"cluster {label}" for label in range(3)}
    for label in range(3):
        own = points[result.labels == label]
        share = (own - points.min(axis=0)) / np.ptp(points, axis=0)
        x, y = (0.03 + 0.94 * share[:, 0]) * 1000, (0.97 - 0.94 * share[:, 1]) * 700
        expected = np.unique(np.round(np.column_stack([x, y])), axis=0)
        found = np.unique(dots[f"cluster {label}"], axis=0)
        assert len(found) == len(expected)
        np.testing.assert_allclose(found, expected, atol=1)
    assert "<bdi>&lt;b&gt;minutes&lt;/b&gt;</bdi>" in page
    assert "<b>minutes" not in page


@pytest.mark.parametrize("shape", [(300, 5), (300, 3), (3, 40)])
def test_of_more_columns_two_components_are_shown(shape):
    X = np.random.default_rng(0).normal(size=shape) * np.linspace(1, 4, shape[1])
    unit = np.linspace(1, 2, shape[1])
    places, axes = make_plane(View(X, [f"c{at}" for at in range(shape[1])], unit))
    model = PCA(2).fit(X / unit)
    np.testing.assert_allclose(np.abs(places), np.abs(model.transform(X / unit)), atol=1e-6)
    share, second = model.explained_variance_ratio_
    assert axes[0] == f"first principal component ({share:.0%} of the variance)"
    assert axes[1] == f"second ({second:.0%})"


def test_cells_without_a_place_are_left_out():
    W = np.kron(np.eye(2), np.ones((5, 5)))
    places = np.arange(20.0).reshape(10, 2)
    places[3] = np.nan
    view = View(places, ("UMAP 1", "UMAP 2"), are_features=False)
    page = report_html(io.Cells(W, None, view=view), sl.solve(W))
    assert "9 of 10 cells, those with a place." in page
    assert "UMAP 1" in page
    assert 'id="means"' not in page


def test_what_is_likely_wrong_is_a_ring(two_columns):
    items, result = two_columns
    sure = np.ones(len(result.labels))
    sure[:7] = 0.4
    page = report_html(items, with_confidence(result, sure))
    hole = re.search(r'<path class="hole" d="([^"]*)"', page)[1]
    assert len(re.findall("M", hole)) == 7
    assert "Rings: more likely in a wrong cluster" in page
    assert "Rings" not in report_html(items, with_confidence(result, np.ones(len(sure))))
