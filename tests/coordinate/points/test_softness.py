"""Softness: dimensions and edges of points that are known."""

import numpy as np
import pytest

from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.points.softness import Softness
from spherelax.problem import Problem
from spherelax.similarity import neighbor_graph


def softness(points, **options):
    """Return the softness of one label of points, and their dimension."""
    found = neighbor_graph(points, **options)
    graph = build_graph(Problem.check(found.similarity), 1.0)
    soft = Softness.of(graph, 1.0, found.scales[graph.given])
    return float(soft.of_labels(np.zeros(len(points), dtype=np.int32))[0]), soft.dimension


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_points_of_any_dimension_are_told_apart_by_their_edges(dimension):
    rng = np.random.default_rng(dimension)
    shape = (1000, dimension)
    gauss, even, heavy = (
        softness(points)
        for points in (rng.normal(size=shape), rng.random(shape), rng.standard_t(3, size=shape))
    )
    assert gauss[1] == pytest.approx(dimension, rel=0.15)
    assert even[0] < 0.65
    assert 0.75 < gauss[0] < 1.25 < heavy[0]


def test_a_plane_in_space_has_two_dimensions():
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(800, 2)) @ rng.normal(size=(2, 6))
    assert softness(flat)[1] == pytest.approx(2.0, rel=0.15)


def test_units_do_not_matter():
    points = np.random.default_rng(0).normal(size=(300, 2))
    np.testing.assert_allclose(softness(1e6 * points), softness(points))


def test_the_largest_similarity_may_be_the_unit():
    found = neighbor_graph(np.random.default_rng(0).normal(size=(300, 2)))
    graph = build_graph(Problem.check(found.similarity), 1.0)
    scales, unit = found.scales[graph.given], np.float32(0.5)
    expected = Softness.of(graph, 1.0, scales).dimension
    halved = graph.with_values(graph.values / unit)
    assert Softness.of(halved, float(unit), scales).dimension == pytest.approx(expected)


def test_similarities_that_are_no_distances_show_no_softness():
    found = neighbor_graph(np.random.default_rng(0).normal(size=(50, 2)), weights="binary")
    graph = build_graph(Problem.check(found.similarity), 1.0)
    assert Softness.of(graph, 1.0, found.scales[graph.given]) is None
