"""Sparse problems of any size with known labels, a share of whose similarities is wrong.

There are 15 similarities per item, and 2 between few sources.

Similarities are 1; their pairs are distinct and drawn uniformly. A wrong similarity joins items of
different labels. The time is linear in their number: a million items take seconds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

N_OBJECTS, OBSERVED = 100, 0.3
CLUSTER_SIZE = 100
DEGREE = 15
# Few large groups: sources that each hold most of the entities.
N_SOURCES, HELD, SOURCES_DEGREE = 5, 0.8, 2
# Sizes s of clusters are from the first to the second number, with probability ~ s ** -2.
POWER_LAW_SIZES = 5, 1000
# Ratio of drawn to needed pairs: some are drawn twice, inside an object, or right by accident. With
# few sources, most of the right pairs are needed.
SPARE_PAIRS, SPARE_PAIRS_OF_SOURCES = 1.6, 3.0


class Synthetic(NamedTuple):
    """A similarity (CSR, float32), the true label of each item, and its object where it has one."""

    similarity: sp.csr_array
    labels: np.ndarray
    groups: np.ndarray | None


def matching(n_items: int, *, wrong: float = 0.3, seed: int = 0) -> Synthetic:
    """Make objects that each see a point of the universe with probability `OBSERVED`.

    The number of items is ``n_items`` on average.
    """
    rng = np.random.default_rng(seed)
    universe = max(1, round(n_items / (N_OBJECTS * OBSERVED)))
    labels, groups = np.nonzero(rng.random((universe, N_OBJECTS)) < OBSERVED)
    order = rng.permutation(len(labels))
    labels, groups = labels[order], groups[order]
    return Synthetic(_similarity(labels, groups, wrong, rng), labels, groups)


def sources(n_items: int, *, wrong: float = 0.3, seed: int = 0) -> Synthetic:
    """Make a few large groups that each hold an entity with probability `HELD`."""
    rng = np.random.default_rng(seed)
    n_entities = max(1, round(n_items / (N_SOURCES * HELD)))
    labels, groups = np.nonzero(rng.random((n_entities, N_SOURCES)) < HELD)
    order = rng.permutation(len(labels))
    labels, groups = labels[order], groups[order]
    W = _similarity(labels, groups, wrong, rng, degree=SOURCES_DEGREE, spare=SPARE_PAIRS_OF_SOURCES)
    return Synthetic(W, labels, groups)


def planted(n_items: int, *, wrong: float = 0.3, seed: int = 0) -> Synthetic:
    """Make clusters of about `CLUSTER_SIZE` items."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(max(1, n_items // CLUSTER_SIZE), size=n_items)
    return Synthetic(_similarity(labels, None, wrong, rng), labels, None)


def power_law(n_items: int, *, wrong: float = 0.3, seed: int = 0) -> Synthetic:
    """Make clusters of very different sizes, the smallest of them complete."""
    rng = np.random.default_rng(seed)
    low, high = POWER_LAW_SIZES
    sizes = (1.0 / rng.uniform(1.0 / high, 1.0 / low, size=1 + n_items // low)).astype(int)
    ends = np.cumsum(sizes)
    labels = rng.permutation(np.searchsorted(ends, np.arange(n_items), side="right"))
    return Synthetic(_similarity(labels, None, wrong, rng), labels, None)


def scored() -> sp.csr_array:
    """List 300 records of 100 entities in 3 sources: all right pairs and some wrong ones."""
    rng = np.random.default_rng(0)
    truth = np.tile(np.arange(100), 3)
    one, other = np.triu_indices(300, 1)
    is_right = truth[one] == truth[other]
    listed = is_right | (rng.random(len(one)) < 0.01)
    score = np.clip(rng.normal(0.4 + 0.4 * is_right, 0.1), 0.01, 1.0)
    W = sp.coo_array((score[listed], (one[listed], other[listed])), shape=(300, 300))
    return (W + W.T).tocsr()


def _similarity(
    labels: np.ndarray,
    groups: np.ndarray | None,
    wrong: float,
    rng: np.random.Generator,
    *,
    degree: int = DEGREE,
    spare: float = SPARE_PAIRS,
) -> sp.csr_array:
    """Draw right and wrong pairs and put them into a symmetric matrix."""
    m = len(labels)
    n_pairs = m * degree // 2
    n_wrong = round(wrong * n_pairs)
    by_label = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    starts = np.cumsum(sizes) - sizes

    first = rng.integers(m, size=int(spare * (n_pairs - n_wrong)))
    label = labels[first]
    second = by_label[starts[label] + (rng.random(len(first)) * sizes[label]).astype(np.intp)]
    right = _distinct(first, second, groups, n_pairs - n_wrong, rng)

    first, second = rng.integers(m, size=(2, int(spare * n_wrong)))
    differ = labels[first] != labels[second]
    others = _distinct(first[differ], second[differ], groups, n_wrong, rng)

    rows, columns = np.concatenate([right, others], axis=1)
    upper = sp.coo_array((np.ones(len(rows), np.float32), (rows, columns)), shape=(m, m)).tocsr()
    return sp.csr_array(upper + upper.T)


def _distinct(
    first: np.ndarray,
    second: np.ndarray,
    groups: np.ndarray | None,
    n_pairs: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Choose ``n_pairs`` of the different pairs ``i < j`` across groups, in random order."""
    keep = first != second if groups is None else groups[first] != groups[second]
    low, high = np.sort([first[keep], second[keep]], axis=0).astype(np.int32)
    pairs = np.unique((low.astype(np.int64) << 32) | high)
    pairs = rng.permutation(pairs)[:n_pairs]
    return np.array([pairs >> 32, pairs & 0xFFFFFFFF], dtype=np.int32)
