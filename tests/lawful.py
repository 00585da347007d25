"""Laws: what may be done to a problem without changing its labels.

``python tests/lawful.py 500`` prints how often each law holds on so many generated problems.
"""

import sys
import warnings
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import spherelax as sl
from spherelax.metrics import pairwise_scores


class Case(NamedTuple):
    """A problem, the family that it is of, and which of its items are those of another problem."""

    family: str
    W: Any
    groups: Any = None
    kind: str | None = None
    items: Any = None

    @property
    def n_items(self):
        """Number of items."""
        return self.W.shape[0]

    @property
    def has_many_groups(self):
        """Whether there are three groups or more."""
        return self.groups is not None and len(np.unique(self.groups)) > 2

    def taken(self, items):
        """Return the problem of some items, which may come twice."""
        groups = None if self.groups is None else self.groups[items]
        return self._replace(W=self.W[items][:, items], groups=groups)

    def placed(self, W):
        """Return the problem with other similarities, dense if its own are."""
        return self._replace(
            W=sp.csr_array(W) if sp.issparse(self.W) else sp.csr_array(W).toarray()
        )

    def solve(self, **options):
        """Solve it, without warnings."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sl.SphereWarning)
            return sl.solve(self.W, self.groups, kind=self.kind, n_jobs=1, **options)

    def extend(self, result):
        """Add nothing to a result of it, without warnings."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sl.SphereWarning)
            return result.extend(self.W, self.groups)


def make_case(rng, family=None):
    """Make a problem of a family, from clear to mere noise; some pair of items is similar.

    If there are groups, some two items are of one group.
    """
    family = family or str(rng.choice(list(FAMILIES)))
    while True:
        case = FAMILIES[family](rng)
        has_groups = case.groups is None or len(np.unique(case.groups)) < case.n_items
        if case.W.max() > 0 and has_groups:
            return case


def _symmetric(values):
    """Return a symmetric matrix of numbers with three digits."""
    upper = np.triu(np.round(values, 3), 1)
    return upper + upper.T


def _graph(rng):
    """Clusters, similar inside more often than outside; similarities of one, few or many sizes."""
    m = int(rng.integers(6, 70))
    truth = rng.integers(rng.integers(1, 7), size=m)
    inside, outside = rng.uniform(0.1, 0.9), rng.uniform(0.0, 0.3)
    listed = rng.random((m, m)) < np.where(truth[:, None] == truth, inside, outside)
    sizes = rng.uniform(0.01, 1.0, (m, m))
    sizes = [np.ones((m, m)), np.ceil(4.0 * sizes), sizes][rng.integers(3)]
    return Case("graph", sp.csr_array(_symmetric(sizes * listed)), kind="graph")


def _complete(rng):
    """All pairs compared; those of one cluster are more similar, or hardly so."""
    m = int(rng.integers(6, 50))
    truth = rng.integers(rng.integers(1, 7), size=m)
    W = rng.uniform(0.01, 1.0, (m, m)) + rng.uniform(0.0, 0.8) * (truth[:, None] == truth)
    return Case("complete", _symmetric(W))


def _matching(rng):
    """Matches of objects, all alike or with scores that are larger if right, on average."""
    W, groups, truth = sl.datasets.make_partial_matching(
        int(rng.integers(3, 9)),
        int(rng.integers(3, 12)),
        observed=rng.uniform(0.4, 1.0),
        shuffled=rng.uniform(0.0, 0.9),
        random_state=int(rng.integers(1 << 30)),
    )
    W = sp.csr_array(W).toarray()
    if rng.random() < 0.6:
        right = truth[:, None] == truth
        W = W * (rng.uniform(0.01, 1.0, W.shape) + rng.uniform(0.0, 0.6) * right)
    return Case("matching", sp.csr_array(_symmetric(W)), np.asarray(groups))


