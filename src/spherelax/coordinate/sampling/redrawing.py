"""Labels of a graph drawn anew, one item after the other, and what that says of them: compiled.

Unlike in `watching`, a visit takes no longer if labels are large.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph.neighbors import gather
from spherelax.coordinate.machine.compiled import compiled
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
    """How many items have each two labels: the one that is judged, and the one that was drawn.

    It is a hash table, whose empty places have the key -1.
    """

    judged: Any  # int32 (m)
    size: Any  # int64 (n_labels), items of each judged label
    key: Any  # int64 (a power of 2), both labels as one number
    count: Any  # int64 (as many)

    @classmethod
    def of(cls, judged: Labels) -> Cells:
        """Return cells with room for all that one pass may need."""
        room = 1 << int(4 * len(judged) - 1).bit_length()
        return cls(judged, np.bincount(judged), np.full(room, -1), np.zeros(room, np.int64))


@compiled
def count_all(cells, drawn):
    """Count the items anew."""
    cells.key[:] = -1
    cells.count[:] = 0
    for i in range(len(drawn)):
        _count(cells, cells.judged[i], drawn[i], 1)


@compiled
def _count(cells, judged, drawn, n):
    """Count n more items with two labels; return how many there are."""
    mask = np.uint64(len(cells.key) - 1)
    key = np.int64(judged) * len(cells.judged) + drawn
    at = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(20)) & mask)
    while cells.key[at] not in (-1, key):
        at = (at + 1) & np.int64(mask)
    if n != 0:
        cells.key[at] = key
        cells.count[at] += n
    return cells.count[at]


@compiled
def redraw(graph, terms, chain, cells, sums, chance, together):
    """Draw a new label for every item in turn; add to ``together`` how likely labels stay.

    Reads graph, whose values are nats of evidence, and terms; writes chain, cells and together: the
    expected share of the other items of its judged label that an item joins or, if it is alone
    there, how likely it stays alone. ``chance`` has a random number for each item.
    """
    labels, size, mass = chain.labels, chain.size, chain.mass
    count_all(cells, labels)
    spare = 0
    for i in range(len(labels)):
        own, weight = labels[i], graph.weight[i]
        size[own] -= 1
        mass[own] -= weight
        _count(cells, cells.judged[i], own, -1)
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
        _count(cells, cells.judged[i], to, 1)


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
        if likely[touched[q]] > 0.0:
            found += likely[touched[q]] * _count(cells, c, touched[q], 0)
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
