"""How soft the edges of labels of points are: by how much the density inside a label varies.

Things with sharp edges hardly overlap without a valley that is seen. Things whose density falls off
gradually may, and several of them on top of each other vary even more in density than one.

The distance s of a point to its neighbours shows the density there, which is ``s ** -d`` in d
dimensions. In one Gaussian, the logarithm of s has a standard deviation of ``1 / sqrt(2 d)``; that
is the unit here. Points that are spread evenly have about .4, whatever d is.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph import Graph
from spherelax.labels import Labels


class Softness(NamedTuple):
    """Distances of points to their neighbours, as logarithms, and in how many dimensions."""

    log_scales: NDArray[np.float64]
    dimension: float

    @classmethod
    def of(cls, graph: Graph, unit: float, scales: NDArray[np.float64]) -> Self | None:
        """See the dimension of points by their neighbour graph, whose similarities are in ``unit``.

        None: it does not show, because similarities are not those of distances.

        Examples
        --------
        >>> from spherelax.coordinate.graph import build_graph
        >>> from spherelax.problem import Problem
        >>> from spherelax.similarity import neighbor_graph
        >>> points = np.random.default_rng(0).normal(size=(900, 2))
        >>> found = neighbor_graph(points)
        >>> graph = build_graph(Problem.check(found.similarity), 1.0)
        >>> soft = Softness.of(graph, 1.0, found.scales[graph.given])
        >>> round(soft.dimension), soft.of_labels(np.zeros(900, dtype=np.int32)).round(1)
        (2, array([1.]))
        """
        # A similarity is exp(-r^2), r being the distance over that to the neighbours. Of neighbours
        # with r < 1, the mean of -log(r) is 1 / d.
        squares = -np.log(graph.values.astype(float) * unit)
        near = squares[(squares > 0.0) & (squares < 1.0)]
        if len(near) == 0:
            return None
        return cls(np.log(scales), -2.0 / float(np.log(near).mean()))

    def of_labels(self, labels: Labels) -> NDArray[np.float64]:
        """Return how much the density varies in each label: 1 if as in one Gaussian."""
        n = np.bincount(labels)
        mean = np.bincount(labels, weights=self.log_scales) / n
        squares = np.bincount(labels, weights=np.square(self.log_scales - mean[labels]))
        return np.asarray(np.sqrt(2.0 * self.dimension * squares / n))
