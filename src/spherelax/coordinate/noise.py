"""Whether labels say more about similarities than could be said about noise.

Without groups, what labels save is their evidence, which has a natural zero: noise is where no
labels save anything. With groups, noise is made from the problem itself: the same similarities,
joined to other items at random.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.coordinate.graph import (
    Account,
    Graph,
    Totals,
    build_graph,
    components_up_to,
    draw,
)
from spherelax.coordinate.model import Model, Saving
from spherelax.coordinate.readings import begin
from spherelax.coordinate.run import Walked, learn, walk
from spherelax.coordinate.trail import Route
from spherelax.coordinate.worth import Blocks, Matches
from spherelax.problem import Problem

# Labels that save at least this number of nats per item are not compared with noise.
DOUBTFUL = 0.7
# Savings of noise vary by about the square root of the number of items. Labels must save more than
# those of noise by this multiple of that root, and by this number of nats per item.
SPREAD = 1.5
ABOVE_NOISE = 0.15
# Fewer items than that cannot show noise.
FEW = 20
# Problems of noise that are solved.
N_SURROGATES = 3
# Of a group with more items than this multiple of its similarities with another group, only the
# items that have any change places: else many small groups beside a large one would take memory for
# the product of both.
SPARSE = 64


def beyond_noise(walked: Walked, route: Route) -> NDArray[np.bool_]:
    """Tell which steps describe the similarities clearly better than they could describe noise.

    With groups, the best labels stand for all steps. Nobody can tell it of two groups, whose
    matches are always consistent, or of a few items.
    """
    model, savings = walked.model, np.asarray(walked.path.savings)
    account = model.labeling(walked.labels).account
    known = judge_savings(savings, model.totals, unpaid_of(model.description, account))
    if known is not None:
        return known
    if walked.is_large:
        return np.full(len(savings), _as_some_components(walked, route))
    n_items = model.totals.n_present
    least = savings.max() - max(ABOVE_NOISE * n_items, SPREAD * float(np.sqrt(n_items)))
    random = (_at_random(model, route, seed).path.savings for seed in range(N_SURROGATES))
    return np.full(len(savings), all(np.asarray(each).max() < least for each in random))


def judge_savings(
    savings: NDArray[np.float64], totals: Totals, unpaid: float
) -> NDArray[np.bool_] | None:
    """Tell which steps are beyond noise, if savings alone tell it; None: they do not.

    Without groups these are the steps that save anything. With groups, all are if labels save much,
    or if noise could not be seen; what the labels that save most have not paid for, in nats, comes
    off.
    """
    n_items, n_groups = totals.n_present, totals.n_groups
    if n_groups == 0:
        return savings > 0.0
    is_hidden = n_groups <= 2 or n_items < FEW
    if is_hidden or savings.max() - unpaid >= DOUBTFUL * n_items:
        return np.ones(len(savings), dtype=np.bool_)
    return None


def unpaid_of(description: Saving, account: Account | Blocks) -> float:
    """Return what labels cost and have not paid for, in nats."""
    if not (isinstance(description, Matches) and isinstance(account, Account)):
        return 0.0
    return description.unpaid(account)


def _as_some_components(walked: Walked, route: Route) -> bool:
    """Tell it of a large problem by some of its components."""
    model = walked.model
    start = draw(model.graph).enough().start[-1]
    return is_beyond_noise(model.among(components_up_to(model.graph, start)), route)


def is_beyond_noise(some: Model, route: Route) -> bool:
    """Tell whether labels of a model with groups are beyond noise."""
    return bool(beyond_noise(Walked.of(walk(some, route)), route).any())


def _at_random(model: Model, route: Route, seed: int) -> Walked:
    """Return what is learnt if the similarities join other items.

    Learning once what they are worth is enough: with more lessons, noise saves less.
    """
    random = begin(shuffle(model.given, seed), model.reading.unit)
    return learn(random, route, n_lessons=1)


def shuffle(graph: Graph, seed: int) -> Graph:
    """Return a graph whose similarities join other, random items.

    The items of one of each two groups change places.

    Examples
    --------
    >>> W = np.kron(np.ones((3, 3)) - np.eye(3), np.eye(4))
    >>> graph = build_graph(Problem.check(W, groups=np.repeat([0, 1, 2], 4)))
    >>> random = shuffle(graph, seed=0)
    >>> len(random.values) == len(graph.values), np.array_equal(random.indices, graph.indices)
    (True, False)
    """
    rng = np.random.default_rng(seed)
    graph = graph.present()
    m, once = graph.n_items, graph.pairs()
    one, other = (ends[once].astype(np.int64) for ends in (graph.rows(), graph.indices))
    one, other = _within_groups(graph, one, other, rng)
    half = sp.coo_array((graph.values[once], (one, other)), shape=(m, m))
    W: Any = (half + half.T).tocsr()
    return build_graph(Problem(W, graph.group.astype(np.intp)), 1.0)


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
