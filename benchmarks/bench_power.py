"""Sweep of the power solver compared with the literal dense algorithm, one thread, in one run.

Run with ``make bench``, or ``python benchmarks/bench_power.py --quick`` for a less exact answer.
The literal implementation is that of the tests: a dense V and a dense eigensolver per alpha, and
Algorithm 3 row by row. "at once" is the same with the projection of all rows in one NumPy
expression. It is timed on every tenth alpha of the grid, because each alpha takes the same time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

import spherelax as sl

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from support import oracle

N_ITEMS, N_COLUMNS, N_INNER, ALPHA_STEP = 1000, 100, 20, 0.01


def project_all(X: np.ndarray) -> np.ndarray:
    """Algorithm 3 on all rows at once, in the simplest way."""
    Y = np.maximum(X, 0.0)
    empty = X.max(axis=1) <= 0
    Y[empty] = np.eye(X.shape[1])[X[empty].argmax(axis=1)]
    return Y / np.linalg.norm(Y, axis=1, keepdims=True)


def literal_seconds(W: np.ndarray, project: Callable[[np.ndarray], np.ndarray]) -> float:
    """Return the time of the literal sweep, measured on ten of its hundred alphas."""
    began = time.perf_counter()
    oracle.sweep(
        W,
        N_COLUMNS,
        alpha_step=10 * ALPHA_STEP,
        n_inner=N_INNER,
        delta_margin=0.0,
        kappa=0.01,
        project=project,
    )
    return 10 * (time.perf_counter() - began)


def our_seconds(W: object) -> float:
    """Return the time of a whole solve: checks, sweep, rounding, pick, confidence."""
    began = time.perf_counter()
    solver = sl.Power(max_labels=N_COLUMNS, alpha_step=ALPHA_STEP, n_inner=N_INNER)
    sl.solve(W, solver=solver)
    return time.perf_counter() - began


def sparse_similarity(seed: int) -> np.ndarray:
    """Make a similarity of 1 % density: 100 clusters of about ten items, half of each missing."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(100, size=N_ITEMS)
    W = np.triu(labels[:, None] == labels, 1) & (rng.random((N_ITEMS, N_ITEMS)) < 0.5)
    W |= np.triu(rng.random((N_ITEMS, N_ITEMS)) < 0.005, 1)
    return (W | W.T).astype(float) + np.eye(N_ITEMS)


def import_seconds(statement: str) -> float:
    """Return the time of a statement in a new interpreter."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one run of each instead of three")
    runs = 1 if parser.parse_args().quick else 3
    dense, _ = sl.datasets.make_binary_similarity(
        N_ITEMS, 20, rewired=0.4, missing=0.2, random_state=0
    )
    sparse = sparse_similarity(0)
    density = np.count_nonzero(sparse) / sparse.size
    cases = [
        ("dense W, half of it nonzero", dense, dense),
        (f"CSR W, {density:.1%} nonzero", sparse, sp.csr_array(sparse)),
    ]
    print(f"m = {N_ITEMS}, k = {N_COLUMNS}, N = {N_INNER}, 100 alphas, one thread, {runs} run(s)")
    print(f"{'W':30} {'literal':>9} {'at once':>9} {'ours':>7}   ratio to literal, to at once")
    with threadpool_limits(1):
        for name, full, given in cases:
            times = [
                (
                    literal_seconds(full, oracle.project),
                    literal_seconds(full, project_all),
                    our_seconds(given),
                )
                for _ in range(runs)
            ]
            literal, at_once, ours = (median(column) for column in zip(*times, strict=True))
            ratios = [median(t[i] / t[2] for t in times) for i in (0, 1)]
            print(
                f"{name:30} {literal:7.1f} s {at_once:7.1f} s {ours:5.2f} s"
                f"   {ratios[0]:.1f}, {ratios[1]:.1f}"
            )
    sklearn = median(import_seconds("import sklearn.cluster") for _ in range(runs))
    extra = median(
        import_seconds("import sklearn.cluster, spherelax; spherelax.SphereClustering")
        for _ in range(runs)
    )
    light = median(import_seconds("import spherelax") for _ in range(runs))
    help_ = median(
        import_seconds(
            "import sys; sys.argv = ['spherelax', '--help']\n"
            "from spherelax.cli import main\ntry: main()\nexcept SystemExit: pass"
        )
        for _ in range(runs)
    )
    print(f"import sklearn.cluster {sklearn:.2f} s, with all of spherelax {extra:.2f} s, ", end="")
    print(f"import spherelax alone {light:.2f} s, spherelax --help {help_:.2f} s")


if __name__ == "__main__":
    main()
