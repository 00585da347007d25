"""Whether labels say more about similarities than could be said about noise.

Noise is made from the problem itself: the same similarities, joined to other items at random.
"""

from __future__ import annotations

from math import expm1
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.special import lambertw

from spherelax.coordinate.graph import Graph, Totals, build_graph, components_up_to, draw
from spherelax.coordinate.model import Model
from spherelax.coordinate.readings import Learnt, Ranked, begin
from spherelax.coordinate.run import Walked, learn, walk
from spherelax.coordinate.trail import Route
from spherelax.coordinate.worth import CHARGED, unnamed_cost
from spherelax.problem import Problem

# Labels that save at least this number of nats per item are not compared with noise.
DOUBTFUL = 0.7
# Savings of noise vary by about the square root of the number of items. Labels must save more than
# those of noise by this multiple of that root. Besides, without groups, they must save this factor
# times as much; with groups, where labels of noise may cost more than they save, this number of
# nats per item more.
SPREAD = 1.5
BEYOND_NOISE = 1.5
ABOVE_NOISE = 0.15
# Without groups, labels are compared with those of noise at the same resolution, and at this number
# of steps before and after. From some step on, large labels save more than small ones. That is not
# the same step in all noise, so labels must also save more than those of noise at any later step.
STEPS_AROUND = 1
# With groups, fewer items than that cannot show noise.
FEW = 20
# Problems of noise that are solved, and at most, where labels save more than those of noise, but
# not by this multiple of SPREAD; of many items, one is like the other.
N_SURROGATES = 3
MOST_SURROGATES = 9
CLEAR = 2.0
N_SURROGATES_OF_MANY = 1
# Of a group with more items than this multiple of its similarities with another group, only the
# items that have any change places: else many small groups beside a large one would take memory for
# the product of both.
SPARSE = 64


def beyond_noise(walked: Walked, route: Route) -> NDArray[np.bool_]:
    """Tell which steps describe the similarities clearly better than they could describe noise.

    Weak structure saves less than the many labels of noise do at their best resolution, but more
    than noise saves at the same one or with larger labels. With groups, the best labels stand for
    all steps. Nobody can tell it of two groups, whose matches are always consistent, or of a few
    items.
    """
    model, path = walked.model, walked.path
    savings, grouped = np.asarray(path.savings), model.graph.grouped
    labels = walked.labels[model.graph.weight > 0.0]
    known = judge_savings(savings, model.totals, np.bincount(np.bincount(labels)))
    if known is not None:
        return known
    if walked.is_large:
        return _as_some_components(walked, route)
    gammas = model.average * path.resolutions
    most = N_SURROGATES_OF_MANY if route.has_many(model) else MOST_SURROGATES
    levels = np.full((2, len(savings)), -np.inf)
    for seed in range(most):
        levels = np.maximum(levels, _levels(_at_random(model, route, seed), gammas))
        around, after = levels
        found = (savings > _least(around, model, SPREAD)) & (savings > after)
        is_clear = bool(np.any(savings > _least(after, model, CLEAR * SPREAD)))
        if seed + 1 >= N_SURROGATES and (is_clear or not found.any()):
            break
    return np.broadcast_to(found.any(), found.shape) if grouped else found


def _least(levels: NDArray[np.float64], model: Model, spread: float) -> NDArray[np.float64]:
    """Return what labels must save at least where those of noise save something at most."""
    n_items = model.totals.n_present
    varies = spread * np.sqrt(n_items)
    if model.graph.grouped:
        return np.asarray(levels + max(ABOVE_NOISE * n_items, varies))
    # Where degrees are corrected for, labels pay their whole cost, and those of noise save nothing.
    above = levels if model.reading.is_corrected else levels + varies
    return np.maximum(np.maximum(BEYOND_NOISE * levels, above), 0.0)


