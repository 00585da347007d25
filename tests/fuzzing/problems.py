"""Small problems of all kinds, and everything that is done with a result: what must hold of it.

``python -m fuzzing.problems 0 1000``, with ``tests`` on the path, tries these seeds and prints what
fails. ``python -m fuzzing.problems 0 1000 answers`` prints a digest of what each is answered, to be
compared with that of other machine code.
"""

import datetime
import hashlib
import pickle
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

import spherelax as sl
from fuzzing.trial import judged as outcome_of
from lawful import are_same

KINDS = (None, "graph", "neighbors", "pairs", "odds", "information")
SIZES = (1.0, 1.0, 0.5, 0.1, 2.0, 3.0, 1e-12, 1e40, 1e-300, 1e300, 5e-324)
NAMES = ("a", "b", 0, 1, 2.5, None, True, ("x", 1), frozenset([3]), b"c", datetime.date(2020, 1, 1))
PICKS = (None, None, None, "eta", "stability", 0.0, 0.5, 1.0, 7.0)


class Problem(NamedTuple):
    """Similarities and groups of all items, of which the first are known, and how to solve it."""

    W: Any
    groups: list[Any] | None
    n_known: int
    options: dict[str, Any]

    def known(self) -> "Problem":
        """Return the problem of the items that are known."""
        return self.part(np.arange(self.n_known))

    def part(self, items: Any) -> "Problem":
        """Return the problem of some items."""
        groups = None if self.groups is None else [self.groups[item] for item in items]
        return self._replace(W=self.W[items][:, items], groups=groups)

    def solve(self, n_jobs: int) -> sl.Result:
        """Solve it."""
        return sl.solve(self.W, self.groups, n_jobs=n_jobs, **self.options)


def make(seed: int) -> Problem:
    """Make a problem."""
    rng = np.random.default_rng(seed)
    n, kind = int(rng.integers(1, 40)), KINDS[rng.integers(len(KINDS))]
    truth = rng.integers(rng.integers(1, 9), size=n)
    share = np.where(truth[:, None] == truth, rng.uniform(0.3, 1.0), rng.uniform(0.0, 0.5))
    sizes = rng.choice(SIZES, size=int(rng.integers(1, 4)))
    W = rng.choice(sizes, size=(n, n))
    if rng.random() < 0.5:
        W = W * rng.uniform(0.1, 1.0, (n, n))
    if kind == "odds":
        W = W * np.where(rng.random((n, n)) < 0.5, -1.0, 1.0)
    W = np.triu(W * (rng.random((n, n)) < share), int(rng.integers(2)))
    W = W + np.triu(W, 1).T
    groups = None
    if rng.random() < 0.5:
        names = rng.permutation(len(NAMES))[: rng.integers(1, len(NAMES) + 1)]
        groups = [NAMES[at] for at in rng.choice(names, size=n)]
    options = {
        "kind": kind,
        "pick": PICKS[rng.integers(len(PICKS))],
        "one_per_group": str(rng.choice(["always", "unless_copies"])),
    }
    is_sparse = rng.random() < 0.6
    return Problem(
        sp.csr_array(W) if is_sparse else W, groups, int(rng.integers(1, n + 1)), options
    )


def fault(seed: int) -> str | None:
    """Return what a problem breaks; None: nothing."""
    found = outcome_of(lambda: use(make(seed), seed))
    return None if found in ("answer", "refused") else found


