"""A program that kills runs with a checkpoint, again and again, and compares what comes out.

``python killing.py FOLDER N_KILLS PROBLEM ...`` prints, as JSON, how many runs were killed, how
many of them left a checkpoint, how many were just writing one, and how many came to their end.
"""

import json
import os
import signal
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import spherelax as sl
from problems import candidates
from spherelax.io.answers import checkpoint

SEED = 0


def communities(n_items=4500, size=50, degree=12):
    """So many items that sweeps are short, in communities; a third of the links join two."""
    rng = np.random.default_rng(SEED)
    one = rng.integers(n_items, size=n_items * degree // 2)
    near = one // size * size + rng.integers(size, size=len(one))
    other = np.where(rng.random(len(one)) < 1 / 3, rng.integers(n_items, size=len(one)), near)
    W = sp.csr_array((np.ones(len(one)), (one, other)), shape=(n_items, n_items))
    return {"similarity": (W + W.T).sign()}


def matching(shuffled):
    """Matches, most of which may be wrong: then sweeps of noise are made, too."""
    W, groups, _ = sl.datasets.make_partial_matching(10, 12, shuffled=shuffled, random_state=SEED)
    return {"similarity": W, "groups": groups}


def copies(n_copies=30):
    """Matches of ten groups, of which the first has copies: it is solved twice, if that is soft."""
    W, groups, _ = sl.datasets.make_partial_matching(
        10, 50, observed=0.7, shuffled=0.2, random_state=SEED
    )
    rows = np.r_[np.arange(len(W)), np.flatnonzero(groups == 0)[:n_copies]]
    W, groups = (W - np.eye(len(W)))[np.ix_(rows, rows)], groups[rows]
    W[groups[:, None] == groups] = 0.0
    return {"similarity": W, "groups": groups, "duplicate_free": "soft"}


def points():
    """A neighbour graph of three clouds."""
    rng = np.random.default_rng(SEED)
    X = np.concatenate([rng.normal(centre, 1.0, size=(100, 2)) for centre in (0, 4, 8)])
    return {"similarity": sl.similarity.nearest_neighbors(X), "pick": "valleys"}


PROBLEMS = {
    "communities": communities,
    "matching": lambda: matching(0.3),
    "noise": lambda: matching(0.9),
    "copies": copies,
    "points": points,
    "pairs": lambda: {"similarity": candidates()[0], "kind": "pairs"},
}


def answer(result):
    """Return everything that must be the same."""
    path = result.path
    curves = (path.alphas, path.etas, path.objectives, path.savings)
    return [result.labels, result.confidence, *curves, *path.labels]


def run_and_kill(given, file, seconds):
    """Run in a child process, and kill it after some seconds; tell whether it had not ended."""
    child = os.fork()
    if child == 0:
        try:
            np.savez(file.with_name("answer.npz"), *answer(sl.solve(**given, checkpoint=file)))
        finally:
            os._exit(sys.exc_info()[0] is not None)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code not in (0, -signal.SIGKILL):
        sys.exit(f"a run failed: {code}")
    return code != 0


def check(found, expected):
    """End the program if two answers differ."""
    if not (len(found) == len(expected) and all(map(np.array_equal, found, expected))):
        sys.exit("another answer")


def kill_often(given, folder, n_kills, rng):
    """Kill runs of one problem; return what was counted."""
    file, counts = folder / "run.npz", Counter()
    expected = answer(sl.solve(**given))
    begin = time.monotonic()
    check(answer(sl.solve(**given, checkpoint=file)), expected)
    seconds = time.monotonic() - begin
    file.unlink()
    while counts["killed"] < n_kills:
        if run_and_kill(given, file, rng.uniform(0, seconds)):
            counts["killed"] += 1
            counts["left"] += file.exists()
            counts["writing"] += any(folder.glob(".run.npz.*"))
        else:
            with np.load(folder / "answer.npz") as saved:
                check([saved[name] for name in saved], expected)
            counts["ended"] += 1
            file.unlink()
    check(answer(sl.solve(**given, checkpoint=file)), expected)
    check(answer(sl.solve(**given, checkpoint=file)), expected)
    if any(folder.glob(".run.npz.*")):
        sys.exit("something was left behind")
    file.unlink()
    return counts


def main(folder, n_kills, *names):
    """Write after every step, and kill the runs of some problems."""
    warnings.simplefilter("ignore")
    checkpoint.EVERY, checkpoint.SHARE = 0.0, np.inf
    rng, counts = np.random.default_rng(SEED), Counter()
    for name in names:
        counts += kill_often(PROBLEMS[name](), Path(folder), int(n_kills), rng)
    print(json.dumps(counts))


if __name__ == "__main__":
    main(*sys.argv[1:])
