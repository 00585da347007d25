"""Things that nothing separates: how many of them a label may hold.

What is drawn around labels shows whether an item may belong to another label, but not whether a
label is several things that no border was seen between. Two cases are known.

Where nothing shows at which resolution things are, any number of them is as likely as twice that
number.

Between points, a border is a valley in density that is deep enough to be seen. If depths of valleys
vary like the lengths of random vectors in a plane (Rayleigh's law), the squares of depths fall off
exponentially. So the mean of those seen says how many are too shallow to be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.valleys import VALLEY
from spherelax.labels import Labels

# Valleys that are believed in before any is seen, and the mean of the squares of their depths
# beyond the shallowest one that counts: without others, a cloud of points holds five things.
BELIEVED = 4.0
MEAN_SQUARE = 0.1


@dataclass(frozen=True, eq=False)
class Unseen:
    """What is known of the things that nothing separates.

    Attributes
    ----------
    depths : callable or None
        Returns how deep the valleys are that were seen; None: nothing shows any scale.
    """

    depths: Callable[[], Sequence[float]] | None = None

    @cached_property
    def n_hidden(self) -> float:
        """How many more things than labels are expected."""
        seen = [] if self.depths is None else self.depths()
        return n_hidden(seen)

    def share(self, labels: Labels) -> NDArray[np.float64]:
        """Return the expected share of the others of its label that are the same thing as an item.

        Examples
        --------
        >>> Unseen().share(np.zeros(400, dtype=np.int32))[0].round(2)
        np.float64(0.17)
        >>> clear, shallow = ([depth, depth] for depth in (3.0, 0.5))
        >>> three = np.repeat(np.int32([0, 1, 2]), 9)
        >>> [Unseen(lambda seen=seen: seen).share(three)[0].round(1) for seen in (clear, shallow)]
        [np.float64(0.9), np.float64(0.2)]
        """
        m, size = len(labels), np.bincount(labels)
        if self.depths is not None:
            # They lie in labels in proportion to the pairs of items there.
            of_label = self.n_hidden * np.square(size) / float(np.square(size).sum())
            return np.asarray(1.0 / (1.0 + of_label))[labels]
        # Of k equal things, a label of n items holds one at most if k <= m / n; else a share
        # m / (k n) of it is the same thing. The logarithm of k is uniform from 0 to log(m).
        known = (np.log(m / size) + 1.0 - 1.0 / size) / np.log(max(m, 2))
        return np.asarray(np.where(size > 1, known, 1.0))[labels]


def n_hidden(depths: Sequence[float]) -> float:
    """Return how many valleys are too shallow to be seen, by the depths of those that are.

    Examples
    --------
    >>> round(n_hidden([3.0, 3.0, 3.0]), 1), round(n_hidden([0.5, 0.6, 0.5]), 0)
    (0.2, 13.0)
    """
    squares = np.maximum(np.square(depths) - VALLEY**2, 0.0)
    mean = (float(squares.sum()) + BELIEVED * MEAN_SQUARE) / (len(squares) + BELIEVED)
    return (len(squares) + 1.0) * float(np.expm1(VALLEY**2 / mean))
