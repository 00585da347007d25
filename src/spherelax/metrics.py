"""How good labels or matchings are: pairwise scores and cycle consistency."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from spherelax.errors import InvalidInputError
from spherelax.labels import count_labels, count_pairs, encode, inside_pairs, renumber
from spherelax.problem import Similarity
from spherelax.settings import POSITIVE_INTEGER, check_range

# A similarity is read in blocks of this number of rows, which saves memory.
BLOCK_ROWS = 256


class PairScores(NamedTuple):
    """Precision, recall and their harmonic mean over pairs of items.

    Examples
    --------
    >>> pairwise_scores([0, 0, 0, 1], [0, 0, 1, 1])
    PairScores(precision=0.5, recall=0.3333333333333333, f_score=0.4)
    """

    precision: float
    recall: float
    f_score: float


class Correctness(NamedTuple):
    """Which labels are right, by the truth: what :class:`spherelax.Result` has probabilities of.

    Attributes
    ----------
    items : ndarray of shape (n_items,)
        The share of the other items of its label that are the same thing; of an item that is alone,
        1 if no other item is the same, else 0.
    pure, whole : boolean ndarray of shape (n_labels,)
        Whether all items of the label are the same thing, and whether no item outside is the same
        as one of its items.
    pairs : boolean ndarray of shape (n_pairs,)
        Whether the pair is right, in the order of ``Result.pairs()``.

    Examples
    --------
    >>> correctness(["x", "x", "y"], [0, 0, 0]).pure
    array([False])
    """

    items: NDArray[np.float64]
    pure: NDArray[np.bool_]
    whole: NDArray[np.bool_]
    pairs: NDArray[np.bool_]


def correctness(labels_true: Iterable[Hashable], labels: Iterable[Hashable]) -> Correctness:
    """Tell which items, labels and pairs are right, to compare probabilities with.

    Parameters
    ----------
    labels_true, labels : sequence of n_items labels
        The true labels, and the labels to judge.

    Returns
    -------
    Correctness
        Labels are in order of first appearance.

    Examples
    --------
    >>> found = correctness([0, 0, 1, 2, 2], ["a", "a", "a", "b", "c"])
    >>> found.items, found.pure, found.whole, found.pairs
    (array([0.5, 0.5, 0. , 0. , 0. ]), array([False,  True,  True]), array([ True, False, False]), \
array([ True, False, False]))
    """
    truth, found = renumber(encode(labels_true, "labels_true")), renumber(encode(labels, "labels"))
    if len(truth) != len(found):
        raise InvalidInputError(
            f"labels_true and labels must have the same length; found {len(truth)}, {len(found)}"
        )
    n_things, size = count_labels(truth), np.bincount(found)
    cells, cell_of, n_same = np.unique(
        found.astype(np.int64) * n_things + truth, return_inverse=True, return_counts=True
    )
    label, thing = np.divmod(cells, n_things)
    n_true = np.bincount(truth)
    others = size[found] - 1
    share = (n_same[cell_of] - 1) / np.maximum(others, 1)
    pairs = inside_pairs(found)
    pairs = pairs[np.lexsort(pairs.T[::-1])]
    return Correctness(
        items=np.where(others > 0, share, n_true[truth] == 1),
        pure=np.bincount(label) == 1,
        whole=np.bincount(label, weights=n_true[thing]) == size,
        pairs=truth[pairs[:, 0]] == truth[pairs[:, 1]],
    )


class Reliability(NamedTuple):
    """Probabilities in bins, and how often what they are of is right.

    Attributes
    ----------
    n : ndarray of shape (n_bins,)
        Number of probabilities in each bin.
    said, right : ndarray of shape (n_bins,)
        Mean probability of each bin, and the share that is right; NaN in an empty bin.
    error : float
        The expected calibration error: the mean difference of ``said`` and ``right``, over all.

    Examples
    --------
    >>> reliability([0.2, 0.3], [0, 1], n_bins=1).right
    array([0.5])
    """

    n: NDArray[np.intp]
    said: NDArray[np.float64]
    right: NDArray[np.float64]
    error: float


def reliability(probability: ArrayLike, right: ArrayLike, *, n_bins: int = 10) -> Reliability:
    """Compare probabilities with how often they are right, in bins of equal width.

    Parameters
    ----------
    probability : array-like of shape (n,)
        From 0 to 1.
    right : array-like of shape (n,)
        Whether each is right, or the share that is.
    n_bins : int
        Number of bins.

    Returns
    -------
    Reliability
        Counts, means and the expected calibration error.

    Examples
    --------
    >>> found = reliability([0.1, 0.2, 0.9, 0.9], [False, False, True, False], n_bins=2)
    >>> found.n, found.said.round(2), found.right, round(found.error, 3)
    (array([2, 2]), array([0.15, 0.9 ]), array([0. , 0.5]), 0.275)
    """
    p, y = np.asarray(probability, dtype=float), np.asarray(right, dtype=float)
    if p.ndim != 1 or p.shape != y.shape:
        raise InvalidInputError(
            f"probability and right must be of one length; found shapes {p.shape} and {y.shape}"
        )
    if not np.all((p >= 0) & (p <= 1) & (y >= 0) & (y <= 1)):
        raise InvalidInputError("probability and right must be numbers from 0 to 1; found others")
    check_range(POSITIVE_INTEGER, n_bins=n_bins)
    bins = np.minimum((p * n_bins).astype(int), n_bins - 1)
    count = np.bincount(bins, minlength=n_bins)
    sums = [np.bincount(bins, weights=values, minlength=n_bins) for values in (p, y)]
    with np.errstate(invalid="ignore"):
        said, share = (values / count for values in sums)
    error = float(np.abs(sums[0] - sums[1]).sum() / max(len(p), 1))
    return Reliability(count, said, share, error)


def pairwise_scores(
    labels_true: Iterable[Hashable],
    labels: Iterable[Hashable],
    groups: Iterable[Hashable] | None = None,
) -> PairScores:
    """Score the pairs of items that share a label against those that should.

    Pairs are counted from the sizes of labels in O(n_items log n_items) and never listed. If no
    pair shares a label, the precision is 1; if no pair should share one, the recall is 1.

    Parameters
    ----------
    labels_true, labels : sequence of n_items labels
        The true labels, and the labels to score.
    groups : sequence of n_items labels, optional
        If given, only pairs of items from different groups count.

    Returns
    -------
    PairScores
        ``precision``, ``recall`` and ``f_score``.

    Examples
    --------
    >>> pairwise_scores([0, 1, 0, 1], [5, 5, 5, 7], groups=["a", "a", "b", "b"]).recall
    0.5
    """
    truth, found = encode(labels_true, "labels_true"), encode(labels, "labels")
    if len(truth) == 0:
        raise InvalidInputError("labels_true must hold at least one label; found none")
    if len(truth) != len(found):
        raise InvalidInputError(
            f"labels must have one entry per true label, {len(truth)}; found {len(found)}"
        )
    n_both, n_found, n_true = _n_pairs_of_both(truth, found), _n_pairs(found), _n_pairs(truth)
    if groups is not None:
        both = _combined(truth, found)
        within = encode(groups, "groups")
        if len(within) != len(truth):
            raise InvalidInputError(
                f"groups must have one label per item, {len(truth)}; found {len(within)}"
            )
        n_both -= _n_pairs(_combined(both, within))
        n_found -= _n_pairs(_combined(found, within))
        n_true -= _n_pairs(_combined(truth, within))
    return PairScores(
        _share(n_both, n_found), _share(n_both, n_true), _share(2 * n_both, n_found + n_true)
    )


def match_scores(
    labels_true: Iterable[Hashable], matches: ArrayLike, groups: Iterable[Hashable]
) -> PairScores:
    """Score pairs of items against those that should share a label.

    This is `pairwise_scores` for methods that return matches instead of labels; the matches need
    not be cycle consistent. Only pairs of items from different groups count.

    Parameters
    ----------
    labels_true : sequence of n_items labels
        The true labels.
    matches : array-like of shape (n_matches, 2)
        Pairs of items; order and repetition do not matter.
    groups : sequence of n_items labels
        Group of each item.

    Returns
    -------
    PairScores
        ``precision``, ``recall`` and ``f_score``.

    Examples
    --------
    >>> match_scores([0, 0, 0], [[0, 1], [1, 2]], groups=["a", "b", "c"])
    PairScores(precision=1.0, recall=0.6666666666666666, f_score=0.8)
    """
    truth, within = encode(labels_true, "labels_true"), encode(groups, "groups")
    if len(truth) == 0:
        raise InvalidInputError("labels_true must hold at least one label; found none")
    if len(within) != len(truth):
        raise InvalidInputError(
            f"groups must have one label per item, {len(truth)}; found {len(within)}"
        )
    pairs = np.sort(_pairs_of_items(matches, len(truth)), axis=1)
    first, second = np.unique(pairs[within[pairs[:, 0]] != within[pairs[:, 1]]], axis=0).T
    n_found, n_both = len(first), int((truth[first] == truth[second]).sum())
    n_true = _n_pairs(truth) - _n_pairs(_combined(truth, within))
    return PairScores(
        _share(n_both, n_found), _share(n_both, n_true), _share(2 * n_both, n_found + n_true)
    )


def modularity(similarity: Similarity, labels: Iterable[Hashable]) -> float:
    """Return the share of similarity inside labels, minus the share expected at random.

    ``Q = sum_c (W_c / W - (d_c / W)^2)``, where W is the sum of all similarities, W_c the sum
    inside label c, and d_c the sum of its items with all items. Similarities of items with
    themselves do not count (Newman and Girvan 2004).

    Parameters
    ----------
    similarity : ndarray or sparse array of shape (n_items, n_items)
        Symmetric and non-negative.
    labels : sequence of n_items labels
        One label per item.

    Examples
    --------
    >>> W = np.kron(np.eye(2), np.ones((3, 3)))
    >>> modularity(W, [0, 0, 0, 1, 1, 1]), modularity(W, [0, 0, 0, 0, 0, 0])
    (0.5, 0.0)
    """
    codes = encode(labels, "labels")
    m = len(codes)
    scale = float(similarity.max()) or 1.0
    totals, inside = np.empty(m), np.empty(m)
    for first in range(0, m, BLOCK_ROWS):
        rows = slice(first, first + BLOCK_ROWS)
        block = sp.coo_array(similarity[rows])
        kept = block.data / scale * (block.row + first != block.col)
        same = codes[block.row + first] == codes[block.col]
        totals[rows] = np.bincount(block.row, kept, block.shape[0])
        inside[rows] = np.bincount(block.row, kept * same, block.shape[0])
    if totals.sum() <= 0.0:
        return 0.0
    shares = np.bincount(codes, totals) / totals.sum()
    return float(inside.sum() / totals.sum() - shares @ shares)


def cycle_consistency(matches: ArrayLike, groups: Iterable[Hashable]) -> float:
    """Return the share of chains of two matches that a third match closes.

    A chain is a pair of matches i ~ j and j ~ l with i != l. It is closed if i and l lie in
    different groups and are matched too. Matchings that follow from labels close every chain, and
    matchings that close every chain follow from labels; without any chain the share is 1.

    Parameters
    ----------
    matches : array-like of shape (n_matches, 2)
        Pairs of items; order and repetition do not matter. The pairs that a similarity ``W``
        claims are ``np.argwhere(np.triu(W, 1))``.
    groups : sequence of n_items labels
        Group of each item.

    Examples
    --------
    >>> cycle_consistency([[0, 1], [1, 2]], groups=["a", "b", "c"])
    0.0
    >>> cycle_consistency([[0, 1], [1, 2], [0, 2]], groups=["a", "b", "c"])
    1.0
    """
    within = encode(groups, "groups")
    m = len(within)
    pairs = _pairs_of_items(matches, m)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    first, second = np.r_[pairs, pairs[:, ::-1]].T
    matched = sp.csr_array((np.ones(len(first)), (first, second)), shape=(m, m))
    matched.data[:] = 1.0
    chains = (matched @ matched).tocsr()
    n_chains = chains.sum() - chains.diagonal().sum()
    across = matched.tocoo()
    across.data[within[across.row] == within[across.col]] = 0.0
    return _share(float(chains.multiply(across).sum()), float(n_chains))


def _pairs_of_items(matches: ArrayLike, m: int) -> NDArray[np.integer]:
    """Check that matches are pairs of the m items."""
    pairs = np.asarray(matches)
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise InvalidInputError(
            f"matches must be integers of shape (n_matches, 2); found {pairs.dtype} {pairs.shape}"
        )
    if pairs.min() < 0 or pairs.max() >= m:
        raise InvalidInputError(
            f"matches must be items from 0 to {m - 1}; found {pairs.min()} to {pairs.max()}"
        )
    return pairs


def _n_pairs_of_both(first: NDArray[np.intp], second: NDArray[np.intp]) -> int:
    """Count the pairs that share a code in both labelings."""
    cells = np.sort(first * (second.max() + 1) + second)
    ends = np.flatnonzero(np.r_[cells[1:] != cells[:-1], True])
    sizes = np.diff(ends, prepend=-1)
    return int(count_pairs(sizes).sum())


def _combined(first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.intp]:
    """Turn combinations of two labels into integers from 0."""
    combined = first * (second.max() + 1) + second
    return np.asarray(np.unique(combined, return_inverse=True)[1])


def _n_pairs(codes: NDArray[np.intp]) -> int:
    """Count the pairs with equal codes."""
    sizes = np.bincount(codes)
    return int(count_pairs(sizes).sum())


def _share(part: float | np.integer, whole: float | np.integer) -> float:
    """Return part / whole, or 1 if the whole is 0."""
    return float(part / whole) if whole else 1.0
