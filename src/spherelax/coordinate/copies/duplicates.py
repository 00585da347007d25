"""How many items of a group are second copies of another one, by what the wall between them blocks.

Items of one group never share a label. If one is a copy of another all the same, its similarities
pull it into a label that holds the other: a *claim*, as strong as its similarities with the items
of that label and, if the two were compared, with the other itself. Copies claim a label as strongly
as items belong to their labels. So the share of items that belong less strongly than a claim counts
is the share of copies that are not counted.

Wrong claims exist, too: two different things can be alike, as twins and namesakes are. How many are
to be expected is shown by items whose own label holds them firmly, so that they are no copies: how
often another label of their group attracts them as strongly, be it more than their own. Where that
is often, copies cannot be told.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import pdtrc

from spherelax.coordinate.copies.claims import Claims, find_claims
from spherelax.coordinate.graph.graph import Graph, build_graph
from spherelax.coordinate.graph.neighbors import in_order
from spherelax.coordinate.worth.curve import Floats, fit_shares
from spherelax.labels import Labels
from spherelax.problem import Problem
from spherelax.result import Duplicates

# A claim counts if it is as strong as all but this share of the items hold to their own labels.
WEAK = 0.25
# A group clearly breaks the promise if a Poisson number of wrong claims reaches the number of its
# claims with a probability below CHANCE / n_groups, ...
CHANCE = 1e-3
# ... where this share of its items may be copies: a handful is in every table.
HANDFUL = 0.005

Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]


def find_duplicates(
    groups: NDArray[np.int32], given: Graph, worth: Graph, labels: Labels
) -> tuple[Duplicates, ...]:
    """Return for each group of two items or more how many of them are copies, by its claims.

    ``given`` is the graph of a problem, ``worth`` that of all similarities, those inside groups
    too, by what they are worth. Groups and labels are in the order of the problem.

    Examples
    --------
    >>> W = np.zeros((9, 9))
    >>> W[[0, 1, 2, 3, 1], [4, 5, 6, 7, 8]] = 1.0
    >>> problem = Problem.check(W + W.T, groups=[0, 0, 0, 0, 1, 1, 1, 1, 1])
    >>> labels = np.array([0, 1, 2, 3, 0, 1, 2, 3, 4], dtype=np.int32)
    >>> graph = build_graph(problem)
    >>> [(found.group, found.expected, found.pairs.tolist())
    ...     for found in find_duplicates(problem.groups, graph, graph, labels)]
    [(0, 0.0, []), (1, 1.0, [[5, 8]])]
    """
    claims = find_claims(worth, given.group, labels[given.given])
    by_group, begins = in_order(groups)
    every = [by_group[first:last].astype(np.intp) for first, last in pairwise(begins.tolist())]
    is_present = worth.as_given(np.diff(worth.indptr) > 0)
    present = [items[is_present[items]] for items in every]
    n_groups = sum(len(items) > 1 for items in present)
    return tuple(
        replace(_of_group(group, items, claims, n_groups), n_items=n_items)
        for group, (items, n_items) in enumerate(zip(present, map(len, every), strict=True))
        if n_items > 1
    )


def graph_of_all(problem: Problem, given: Graph, unit: float) -> Graph:
    """Return the graph of a problem with the similarities inside groups, if there are any."""
    W = problem.similarity
    n_stored = W.nnz if sp.issparse(W) else np.count_nonzero(W)
    if len(given.values) >= n_stored - np.count_nonzero(W.diagonal()):
        return given
    return build_graph(Problem(W, None), unit, given.given)


def _of_group(group: int, items: Ints, claims: Claims, n_groups: int) -> Duplicates:
    """Return how many of the items of a group that are similar to any are copies, and which."""
    inside, outside = claims.inside[items], claims.outside[items]
    held = inside[inside > 0.0]
    is_claim = outside > inside
    if not is_claim.any():
        return Duplicates(group, len(items), 0.0, False, np.empty((0, 2), np.intp), np.empty(0))
    pairs = np.c_[items, claims.holder[items]][is_claim]
    pairs.sort(axis=1)
    strength = outside[is_claim]
    strongest = np.lexsort((pairs[:, 1], pairs[:, 0], -strength))
    pairs, strength = pairs[strongest], strength[strongest]
    first = np.sort(np.unique(pairs, axis=0, return_index=True)[1])  # both may claim the other's
    pairs, strength = pairs[first], strength[first]
    if len(held) == 0:
        return Duplicates(group, len(items), 0.0, False, pairs, np.zeros(len(pairs)))
    least = float(np.quantile(held, WEAK))
    share = float(np.mean(held >= least))
    is_firm = inside >= least
    n_counted, n_attracted = _count(np.c_[items, claims.holder[items]], outside >= least, is_firm)
    n_firm = int(is_firm.sum())
    n_others = len(items) - n_firm
    found = max(n_counted - n_attracted / max(n_firm, 1) * n_others, 0.0) / share
    expected = min(found, len(items) - 1.0)  # one of them is no copy
    # One more wrong claim may have been missed: a few firm items say little.
    allowed = (n_attracted + 1) / (n_firm + 1) * n_others + HANDFUL * len(items) * share
    is_clear = n_counted > 0 and bool(pdtrc(n_counted - 1, allowed) < CHANCE / n_groups)
    likely = _probability(strength, held, expected)
    return Duplicates(group, len(items), expected, is_clear, pairs, likely)


def _count(pairs: Ints, is_strong: Bools, is_firm: Bools) -> tuple[int, int]:
    """Return how many strong claims count, and how many firm items another label attracts.

    ``pairs`` are items, and the holders of the labels that they claim. What its label holds firmly
    is no copy, so a label that attracts it is wrong; but not that of its own copy, whose claim
    counts.
    """
    pairs = np.sort(pairs, axis=1)
    counted, firm = (list(map(tuple, pairs[is_strong & of].tolist())) for of in (~is_firm, is_firm))
    once = set(counted)  # two copies may claim each other's label
    return len(once), sum(pair not in once for pair in firm)


def _probability(strength: Floats, held: Floats, expected: float) -> Floats:
    """Return how likely claims are right, from the strongest to the weakest.

    Right claims are as strong as items hold to their labels, so of ``c`` claims for each such item
    at some strength, ``expected / len(held)`` are right. The number of claims falls with strength.
    """
    every = np.r_[strength, held]
    by_strength = np.argsort(every, kind="stable")
    is_claim = (by_strength < len(strength)).astype(float)
    ties = np.unique(every[by_strength], return_inverse=True)[1]
    share = fit_shares(ties, is_claim, int(ties.max()) + 1, increasing=False)
    at = np.empty(len(every))
    at[by_strength] = share[ties]
    of_claims = at[: len(strength)]
    right = expected / len(held) * (1.0 - of_claims)
    return np.asarray(np.minimum(right / np.maximum(of_claims, 1e-300), 1.0))
