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

import spherelax as sl
from fuzzing.trial import judged

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
        n, groups = self.n_known, self.groups
        return self._replace(W=self.W[:n, :n], groups=None if groups is None else groups[:n])

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
    found = judged(lambda: use(make(seed)))
    return None if found in ("answer", "refused") else found


def use(problem: Problem) -> None:
    """Do all with a problem that can be done, and check what must hold."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", sl.SphereWarning)
        given = pickle.dumps(problem.W)
        result = problem.solve(1)
        check(result, problem)
        assert np.array_equal(result.labels, problem.solve(2).labels), "threads change labels"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "result.npz")
            sl.io.save_result(path, result)
            check_same(sl.io.load_result(path), result, "loaded")
        check_same(pickle.loads(pickle.dumps(result)), result, "pickled")
        known = problem.known()
        before = known.solve(1)
        check(before, known)
        check(before.extend(problem.W, problem.groups), problem)
        new = before.assign(problem.W, problem.groups)
        assert np.all((new.confidence >= 0) & (new.confidence <= 1)), "confidence of new items"
        check_groups(np.r_[before.labels, new.labels], problem)
        assert pickle.dumps(problem.W) == given, "the similarity was written to"


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
        return f"{judged(solve)} {found.hexdigest()}"


if __name__ == "__main__":
    tell = answer if "answers" in sys.argv else fault
    for case in range(*map(int, sys.argv[1:3])):
        told = tell(case)
        if told:
            sys.stdout.write(f"{case}: {told}\n")
            sys.stdout.flush()