def _list(rng):
    """Scored pairs of records, right ones and candidates; of three sources, or of one."""
    m = int(rng.integers(20, 90))
    truth = rng.integers(m // 2, size=m)
    right = truth[:, None] == truth
    listed = rng.random((m, m)) < np.where(right, 0.9, rng.uniform(0.02, 0.1))
    scores = np.clip(rng.normal(np.where(right, 0.8, 0.5), rng.uniform(0.05, 0.2)), 0.01, 1.0)
    groups = rng.integers(3, size=m) if rng.random() < 0.5 else None
    return Case("list", sp.csr_array(_symmetric(scores * listed)), groups, "pairs")


def _points(rng):
    """Neighbours of points in a few clouds."""
    m = int(rng.integers(12, 90))
    truth = rng.integers(rng.integers(1, 5), size=m)
    points = rng.normal(size=(m, 2)) + rng.uniform(1.0, 6.0) * rng.normal(size=(5, 2))[truth]
    graph = sl.similarity.neighbor_graph(points, n_neighbors=min(8, m - 1))
    return Case("points", sp.csr_array(graph.similarity))


def _clusters(rng, n):
    """Clusters of a hundred items, each joined to eight others, of which a quarter is elsewhere."""
    truth = rng.integers(n // 100, size=n)
    by_truth = np.argsort(truth, kind="stable")
    one = np.tile(np.arange(n), 4)
    near = np.argsort(by_truth)[one] + rng.integers(1, 50, size=4 * n)
    other = np.where(rng.random(4 * n) < 0.75, by_truth[near % n], rng.integers(n, size=4 * n))
    return Case("clusters", _joined(n, one, other, np.ones(4 * n)), kind="graph")


def _records(rng, n, kind, n_sources=0):
    """Scored pairs of records, three of an entity on average: right ones, and candidates."""
    truth = rng.integers(n // 3, size=n)
    by_truth = np.argsort(truth, kind="stable")
    one = np.r_[by_truth[:-1], by_truth[:-2], np.tile(np.arange(n), 3)]
    other = np.r_[by_truth[1:], by_truth[2:], rng.integers(n, size=3 * n)]
    is_right = truth[one] == truth[other]
    scores = np.clip(rng.normal(np.where(is_right, 0.8, 0.5), 0.1), 0.01, 0.99)
    if kind == "odds":
        scores = 20.0 * (scores - 0.65)
    groups = rng.integers(n_sources, size=n) if n_sources else None
    return Case("records", _joined(n, one, other, scores), groups, kind)


def _joined(n, one, other, values):
    """Return a symmetric matrix with a value for each pair, the last one if it comes twice."""
    ends = np.sort(np.c_[one, other][one != other], axis=1)
    ends, last = np.unique(ends[::-1], axis=0, return_index=True)
    half = sp.coo_array((values[one != other][::-1][last], tuple(ends.T)), shape=(n, n))
    return sp.csr_array(half + half.T)


def _clouds(rng, n):
    """Neighbours of points in twelve clouds, said to be such."""
    points = rng.normal(size=(n, 4)) + 5.0 * rng.normal(size=(12, 4))[rng.integers(12, size=n)]
    graph = sl.similarity.neighbor_graph(points, n_neighbors=10)
    return Case("clouds", sp.csr_array(graph.similarity), kind="neighbors")


# Problems on both sides of the sizes from which on they are solved in another way: 4,096 items and
# 300,000 stored similarities; of neighbours, 500 and 8,192 items.
LARGE = {
    "clusters 3500": lambda rng: _clusters(rng, 3500),
    "clusters 4500": lambda rng: _clusters(rng, 4500),
    "clusters 40000": lambda rng: _clusters(rng, 40000),
    "pairs 3500": lambda rng: _records(rng, 3500, "pairs"),
    "pairs 4500": lambda rng: _records(rng, 4500, "pairs"),
    "pairs of sources 3500": lambda rng: _records(rng, 3500, "pairs", 5),
    "pairs of sources 39000": lambda rng: _records(rng, 39000, "pairs", 5),
    "odds 3500": lambda rng: _records(rng, 3500, "odds"),
    "odds 32000": lambda rng: _records(rng, 32000, "odds"),
    "odds of sources 45000": lambda rng: _records(rng, 45000, "odds", 5),
    "clouds 400": lambda rng: _clouds(rng, 400),
    "clouds 6000": lambda rng: _clouds(rng, 6000),
    "clouds 9000": lambda rng: _clouds(rng, 9000),
}
FAMILIES = {
    "graph": _graph,
    "complete": _complete,
    "matching": _matching,
    "list": _list,
    "points": _points,
}


def permuted(case, rng):
    """Give the items another order."""
    order = rng.permutation(case.n_items)
    return case.taken(order)._replace(items=np.argsort(order))


def scaled(case, rng):
    """Multiply all similarities by a number."""
    return case._replace(W=case.W * np.exp(rng.normal(0.0, 5.0)), items=np.arange(case.n_items))


def risen(case, rng):
    """Take a rising function of the similarities."""
    power = np.exp(rng.normal(0.0, 0.5))
    return case._replace(W=(case.W / case.W.max()) ** power, items=np.arange(case.n_items))


def renamed(case, rng):
    """Give the groups other names."""
    return case._replace(groups=rng.permutation(1000)[case.groups], items=np.arange(case.n_items))


def with_inside(case, rng):
    """Add similarities inside groups, and of items with themselves, larger than all others."""
    inside = case.groups[:, None] == case.groups
    inside &= rng.random(inside.shape) < 0.5
    W = sp.csr_array(case.W).toarray()
    W = np.where(inside & inside.T, rng.uniform(1.0, 9.0) * W.max(), W)
    return case.placed(W)._replace(items=np.arange(case.n_items))


def with_isolated(case, rng):
    """Add items that are similar to nothing, among the others, in old groups and new ones."""
    m, n = case.n_items, case.n_items + int(rng.integers(1, case.n_items))
    places = np.sort(rng.choice(n, m, replace=False))
    entries = sp.coo_array(case.W)
    W = sp.coo_array((entries.data, (places[entries.row], places[entries.col])), (n, n))
    groups = None
    if case.groups is not None:
        groups = rng.integers(case.groups.max() + 2, size=n)
        groups[places] = case.groups
    return case.placed(W)._replace(groups=groups, items=places)


def beside(case, rng):
    """Put another problem of the same family beside it, with groups of its own."""
    other = make_case(rng, case.family)
    groups = None
    if case.groups is not None:
        own = np.arange(other.n_items) if other.groups is None else other.groups
        groups = np.r_[case.groups, case.groups.max() + 1 + own]
    grown = case.placed(sp.block_diag([case.W, other.W]))
    return grown._replace(groups=groups, items=np.arange(case.n_items))


def with_twin(case, rng):
    """Add a copy of an item, which no item is more similar to; it comes last."""
    m, item = case.n_items, int(rng.integers(case.n_items))
    W = sp.csr_array(case.W).toarray()[np.r_[:m, item]][:, np.r_[:m, item]]
    W[item, m] = W[m, item] = W.max()
    return case.placed(W)._replace(items=np.r_[:m, item])


LAWS = {
    law.__name__: law
    for law in (
        *(permuted, scaled, risen, renamed, with_inside, with_isolated),
        *(beside, with_twin),
    )
}
OF_GROUPS, WITHOUT_GROUPS = ("renamed", "with_inside"), ("with_twin",)


def applies(law, case):
    """Tell whether a law says anything of a problem."""
    if law in OF_GROUPS:
        return case.groups is not None
    return law not in WITHOUT_GROUPS or case.groups is None


def are_same(one, other):
    """Tell whether two labelings are the same but for the numbers."""
    both = np.unique(np.c_[one, other], axis=0)
    return len(both) == len(np.unique(one)) == len(np.unique(other))


def outcomes(case, rng):
    """Yield laws with the labels that they promise to items of a problem, and those found."""
    before = case.solve()
    yield "extended", before.labels, case.extend(before).labels
    for name, law in LAWS.items():
        if applies(name, case):
            changed = law(case, rng)
            labels = changed.solve().labels
            yield name, before.labels, labels[changed.items[: case.n_items]]
            if name == "with_twin":
                yield "twin_joins", np.zeros(2), labels[[changed.items[-1], -1]]


def main(n, first=0):
    """Print how often laws hold, and the F-score over pairs of items where they do not."""
    found = defaultdict(list)
    for seed in range(first, first + n):
        rng = np.random.default_rng(seed)
        case = make_case(rng)
        for law, *labels in outcomes(case, rng):
            pair = are_same(*labels), pairwise_scores(*labels).f_score
            found[law, case.family].append(pair)
            found[law, "all"].append(pair)
    for (law, family), pairs in sorted(found.items()):
        exact, score = np.array(pairs).T
        otherwise = score[exact == 0].mean() if (exact == 0).any() else np.nan
        sys.stdout.write(
            f"{law:15} {family:10} {len(pairs):5} {exact.mean():.3f} {otherwise:.3f}\n"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
