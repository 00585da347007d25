"""Labels of a graph drawn anew, one item after the other, and what that says of them: compiled.

Unlike in `watching`, a visit takes no longer if labels are large.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.compiled import compiled
from spherelax.coordinate.neighbors import Sums, gather
from spherelax.labels import Labels


class Terms(NamedTuple):
    """What counts for a label beside the evidence of similarities, in nats."""

    absent: float  # what a pair costs, times the weights of both items
    join: float  # log odds of joining another item, against a label of its own


class Chain(NamedTuple):
    """The labels that are drawn, all below n_items, and what is kept up to date with them."""

    labels: Any  # int32 (m)
    size: Any  # int64 (m)
    mass: Any  # float64 (m), the weights of the items of each label

    @classmethod
    def of(cls, labels: Labels, weight: NDArray[np.float32]) -> Chain:
        """Begin with labels.

        Examples
        --------
        >>> Chain.of(np.array([0, 1, 0]), np.ones(3)).size
        array([2, 1, 0])
        """
        m = len(labels)
        mass = np.bincount(labels, weights=weight, minlength=m).astype(float)
        return cls(labels.astype(np.int32), np.bincount(labels, minlength=m), mass)


class Cells(NamedTuple):
    """How many items have each two labels: the one that is judged, and the one that was drawn."""

    judged: Any  # int32 (m)
    size: Any  # int64 (n_labels), items of each judged label
    drawn: Any  # int32 (m)
    key: Any  # int64, both labels as one number, rising
    count: Any  # int64

    @classmethod
    def of(cls, judged: Labels, drawn: Labels) -> Cells:
        """Count the items.

        Examples
        --------
        >>> Cells.of(np.array([0, 0, 0]), np.array([2, 2, 1])).count
        array([1, 2])
        """
        both = judged.astype(np.int64) * len(judged) + drawn
        return cls(judged, np.bincount(judged), drawn, *np.unique(both, return_counts=True))


@compiled
def redraw(graph, terms, chain, cells, sums, chance, together):
    """Draw a new label for every item in turn; add to ``together`` how likely labels stay.

    Reads graph, whose values are nats of evidence, terms and cells; writes chain and together: the
    expected share of the other items of its judged label that an item joins or, if it is alone
    there, how likely it stays alone. ``chance`` has a random number for each item.
    """
    labels, size, mass = chain.labels, chain.size, chain.mass
    spare = 0
    for i in range(len(labels)):
        own, weight = labels[i], graph.weight[i]
        size[own] -= 1
        mass[own] -= weight
        n = gather(graph, labels, i, sums, 0)
        none = _weigh(n, weight, terms, chain, sums)
        together[i] += _staying(i, n, none, sums.x, sums.touched, cells)
        to, left = -1, chance[i] - none
        for q in range(n):
            c = sums.touched[q]
            if to < 0 and left >= 0.0:
                left -= sums.x[c]
                to = c if left < 0.0 else -1
            sums.x[c] = 0.0
        if to < 0:
            to = own
            while size[to] > 0:
                to, spare = spare, (spare + 1) % len(labels)
        labels[i] = to
        size[to] += 1
        mass[to] += weight


@compiled
def _weigh(n, weight, terms, chain, sums):
    """Turn the evidence of n labels into how likely an item joins each; return how likely none.

    Before similarities are seen, a label is joined in proportion to its number of items.
    """
    best = 0.0
    for q in range(n):
        c = sums.touched[q]
        if chain.size[c] > 0:
            prior = terms.join + np.log(chain.size[c])
            sums.x[c] += prior - terms.absent * weight * chain.mass[c]
            best = max(best, sums.x[c])
    none = np.exp(-best)
    total = none
    for q in range(n):
        c = sums.touched[q]
        sums.x[c] = np.exp(sums.x[c] - best) if chain.size[c] > 0 else 0.0
        total += sums.x[c]
    for q in range(n):
        sums.x[sums.touched[q]] /= total
    return none / total


@compiled
def _staying(i, n, none, likely, touched, cells):
    """Return what an item adds to ``together``, given how likely it joins n labels, or none."""
    c = cells.judged[i]
    others = cells.size[c] - 1
    if others == 0:
        return none
    found = 0.0
    for q in range(n):
        d = touched[q]
        key = np.int64(c) * len(cells.judged) + d
        at = np.searchsorted(cells.key, key)
        if at < len(cells.key) and cells.key[at] == key:
            found += likely[d] * (cells.count[at] - (cells.drawn[i] == d))
    return found / others


@compiled
def deviations(graph, labels, mass, inside, outside, sums):
    """Return by how much evidence misses what is expected: squares summed inside, and outside.

    The evidence of an item for a label is the sum of the values of its similarities there.
    Expected is ``inside[c]`` times the weights of all pairs for its own label c, and ``outside``
    times them for others; labels without a similarity of the item count, too.
    """
    all_squares = 0.0
    for c in range(len(mass)):
        all_squares += mass[c] * mass[c]
    squares = np.zeros(2)
    for i in range(len(labels)):
        own, weight = labels[i], graph.weight[i]
        apart = outside * weight
        at_home = inside[own] * weight * (mass[own] - weight)
        squares[0] += at_home * at_home
        squares[1] += apart * apart * (all_squares - mass[own] * mass[own])
        for q in range(gather(graph, labels, i, sums, 0)):
            c = sums.touched[q]
            expected = at_home if c == own else apart * mass[c]
            squares[int(c != own)] += sums.x[c] * (sums.x[c] - 2.0 * expected)
            sums.x[c] = 0.0
    return squares