def use(problem: Problem, seed: int) -> None:
    """Do all with a problem that can be done, and check what must hold."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", sl.SphereWarning)
        given = content(problem.W)
        result = problem.solve(1)
        check(result, problem)
        assert np.array_equal(result.labels, problem.solve(2).labels), "threads change labels"
        check_same(saved(result), result, "loaded")
        check_same(pickle.loads(pickle.dumps(result)), result, "pickled")
        try:
            choose(result, problem, seed)
        except sl.InvalidInputError as error:
            raise AssertionError(f"what was solved is refused: {error}") from error
        known = problem.known()
        before = known.solve(1)
        check(before, known)
        grow(before, problem)
        assert content(problem.W) == given, "the similarity was written to"


def content(W: Any) -> list[bytes]:
    """Return the bytes of a similarity."""
    parts = (W.data, W.indices, W.indptr) if sp.issparse(W) else (W,)
    return [part.tobytes() for part in parts]


def choose(result: sl.Result, problem: Problem, seed: int) -> None:
    """Check other labels of a solved problem: of its path, judged ones, and those of a part."""
    rng = np.random.default_rng(seed)
    n = len(result.labels)
    check(result.at(float(rng.uniform(0.0, 3.0))), problem)
    check(result.with_n_labels(int(rng.integers(1, n + 1))), problem)
    judged = judge(problem, rng)
    found = result.judge(judged)
    check(found, problem)
    check_judged(found.labels, judged)
    again = sl.solve(problem.W, problem.groups, judgements=judged, like=result)
    check(again, problem)
    check_judged(again.labels, judged)
    if n > 2 and result.kind != "neighbors":
        gone = rng.choice(n, size=int(rng.integers(1, n - 1)), replace=False)
        left = np.setdiff1d(np.arange(n), gone)
        rest = found.forget(gone.tolist())
        check(rest, problem.part(left))
        calm = untouched(problem.W, left, gone, judged.pairs)
        assert are_same(found.labels[left][calm], rest.labels[calm]), "labels moved elsewhere"


def judge(problem: Problem, rng: np.random.Generator) -> sl.Judgements:
    """Return judgements that do not contradict each other, nor the groups."""
    n = problem.W.shape[0]
    pairs = rng.integers(n, size=(int(rng.integers(1, 6)), 2))
    same = rng.random(len(pairs)) < 0.5
    rows = [(*pair, is_same) for pair, is_same in zip(pairs.tolist(), same.tolist(), strict=True)]
    judged = sl.Judgements.of([row for row in rows if row[0] != row[1]])
    groups = problem.groups
    if groups is not None:
        numbers = {name: at for at, name in enumerate(dict.fromkeys(groups))}
        free = range(len(numbers), len(numbers) + n)
        named = zip(groups, free, strict=True)
        groups = np.array([at if name is None else numbers[name] for name, at in named])
    return judged.without_contradictions(groups)


def grow(before: sl.Result, problem: Problem) -> None:
    """Check what a result says of more items, and that it says the same once it was saved."""
    n, W, groups = problem.n_known, problem.W, problem.groups
    grown, new = before.extend(W, groups), before.assign(W, groups)
    check(grown, problem)
    calm = untouched(W, np.arange(n), np.arange(n, W.shape[0]))
    assert are_same(before.labels[calm], grown.labels[:n][calm]), "labels moved elsewhere"
    check_same(sl.solve(W, groups, like=before), grown, "solved like it")
    again = before.extend(W[:n, :n], groups and groups[:n])
    assert np.array_equal(again.labels, before.labels), "nothing was added, and labels moved"
    assert np.all((new.confidence >= 0) & (new.confidence <= 1)), "confidence of new items"
    both = np.r_[before.labels, new.labels]
    check_groups(both, problem)
    assert len(np.unique(both)) == both.max() + 1, "numbers of new labels are left out"
    for how, other in (("loaded", saved(before)), ("pickled", pickle.loads(pickle.dumps(before)))):
        check_same(other.extend(W, groups), grown, f"{how} and extended")
        assert np.array_equal(other.assign(W, groups).labels, new.labels), f"{how} and assigned"


def saved(result: sl.Result) -> sl.Result:
    """Return a result that was saved and loaded."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "result.npz")
        sl.io.save_result(path, result)
        return sl.io.load_result(path)


def check(result: sl.Result, problem: Problem) -> None:
    """Check that a result is one."""
    assert len(result.labels) == problem.W.shape[0], "labels are missing"
    used = np.unique(result.labels)
    assert np.array_equal(used, np.arange(len(used))), "labels are not numbered from 0"
    assert np.all((result.confidence >= 0) & (result.confidence <= 1)), "confidence"
    for found in result.duplicates() or ():
        assert 0.0 <= found.expected < max(found.n_items, 1), "copies that cannot be"
    check_groups(result.labels, problem)


def check_groups(labels: Any, problem: Problem) -> None:
    """Check that items of a group have different labels, if they always have."""
    if problem.groups is not None and problem.options["one_per_group"] == "always":
        both = zip(problem.groups, labels.tolist(), strict=True)
        places = [place for place in both if place[0] is not None]  # None is free
        assert len(set(places)) == len(places), "a group is broken"


def check_judged(labels: Any, judged: sl.Judgements) -> None:
    """Check that all judgements are kept."""
    together = labels[judged.pairs[:, 0]] == labels[judged.pairs[:, 1]]
    assert np.array_equal(together, judged.same), "a judgement is not kept"


def untouched(W: Any, known: Any, others: Any, joined: Any = ()) -> Any:
    """Tell of which known items the component has none of the others.

    ``joined`` are pairs that connect components as similarities do.
    """
    pairs = np.reshape(joined, (-1, 2)).astype(np.intp)
    more = sp.coo_array((np.ones(len(pairs)), tuple(pairs.T)), shape=W.shape)
    component = connected_components(sp.csr_array(abs(W)) + more)[1]
    return ~np.isin(component[known], component[others])


def check_same(one: sl.Result, other: sl.Result, how: str) -> None:
    """Check that labels and confidences are the same."""
    assert np.array_equal(one.labels, other.labels), f"{how}: other labels"
    assert np.array_equal(one.confidence, other.confidence), f"{how}: other confidences"


def answer(seed: int) -> str:
    """Return a digest of labels and confidences of a problem, extended and assigned; or refusal."""
    problem, found = make(seed), hashlib.sha256()

    def solve() -> None:
        before = problem.known().solve(1)
        arguments = problem.W, problem.groups
        for each in (problem.solve(1), before.extend(*arguments), before.assign(*arguments)):
            found.update(each.labels.tobytes() + each.confidence.tobytes())

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return f"{outcome_of(solve)} {found.hexdigest()}"


if __name__ == "__main__":
    tell = answer if "answers" in sys.argv else fault
    for case in range(*map(int, sys.argv[1:3])):
        told = tell(case)
        if told:
            sys.stdout.write(f"{case}: {told}\n")
            sys.stdout.flush()
