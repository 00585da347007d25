"""Things that nothing separates: how many of them a label may hold.

What is drawn around labels shows whether an item may belong to another label, but not whether a
label is several things that no border was seen between. Two cases are known.

Where nothing shows at which resolution things are, any number of them is as likely as twice that
number.

Between points, a border is a valley in density that is deep enough to be seen. If depths of valleys
vary like the lengths of random vectors in a plane (Rayleigh's law), the squares of depths fall off
exponentially. So the mean square of the depths that are seen says how many valleys are too shallow
to be seen. Things with sharp edges hide fewer valleys, and labels whose density varies more than
that of one thing hide more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.points.softness import Softness
from spherelax.coordinate.points.valleys import VALLEY, Tree
from spherelax.labels import Labels

# Prior: number of valleys, and their mean squared depth above VALLEY**2.
BELIEVED = 8.0
MEAN_SQUARE = 0.2
# How fast the number of hidden valleys grows with the softness of a label, as an exponent.
SOFT = 4.0


@dataclass(frozen=True, eq=False)
class Unseen:
    """What is known of the things that nothing separates.

    Attributes
    ----------
    valleys : callable or None
        Returns across which valleys parts of labels merge; None: nothing shows any scale.
    cells : ndarray of shape (n_items,) or None
        The cell of each item that parts are made of; None: items have changed since.
    softness : Softness or None
        How soft labels are; None: unknown.
    """

    valleys: Callable[[], Tree] | None = None
    cells: Labels | None = None
    softness: Softness | None = None

    @cached_property
    def tree(self) -> Tree | None:
        """Across which valleys parts of labels merge; None: nothing shows any scale."""
        return None if self.valleys is None else self.valleys()

    def elsewhere(self) -> Unseen:
        """Return what is known where items have been added."""
        return replace(self, cells=None, softness=None)

    def share(self, labels: Labels) -> NDArray[np.float64]:
        """Return for each item the expected share of its label that is the same thing.

        Examples
        --------
        >>> Unseen().share(np.zeros(400, dtype=np.int32))[0].round(2)
        np.float64(0.17)
        """
        tree, least = self.tree, share_of_cloud(labels)
        if tree is None or not (tree.depths or self.softness):
            return least
        found = share_between(labels, tree.depths, self.softness)
        if self.cells is not None:
            hidden = n_hidden(tree.depths)
            differ = [chance_of_border(merge.depth, hidden) for merge in tree.lineage.merges]
            found *= tree.lineage.share(labels, differ, self.cells)
        return np.maximum(found, least)


def share_of_cloud(labels: Labels) -> NDArray[np.float64]:
    """Return the expected share if nothing shows how many things there are.

    Examples
    --------
    >>> share_of_cloud(np.repeat(np.int32([0, 1]), [390, 10]))[[0, -1]].round(2)
    array([0.17, 0.77])
    """
    # Of k equal things, a label of n items holds one at most if k <= m / n; else a share m / (k n)
    # of it is the same thing. The logarithm of k is uniform from 0 to log(m).
    m, size = len(labels), np.bincount(labels)
    known = (np.log(m / size) + 1.0 - 1.0 / size) / np.log(max(m, 2))
    return np.asarray(np.where(size > 1, known, 1.0))[labels]


def share_between(
    labels: Labels, depths: Sequence[float], softness: Softness | None = None
) -> NDArray[np.float64]:
    """Return the expected share by the depths of the valleys that were seen.

    Valleys that were not seen lie in labels in proportion to the pairs of items there, and are
    fewer or more where the density varies less or more than in a Gaussian. Their number in a label
    has a Poisson distribution; n valleys leave a share of 1 / (n + 1).

    Examples
    --------
    >>> three = np.repeat(np.int32([0, 1, 2]), 9)
    >>> [share_between(three, [depth, depth])[0].round(1) for depth in (3.0, 0.5)]
    [np.float64(1.0), np.float64(0.5)]
    """
    squares = np.square(np.bincount(labels).astype(float))
    expected = n_hidden(depths) * (len(depths) + 1.0) * squares / squares.sum()
    if softness is not None:
        with np.errstate(over="ignore"):  # infinitely many leave no share
            expected *= np.exp(SOFT * (softness.of_labels(labels) - 1.0))
    return np.asarray(-np.expm1(-expected) / expected)[labels]


def chance_of_border(depth: float, hidden: float) -> float:
    """Return how likely two sides of a valley are not the same thing.

    Noise lowers depths by about VALLEY / 2. A depth below -VALLEY / 2 says nothing; above it, each
    VALLEY of depth multiplies the odds of a border by e.

    Examples
    --------
    >>> [round(chance_of_border(depth, 0.5), 2) for depth in (-0.2, 0.0, 0.4, 2.0)]
    [0.0, 0.24, 0.64, 0.99]
    """
    odds = hidden * np.expm1(max(depth / VALLEY + 0.5, 0.0))
    return float(odds / (1.0 + odds))


def n_hidden(depths: Sequence[float]) -> float:
    """Return how many valleys are too shallow to be seen for each valley that is seen.

    Examples
    --------
    >>> round(n_hidden([3.0] * 9), 2), round(n_hidden([0.5] * 9), 2)
    (0.03, 2.09)
    """
    squares = np.maximum(np.square(np.maximum(depths, 0.0)) - VALLEY**2, 0.0)
    mean = (float(squares.sum()) + BELIEVED * MEAN_SQUARE) / (len(squares) + BELIEVED)
    return float(np.expm1(VALLEY**2 / mean))
