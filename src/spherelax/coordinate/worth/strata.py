"""What the sizes of similarities say about labels, beyond which pairs have one.

The similarities of a graph are sorted into strata, from the smallest to the largest. Of each
stratum some share of the pairs is inside labels. If that share rises with the similarity, labels
also say how large similarities are, and describing them takes fewer nats. Only the order of the
similarities counts: any rising function of them gives the same strata.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression
from scipy.special import xlogy

from spherelax.coordinate.graph.graph import Graph, blocks
from spherelax.coordinate.worth.curve import PAIRS_A_BIN
from spherelax.coordinate.worth.evidence import quantiles
from spherelax.coordinate.worth.ranks import BINS
from spherelax.labels import Labels

# Pairs in a stratum, and strata at most.
PAIRS_A_STRATUM = PAIRS_A_BIN
MAX_STRATA = BINS


class Strata(NamedTuple):
    """The stratum of each similarity, from 1 on, the number of pairs in each, and its floor.

    Similarities below the first floor, which a part of a problem may not have, are in none.
    """

    of_entry: NDArray[np.uint8]
    n_pairs: NDArray[np.float64]
    floors: NDArray[np.float32]

    @classmethod
    def of(cls, graph: Graph) -> Strata:
        """Sort the similarities of a graph into strata of about the same size.

        Equal similarities are in one stratum.

        Examples
        --------
        >>> from spherelax.coordinate.graph.graph import build_graph
        >>> from spherelax.problem import Problem
        >>> W = np.kron([[0, 1, 5], [1, 0, 5], [5, 5, 0]], np.ones((9, 9)))
        >>> Strata.of(build_graph(Problem.check(W))).n_pairs
        array([ 81., 162.])
        """
        values = graph.values
        n_strata = int(np.clip(len(values) // (2 * PAIRS_A_STRATUM), 2, MAX_STRATA))
        return cls.from_floors(graph, quantiles(values, n_strata))

    @classmethod
    def from_floors(cls, graph: Graph, floors: NDArray[np.float32]) -> Strata:
        """Sort the similarities of a graph into strata with such floors."""
        of_entry = np.empty(len(graph.values), dtype=np.uint8)
        count = np.zeros(len(floors) + 1, dtype=np.intp)
        for block in blocks(len(of_entry)):
            of_entry[block] = np.searchsorted(floors, graph.values[block], side="right")
            count += np.bincount(of_entry[block], minlength=len(count))
        return cls(of_entry, count[1:].astype(float) / 2, floors)

    def inside(self, graph: Graph, labels: Labels) -> NDArray[np.float64]:
        """Return how many pairs of each stratum are inside labels."""
        found = np.bincount(self.of_entry[graph.inside(labels)], minlength=len(self.n_pairs) + 1)
        return np.asarray(found[1:] / 2.0)


def strata_saving(n_pairs: NDArray[np.float64], inside: NDArray[np.float64]) -> float:
    """Return the nats that labels save, given how many pairs of each stratum are inside them.

    Each number that is needed beyond one, the share inside labels, costs half the logarithm of
    the number of pairs.

    Examples
    --------
    >>> n_pairs = np.array([50.0, 50.0])
    >>> round(strata_saving(n_pairs, np.array([10.0, 40.0])), 2)
    16.97
    >>> strata_saving(n_pairs, np.array([25.0, 25.0]))
    0.0
    """
    if not n_pairs.any():  # an earlier problem had all of them
        return 0.0
    n_pairs, inside, n = n_pairs[n_pairs > 0], inside[n_pairs > 0], float(n_pairs.sum())
    fit = isotonic_regression(inside / n_pairs, weights=n_pairs)
    coded = _log_likelihood(fit.x[fit.blocks[:-1]], fit.weights)
    plain = _log_likelihood(np.array([inside.sum() / n]), np.array([n]))
    return coded - plain - 0.5 * (len(fit.weights) - 1) * float(np.log(n))


def _log_likelihood(share: NDArray[np.float64], n_pairs: NDArray[np.float64]) -> float:
    """Return the log likelihood of pairs, such a share of which is inside labels."""
    return float(np.sum(n_pairs * (xlogy(share, share) + xlogy(1.0 - share, 1.0 - share))))
