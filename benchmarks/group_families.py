"""Problems with three groups or more and known labels, in families whose wrong matches differ.

Most families are made alike. Things have a position in a space of features; each group sees some of
them, with noise; items of two groups are matched by who is nearest. The families differ in who is
seen where, which things are near each other, and which groups are compared at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

DIMENSIONS = 16


class Matched(NamedTuple):
    """Matches (CSR, symmetric), the group of each item, and its true label."""

    similarity: sp.csr_array
    groups: Integers
    labels: Integers


def match_nearest(
    features: Array,
    groups: Integers,
    labels: Integers,
    *,
    k: int = 1,
    is_mutual: bool = True,
    is_scored: bool = True,
    window: int | None = None,
) -> Matched:
    """List the k nearest items of every item in each other group, if both choose each other.

    With ``is_mutual=False``, if one of them does. With a window, groups that differ by more are not
    compared. Scores are cosines, brought to (0, 1]; or all 1.
    """
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)
    m, order = len(groups), np.argsort(groups, kind="stable")
    unit, groups, labels = unit[order], groups[order], labels[order]
    score = (1.0 + unit @ unit.T) / 2.0
    chosen = np.zeros((m, m), dtype=bool)
    parts = np.split(np.arange(m), np.flatnonzero(np.diff(groups)) + 1)
    for one in parts:
        for other in parts:
            apart = abs(groups[one[0]] - groups[other[0]])
            if apart == 0 or (window is not None and apart > window):
                continue
            block = score[np.ix_(one, other)]
            nearest = np.argsort(-block, axis=1, kind="stable")[:, :k]
            chosen[one[:, None], other[nearest]] = True
    both = chosen & chosen.T if is_mutual else chosen | chosen.T
    value = np.where(both, score if is_scored else 1.0, 0.0)
    return Matched(sp.csr_array(np.maximum(value, value.T)), groups, labels)


def _centers(rng: np.random.Generator, n: int, twins: float = 0.0, near: float = 0.3) -> Array:
    """Draw positions of things, some of which have a twin nearby."""
    found = rng.normal(size=(n, DIMENSIONS))
    n_twins = int(twins * n / 2)
    found[:n_twins] = found[n_twins : 2 * n_twins] + near * rng.normal(size=(n_twins, DIMENSIONS))
    return found


def _see(
    rng: np.random.Generator, centers: Array, seen: NDArray[np.bool_], noise: float, n_outliers: int
) -> tuple[Array, Integers, Integers]:
    """Return features, groups and labels of what is seen, and of things that are seen once."""
    labels, groups = np.nonzero(seen)
    features = centers[labels] + noise * rng.normal(size=(len(labels), DIMENSIONS))
    n_groups = seen.shape[1]
    n = n_outliers * n_groups
    return (
        np.r_[features, rng.normal(size=(n, DIMENSIONS))],
        np.r_[groups, np.repeat(np.arange(n_groups), n_outliers)],
        np.r_[labels, len(centers) + np.arange(n)],
    )


def objects(
    seed: int,
    *,
    is_scored: bool,
    noise: float = 0.6,
    twins: float = 0.3,
    n_outliers: int = 12,
    n_things: int = 40,
    n_groups: int = 20,
) -> Matched:
    """Things that are seen in 8 to 95 % of the images, some with twins, beside outliers."""
    rng = np.random.default_rng(seed)
    seen = rng.random((n_things, n_groups)) < rng.uniform(0.08, 0.95, (n_things, 1))
    found = _see(rng, _centers(rng, n_things, twins), seen, noise, n_outliers)
    return match_nearest(*found, is_scored=is_scored)


def reidentification(seed: int, *, noise: float = 0.7, twins: float = 0.3) -> Matched:
    """Persons before six cameras at ten times, once at a time; the 12 nearest anywhere."""
    rng = np.random.default_rng(seed)
    n_persons, n_cameras, n_times = 60, 6, 10
    centers = _centers(rng, n_persons, twins)
    camera = rng.normal(size=(n_cameras, DIMENSIONS)) * 0.3
    person, time = np.nonzero(rng.random((n_persons, n_times)) < 0.6)
    at = rng.integers(n_cameras, size=len(person))
    features = centers[person] + camera[at] + noise * rng.normal(size=(len(person), DIMENSIONS))
    groups = np.unique(at * n_times + time, return_inverse=True)[1]
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)
    score = (1.0 + unit @ unit.T) / 2.0
    score[groups[:, None] == groups] = 0.0
    nearest = np.argsort(-score, axis=1)[:, :12]
    chosen = np.zeros(score.shape, dtype=bool)
    np.put_along_axis(chosen, nearest, True, axis=1)
    return Matched(sp.csr_array(np.where(chosen | chosen.T, score, 0.0)), groups, person)


def windows(
    seed: int, *, is_scored: bool, noise: float = 0.5, window: int = 4, wrong: float = 0.0
) -> Matched:
    """Tracks through 30 frames, each compared with the next few; some matches are joined anew."""
    rng = np.random.default_rng(seed)
    n_things, n_frames = 60, 30
    first = rng.integers(-5, n_frames - 3, size=(n_things, 1))
    length = rng.integers(4, 25, size=(n_things, 1))
    frame = np.arange(n_frames)
    seen = (frame >= first) & (frame < first + length) & (rng.random((n_things, n_frames)) < 0.85)
    found = _see(rng, _centers(rng, n_things, 0.2), seen, noise, 3)
    matched = match_nearest(*found, is_scored=is_scored, window=window)
    return _swap(matched, wrong, rng)


def _swap(matched: Matched, share: float, rng: np.random.Generator) -> Matched:
    """Let a share of the matches end at another item of the same group."""
    if share == 0.0:
        return matched
    W, groups, labels = matched
    upper = sp.triu(W).tocoo()
    other = upper.col.copy()
    members = [np.flatnonzero(groups == g) for g in range(groups.max() + 1)]
    for at in np.flatnonzero(rng.random(len(other)) < share):
        other[at] = rng.choice(members[groups[other[at]]])
    half = sp.coo_array((upper.data, (upper.row, other)), shape=W.shape).tocsr()
    half.data = np.minimum(half.data, upper.data.max())
    return Matched(sp.csr_array(half.maximum(half.T)), groups, labels)


def giant(seed: int, *, is_scored: bool = False) -> Matched:
    """Many things that are seen two or three times, and some that are seen in every image."""
    rng = np.random.default_rng(seed)
    n_things, n_groups = 150, 40
    seen = rng.random((n_things, n_groups)) < 2.5 / n_groups
    seen[:2] = True
    found = _see(rng, _centers(rng, n_things), seen, 0.4, 0)
    return _swap(match_nearest(*found, is_scored=is_scored), 0.2, rng)


def power_law(seed: int, *, is_scored: bool = False) -> Matched:
    """Things that are seen 1 to 40 times, by a power law."""
    rng = np.random.default_rng(seed)
    n_things, n_groups = 120, 40
    times = np.minimum(2 / rng.random(n_things), n_groups)
    seen = rng.random((n_things, n_groups)) < times[:, None] / n_groups
    return match_nearest(*_see(rng, _centers(rng, n_things), seen, 0.5, 1), is_scored=is_scored)


def outlier_images(seed: int, *, agree: bool = False, share: float = 0.4) -> Matched:
    """Images of which some show other things: nothing twice or, if they agree, another scene."""
    rng = np.random.default_rng(seed)
    n_things, n_groups = 20, 20
    n_other = int(share * n_groups)
    seen = np.zeros((2 * n_things if agree else n_things, n_groups), dtype=bool)
    seen[:n_things, n_other:] = rng.random((n_things, n_groups - n_other)) < 0.7
    if agree:
        seen[n_things:, :n_other] = rng.random((n_things, n_other)) < 0.7
    centers = _centers(rng, len(seen))
    features, groups, labels = _see(rng, centers, seen, 0.6, 0)
    if not agree:
        n = 14 * n_other
        features = np.r_[features, rng.normal(size=(n, DIMENSIONS))]
        groups = np.r_[groups, np.repeat(np.arange(n_other), 14)]
        labels = np.r_[labels, n_things + np.arange(n)]
    return match_nearest(features, groups, labels, is_scored=False)


def keypoints(seed: int, *, is_scored: bool, repeats: int = 3, noise: float = 0.35) -> Matched:
    """Keypoints of one object, of which some look alike, as windows of a house do."""
    rng = np.random.default_rng(seed)
    n_things, n_groups = 30, 16
    centers = _centers(rng, n_things)
    pattern = np.arange(n_things) % (n_things // repeats)
    alike = np.arange(n_things) < n_things // 2
    centers[alike] = centers[pattern[alike]] + 0.35 * rng.normal(size=(alike.sum(), DIMENSIONS))
    seen = rng.random((n_things, n_groups)) < 0.8
    return match_nearest(*_see(rng, centers, seen, noise, 3), is_scored=is_scored)


def shops(seed: int, *, covered: float = 0.25, n_groups: int = 12, k: int = 1) -> Matched:
    """Titles of goods in shops, with similar ones of one maker; the best ones in each shop."""
    rng = np.random.default_rng(seed)
    n_makers, n_goods = 30, 150
    maker = rng.normal(size=(n_makers, DIMENSIONS))
    centers = maker[rng.integers(n_makers, size=n_goods)] + 0.45 * _centers(rng, n_goods)
    seen = rng.random((n_goods, n_groups)) < covered * rng.uniform(0.3, 1.7, (n_goods, 1))
    found = _see(rng, centers, seen, 0.12, 6)
    return match_nearest(*found, k=k, is_mutual=False)


def lists(seed: int, *, k: int = 1, noise: float = 0.35, covered: float = 0.65) -> Matched:
    """List nearly the same things in all sources, under names that differ more or less."""
    rng = np.random.default_rng(seed)
    n_things, n_groups = 120, 10
    seen = rng.random((n_things, n_groups)) < covered
    centers = _centers(rng, n_things, 0.4, 0.45)
    labels, groups = np.nonzero(seen)
    spread = noise * rng.uniform(0.2, 2.0, len(labels))[:, None]
    features = centers[labels] + spread * rng.normal(size=(len(labels), DIMENSIONS))
    return match_nearest(features, groups, labels, k=k, is_mutual=False)


FAMILIES: dict[str, Callable[[int], Matched]] = {
    "objects 0/1": partial(objects, is_scored=False),
    "objects 0/1, outliers": partial(objects, is_scored=False, twins=0.0, n_outliers=25),
    "objects 0/1, noisy": partial(objects, is_scored=False, noise=0.9),
    "objects 0/1, few outliers": partial(objects, is_scored=False, n_outliers=3),
    "objects scored": partial(objects, is_scored=True),
    "objects scored, outliers": partial(objects, is_scored=True, twins=0.0, n_outliers=25),
    "objects scored, noisy": partial(objects, is_scored=True, noise=0.9),
    "re-identification": reidentification,
    "re-identification, noisy": partial(reidentification, noise=1.0, twins=0.0),
    "windows 0/1": partial(windows, is_scored=False),
    "windows 0/1, 15 % wrong": partial(windows, is_scored=False, wrong=0.15),
    "windows 0/1, noisy": partial(windows, is_scored=False, noise=0.8, window=6),
    "windows scored": partial(windows, is_scored=True, noise=0.8),
    "one giant": giant,
    "power law": power_law,
    "power law scored": partial(power_law, is_scored=True),
    "outlier images": outlier_images,
    "outlier images that agree": partial(outlier_images, agree=True),
    "keypoints 0/1": partial(keypoints, is_scored=False),
    "keypoints scored": partial(keypoints, is_scored=True),
    "keypoints scored, repeats": partial(keypoints, is_scored=True, repeats=6, noise=0.5),
    "shops": shops,
    "shops, k 3": partial(shops, k=3, covered=0.35),
    "lists": lists,
    "lists, k 3": partial(lists, k=3),
    "lists, few": partial(lists, covered=0.3),
}


def problems(seeds: range) -> Iterator[tuple[str, int, Matched]]:
    """Yield the family, the seed and the problem, for each family and seed."""
    for family, make in FAMILIES.items():
        for seed in seeds:
            yield family, seed, make(seed)