def judge_savings(
    savings: NDArray[np.float64], totals: Totals, of_size: NDArray[np.int64]
) -> NDArray[np.bool_] | None:
    """Tell which steps are beyond noise, if savings alone tell it; None: they do not.

    All are, if labels save much, or if noise could not be seen. Without groups none are if labels
    save nothing; with groups, what labels cost and have not paid for comes off. ``of_size`` tells
    how many of the labels that save most have each number of items.
    """
    n_items, n_groups = totals.n_present, totals.n_groups
    everything = np.ones(len(savings), dtype=np.bool_)
    is_hidden = 0 < n_groups <= 2 or (n_groups > 0 and n_items < FEW)
    unpaid = (1.0 - CHARGED * totals.can_share) * unnamed_cost(of_size) if n_groups else 0.0
    if is_hidden or savings.max() - unpaid >= DOUBTFUL * n_items:
        return everything
    return ~everything if n_groups == 0 and savings.max() <= 0.0 else None


def _levels(surrogate: Walked, gammas: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what labels of noise save at most at about each of some resolutions, and from it on.

    With groups, at any resolution.
    """
    savings = np.asarray(surrogate.path.savings)
    if surrogate.model.graph.grouped:
        return np.full((2, len(gammas)), savings.max())
    padded = np.pad(savings, STEPS_AROUND, mode="edge")
    around = sliding_window_view(padded, 2 * STEPS_AROUND + 1).max(axis=1)
    after = np.maximum.accumulate(around[::-1])[::-1]
    return np.stack([around, after])[:, _nearest(surrogate, gammas)]


def _nearest(walked: Walked, gammas: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the steps of a path whose resolutions are nearest to some others."""
    own = np.log(walked.model.average * walked.path.resolutions)
    return np.asarray(np.abs(np.log(gammas)[:, None] - own).argmin(axis=1))


def _as_some_components(walked: Walked, route: Route) -> NDArray[np.bool_]:
    """Tell it of all steps of a large problem by some of its components."""
    model = walked.model
    start = draw(model.graph, model.graph.given).enough().start[-1]
    model = model.among(components_up_to(model.graph, model.graph.given, start))
    return beyond_noise_of(model, walked.model.average * walked.path.resolutions, route)


def beyond_noise_of(some: Model, gammas: NDArray[np.float64], route: Route) -> NDArray[np.bool_]:
    """Tell of some resolutions whether labels of a model are beyond noise there."""
    walked = Walked.of(walk(some, route))
    return beyond_noise(walked, route)[_nearest(walked, gammas)]


def _at_random(model: Model, route: Route, seed: int) -> Walked:
    """Return what is learnt if the similarities join other items.

    Learning once what they are worth is enough: with more lessons, noise saves less.
    """
    reading, given = model.reading, model.given
    if isinstance(reading, Ranked) and reading.floor > 0.0:
        given = given.above(reading.floor)
    graph = shuffle(given, reading.is_corrected, seed)
    learns = given.grouped or isinstance(reading, Learnt)
    random = begin(graph, reading.unit, reading.is_corrected, learns=learns)
    return learn(random, route, n_lessons=1)


def shuffle(graph: Graph, is_corrected: bool, seed: int) -> Graph:
    """Return a graph whose similarities join other, random items.

    With groups, the items of one of each two groups change places. Without, any two items are
    joined, of so many that about as many are present as before; or, where the null model is
    corrected for degrees, items with about the degrees of before: there, similarities that fall on
    a pair already taken, or on one item, are lost.

    Examples
    --------
    >>> graph = build_graph(Problem.check(np.kron(np.eye(5), np.ones((6, 6)))))
    >>> random = shuffle(graph, is_corrected=False, seed=0)
    >>> len(random.values) == len(graph.values), np.array_equal(random.indices, graph.indices)
    (True, False)
    """
    rng = np.random.default_rng(seed)
    graph = graph.present()
    m = graph.n_items
    once = graph.pairs()
    one, other = (ends[once].astype(np.int64) for ends in (graph.rows(), graph.indices))
    values = graph.values[once]
    if graph.grouped:
        one, other = _within_groups(graph, one, other, rng)
    elif is_corrected:
        one, other = np.sort(rng.permutation(np.r_[one, other]).reshape(2, -1), axis=0)
        first = np.unique(one * m + other, return_index=True)[1]
        kept = first[one[first] != other[first]]
        one, other, values = one[kept], other[kept], values[kept]
    else:
        m = n_with_unseen(m, len(values))
        one, other = _distinct_pairs(m, len(values), rng)
    half = sp.coo_array((values, (one, other)), shape=(m, m))
    W: Any = (half + half.T).tocsr()
    found = build_graph(Problem(W, graph.group.astype(np.intp) if graph.grouped else None), 1.0)
    return (
        found._replace(weight=np.diff(found.indptr).astype(np.float32)) if is_corrected else found
    )


def n_with_unseen(n_present: int, n_pairs: int) -> int:
    """Return of how many items random pairs join about as many as are present.

    Items that are in no pair are not seen. If an item is in ``lam`` random pairs on average, it is
    in none with the probability ``exp(-lam)``, and in ``lam / (1 - exp(-lam))`` if it is in any.
    Pairs are not taken to be so few that an item is in less than one on average: those would join
    no more than a few items to each other, and separate pairs would look like them.

    Examples
    --------
    >>> n_with_unseen(63, 50), n_with_unseen(100, 1000), n_with_unseen(100, 50)
    (99, 100, 100)
    """
    mean = max(2.0 * n_pairs / n_present, -1.0 / expm1(-1.0))
    lam = mean + float(lambertw(-mean * np.exp(-mean)).real)
    return round(2.0 * n_pairs / lam)


def _distinct_pairs(
    m: int, n: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Draw n different pairs of m items, numbered (0, 1), (0, 2), (1, 2), (0, 3), ..."""
    pair = rng.choice(m * (m - 1) // 2, n, replace=False)
    larger = ((1 + np.sqrt(1 + 8 * pair)) / 2).astype(np.int64)
    larger -= larger * (larger - 1) // 2 > pair
    larger += larger * (larger + 1) // 2 <= pair
    return pair - larger * (larger - 1) // 2, larger


def _within_groups(
    graph: Graph, one: NDArray[np.intp], other: NDArray[np.intp], rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Let the items of the second of each two groups change places, anew for every first one."""
    group, n_groups = graph.group, graph.n_groups()
    swap = group[one] > group[other]
    one, other = np.where(swap, other, one), np.where(swap, one, other)
    by_group = np.argsort(group, kind="stable")
    place = np.empty(graph.n_items, dtype=np.int64)
    place[by_group] = np.arange(graph.n_items)
    pairs, which = np.unique(group[one] * np.int64(n_groups) + group[other], return_inverse=True)
    group_ptr = np.cumsum(np.r_[0, np.bincount(group)])
    first_place = group_ptr[pairs % n_groups]
    sizes = group_ptr[pairs % n_groups + 1] - first_place
    at = place[other] - first_place[which]
    is_sparse = sizes > SPARSE * np.bincount(which)
    begins = np.cumsum(np.where(is_sparse, 0, sizes))
    pair = np.repeat(np.arange(len(pairs)), np.diff(begins, prepend=0))
    order = np.lexsort((rng.random(len(pair)), pair))
    begins -= np.where(is_sparse, 0, sizes)
    few = is_sparse[which]
    moved = np.empty_like(at)
    moved[~few] = order[(begins[which] + at)[~few]] - begins[which[~few]]
    moved[few] = _distinct_places(which[few], at[few], sizes, rng)
    return one, by_group[first_place[which] + moved]


def _distinct_places(
    which: NDArray[np.intp], at: NDArray[np.intp], sizes: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw a new place for each place in a range, different ones in each range; most stay free."""
    m = int(sizes.max()) if len(sizes) else 1
    places, back = np.unique(which * m + at, return_inverse=True)
    ranges, drawn = places // m, np.empty_like(places)
    waiting = np.arange(len(places))
    while len(waiting):
        drawn[waiting] = (rng.random(len(waiting)) * sizes[ranges[waiting]]).astype(np.intp)
        is_first = np.zeros(len(places), dtype=np.bool_)
        is_first[np.unique(ranges * m + drawn, return_index=True)[1]] = True
        waiting = np.flatnonzero(~is_first)
    return np.asarray(drawn[back])
