"""Generators of the paper's synthetic problems; each says what the paper does not fix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from spherelax.datasets.kinds import Seed
from spherelax.errors import InvalidInputError
from spherelax.settings import Range, check_range

FRACTION = Range(0, 1, high_open=False)
COUNT = Range(1, integer=True)


def make_partial_matching(
    n_groups: int = 20,
    universe: int = 20,
    *,
    observed: float = 0.5,
    shuffled: float = 0.3,
    kind: str = "rows",
    random_state: Seed = None,
) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
    """Make a multi-matching problem in which each object shows a part of the universe.

    Each of the ``universe`` points is seen in each of the ``n_groups`` objects with probability
    ``observed``, independently. The items of an object are in random order. The true matching of
    two objects pairs the items that show the same point. Errors are added to each pair of objects
    independently: ``round(shuffled * n)`` of the n rows of its 0/1 block are drawn and randomly
    permuted, so some of them may stay where they are.

    The paper says "the portion of randomly shuffled ground truth matchings". With ``kind="rows"``
    all rows of the block may be drawn, matched or not, as in a demonstration published by the
    paper's co-authors; then a row without a match can get a wrong one. With ``kind="matches"`` only
    rows that have a match are drawn, which adds fewer errors.

    Parameters
    ----------
    n_groups, universe : int
        Number of objects, q of the paper, and of points, d of the paper.
    observed, shuffled : float in [0, 1]
        rho and sigma of the paper.
    kind : {"rows", "matches"}
        Which rows of a block may be shuffled.
    random_state : int, RandomState or None
        Seed or generator of all random choices, as in scikit-learn.

    Returns
    -------
    similarity : ndarray of shape (n_items, n_items)
        0/1, symmetric, identity inside each object.
    groups, labels : ndarray of shape (n_items,)
        Object of each item and the universe point that it shows.

    Examples
    --------
    >>> W, groups, labels = make_partial_matching(4, 3, observed=0.8, random_state=0)
    >>> W.shape, groups.tolist(), labels.tolist()
    ((9, 9), [0, 0, 0, 1, 1, 2, 2, 3, 3], [0, 2, 1, 1, 0, 1, 0, 0, 2])
    """
    check_range(COUNT, n_groups=n_groups, universe=universe)
    check_range(FRACTION, observed=observed, shuffled=shuffled)
    if kind not in ("rows", "matches"):
        raise InvalidInputError(f"kind must be 'rows' or 'matches'; found {kind!r}")
    rng = check_random_state(random_state)
    points = [
        rng.permutation(np.flatnonzero(rng.random_sample(universe) < observed))
        for _ in range(n_groups)
    ]
    sizes = [len(p) for p in points]
    ends = np.cumsum(sizes)
    if ends[-1] == 0:
        raise InvalidInputError("observed must be large enough to see anything; no item was drawn")
    similarity = np.eye(ends[-1])
    blocks = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    for i in range(n_groups):
        for j in range(i + 1, n_groups):
            block = (points[i][:, None] == points[j]).astype(float)
            rows = np.arange(len(block)) if kind == "rows" else np.flatnonzero(block.any(axis=1))
            drawn = rng.permutation(rows)[: round(shuffled * len(rows))]
            block[drawn] = block[rng.permutation(drawn)]
            similarity[blocks[i], blocks[j]] = block
            similarity[blocks[j], blocks[i]] = block.T
    return similarity, np.repeat(np.arange(n_groups), sizes), np.concatenate(points)


def make_binary_similarity(
    n_items: int = 150,
    n_clusters: int = 5,
    *,
    rewired: float = 0.3,
    missing: float = 0.2,
    random_state: Seed = None,
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Make a binary similarity of items in clusters.

    Each item belongs to one of ``n_clusters`` clusters, drawn uniformly and independently. Two
    different items have similarity 1 if they share a cluster and 0 if not. Then each pair is, with
    probability ``rewired``, replaced by 0 or 1 with equal probability, and after that, with
    probability ``missing``, set to 0. The diagonal is 1.

    The paper calls these the degree of randomness in the elements and the degree of missing data.
    It could also mean that the chosen elements are permuted, which keeps the number of ones;
    replacing them gives harder problems.

    Parameters
    ----------
    n_items, n_clusters : int
        m and k* of the paper.
    rewired, missing : float in [0, 1]
        rho and nu of the paper.
    random_state : int, RandomState or None
        Seed or generator of all random choices, as in scikit-learn.

    Returns
    -------
    similarity : ndarray of shape (n_items, n_items)
        0/1 and symmetric.
    labels : ndarray of shape (n_items,)
        The cluster of each item.

    Examples
    --------
    >>> W, labels = make_binary_similarity(30, 3, rewired=0, missing=0, random_state=0)
    >>> bool((W == (labels[:, None] == labels)).all())
    True
    """
    check_range(COUNT, n_items=n_items, n_clusters=n_clusters)
    check_range(FRACTION, rewired=rewired, missing=missing)
    rng = check_random_state(random_state)
    labels = rng.randint(n_clusters, size=n_items)
    pairs = np.triu_indices(n_items, 1)
    values = labels[pairs[0]] == labels[pairs[1]]
    drawn = rng.random_sample(len(values)) < rewired
    values[drawn] = rng.random_sample(np.count_nonzero(drawn)) < 0.5
    values[rng.random_sample(len(values)) < missing] = False
    similarity = np.eye(n_items)
    similarity[pairs] = values
    similarity.T[pairs] = values
    return similarity, labels


def make_gaussian_mixture(
    n_samples: int = 200,
    n_clusters: int = 5,
    *,
    mean_distance: float = 1.0,
    mean_variance: float = 0.7,
    random_state: Seed = None,
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Make points in the plane from a mixture of overlapping round Gaussians of different scales.

    Centres are drawn from a standard normal distribution, then scaled so that the mean distance of
    two of them is ``mean_distance``. Variances are drawn from an exponential distribution, then
    scaled so that their mean is ``mean_variance``. The component of each point is drawn uniformly.

    The paper gives the mean distance of the centres, 1, and the mean variance, 0.7, and says that
    scales differ. The distributions are our choice. The means are exact in each draw, which makes
    draws more alike.

    Parameters
    ----------
    n_samples, n_clusters : int
        Number of points and of components.
    mean_distance, mean_variance : float
        The two means, exactly; the distance has no effect on a single component.
    random_state : int, RandomState or None
        Seed or generator of all random choices, as in scikit-learn.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The points.
    labels : ndarray of shape (n_samples,)
        The component of each point.

    Examples
    --------
    >>> X, labels = make_gaussian_mixture(100, 3, random_state=0)
    >>> X.shape, len(set(labels.tolist()))
    ((100, 2), 3)
    """
    check_range(COUNT, n_samples=n_samples, n_clusters=n_clusters)
    check_range(Range(0), mean_distance=mean_distance, mean_variance=mean_variance)
    rng = check_random_state(random_state)
    centres = rng.standard_normal((n_clusters, 2))
    if n_clusters > 1:
        first, second = np.triu_indices(n_clusters, 1)
        distances = np.linalg.norm(centres[first] - centres[second], axis=1)
        centres *= mean_distance / distances.mean()
    variances = rng.standard_exponential(n_clusters)
    variances *= mean_variance / variances.mean()
    labels = rng.randint(n_clusters, size=n_samples)
    noise = rng.standard_normal((n_samples, 2)) * np.sqrt(variances[labels])[:, None]
    return centres[labels] + noise, labels
