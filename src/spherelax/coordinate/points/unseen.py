"""Things that nothing separates: how many of them a label may hold.

Where the walk of an item ends shows whether it may belong to another label, but not whether a label
is several things that no border was seen between.

Between points, a border is a valley in density that is deep enough to be seen. If depths of valleys
vary like the lengths of random vectors in a plane (Rayleigh's law), the squares of depths fall off
exponentially. So the mean square of the depths that are seen says how many valleys are too shallow
to be seen. Things with sharp edges hide fewer valleys than things whose density falls off
gradually.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit

from spherelax.coordinate.points.softness import Softness
from spherelax.coordinate.points.valleys import VALLEY, Between
from spherelax.labels import Labels, count_labels

# Prior: number of valleys, and their mean squared depth above VALLEY**2.
BELIEVED = 8.0
MEAN_SQUARE = 0.13
# How fast the number of hidden valleys grows with the softness of a label, as an exponent.
SOFT = 4.0


@dataclass(frozen=True, eq=False)
class Unseen:
    """What is known of the things that nothing separates.

    Attributes
    ----------
    valleys : callable or None
        Returns the valleys between labels; None: there are none.
    labels : ndarray of shape (n_items,) or None
        These labels; None: items have changed since.
    softness : Softness or None
        How soft labels are; None: unknown.
    """

    valleys: Callable[[], Between] | None = None
    labels: Labels | None = None
    softness: Softness | None = None

    @cached_property
    def between(self) -> Between:
        """The valleys between labels."""
        return Between.none() if self.valleys is None else self.valleys()

    def elsewhere(self) -> Unseen:
        """Return what is known where items have been added."""
        return replace(self, labels=None, softness=None)

    def share(self, labels: Labels) -> NDArray[np.float64]:
        """Return for each item the expected share of its label that is the same thing.

        Examples
        --------
        >>> Unseen().share(np.zeros(400, dtype=np.int32))[0].round(2)
        np.float64(0.38)
        """
        return share_between(labels, self.between.seen, self.softness)

    def same(self, labels: Labels) -> sp.csr_array:
        """Return how likely two labels are the same thing, for those with a valley between them.

        Each VALLEY of depth multiplies the odds of a border by e; a depth of 0 says nothing, and so
        do labels that are parts of one label. Other labels than those between which valleys were
        measured count as that of these which most of their items have.
        """
        k = count_labels(labels)
        if self.labels is None:
            return sp.eye_array(k, format="csr")
        n_known = count_labels(self.labels)
        met = sp.csr_array((np.ones(len(labels)), (labels, self.labels)), shape=(k, n_known))
        part = sp.csr_array((np.ones(k), met.argmax(axis=1).ravel(), np.arange(k + 1)))
        part.resize(k, n_known)
        one, other, depth = self.between[:3]
        alike = sp.coo_array((expit(-depth / VALLEY), (one, other)), shape=(n_known, n_known))
        same = part @ (alike + alike.T + 0.5 * sp.eye_array(n_known)).tocsr() @ part.T
        same.setdiag(1.0)
        return sp.csr_array(same)


def share_between(
    labels: Labels, depths: Sequence[float], softness: Softness | None = None
) -> NDArray[np.float64]:
    """Return the expected share by the depths of the valleys that were seen.

    Valleys that were not seen lie in labels in proportion to the items there, and are fewer where
    the density varies less than in a Gaussian. Their number in a label has a Poisson distribution;
    n valleys leave a share of 1 / (n + 1). A label of one item holds none.

    Examples
    --------
    >>> three = np.repeat(np.int32([0, 1, 2]), 9)
    >>> [share_between(three, [depth, depth])[0].round(1) for depth in (3.0, 0.5)]
    [np.float64(1.0), np.float64(0.3)]
    """
    others = np.bincount(labels) - 1.0
    expected = n_hidden(depths) * (len(depths) + 1.0) * others / max(others.sum(), 1.0)
    if softness is not None:
        # Heavy tails vary in density more than a Gaussian does, and are one thing.
        expected *= np.exp(SOFT * np.minimum(softness.of_labels(labels) - 1.0, 0.0))
    share = -np.expm1(-expected) / np.where(expected > 0.0, expected, 1.0)
    return np.asarray(np.where(expected > 0.0, share, 1.0))[labels]


def n_hidden(depths: Sequence[float]) -> float:
    """Return how many valleys are too shallow to be seen for each valley that is seen.

    Examples
    --------
    >>> round(n_hidden([3.0] * 9), 2), round(n_hidden([0.5] * 9), 2)
    (0.03, 3.35)
    """
    squares = np.square(depths) - VALLEY**2
    mean = (float(squares.sum()) + BELIEVED * MEAN_SQUARE) / (len(squares) + BELIEVED)
    return float(np.expm1(VALLEY**2 / mean))
