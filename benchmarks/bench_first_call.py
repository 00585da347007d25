"""CPU seconds until the first answer, while nothing is kept of earlier ones, and of a second one.

Run as ``python benchmarks/bench_first_call.py``; ``--repeats`` says how often. Each run is a new
process with an empty folder for compiled code, on one thread. Seconds of the first answer include
those of starting Python and of the imports. If the package was installed from a wheel with machine
code, first answers take it from there; else they compile, as with the source on PYTHONPATH.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

PROBLEMS = {
    "graph": "sl.solve(synthetic.matching(300)[0], kind='graph', n_jobs=1)",
    "groups": "sl.solve(*synthetic.matching(300)[::2], kind='graph', n_jobs=1)",
    "scored pairs": "sl.solve(synthetic.scored(), kind='pairs', n_jobs=1)",
    "scored pairs, groups": (
        "sl.solve(synthetic.scored(), np.repeat([0, 1, 2], 100), kind='pairs', n_jobs=1)"
    ),
    "points": "sl.SphereClustering(n_jobs=1).fit(np.random.default_rng(0).normal(size=(300, 2)))",
}
SCRIPT = """
import sys, time
import numpy as np, spherelax as sl, synthetic
from numba.core import event

class Compiled(event.Listener):
    def on_start(self, found):
        print("compiled", found.data["dispatcher"].py_func.__qualname__, file=sys.stderr)
    def on_end(self, _):
        pass

event.register("numba:compile", Compiled())
for _ in range(2):
    began = time.process_time() if _ else 0.0
    eval(sys.argv[1])
    print(time.process_time() - began)
"""


class Run(NamedTuple):
    """CPU seconds of a new process until its first answer, and of a second one."""

    first: float
    second: float
    compiled: list[str]  # the functions that were compiled


def run(problem: str) -> Run:
    """Solve a problem twice in a new process."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
        variables = {"NUMBA_CACHE_DIR": folder, "PYTHONPATH": os.pathsep.join(paths)}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, problem],
            env={**os.environ, **variables, "OPENBLAS_NUM_THREADS": "1"},
            check=False,
            capture_output=True,
            text=True,
        )
    if done.returncode:
        sys.exit(done.stderr)
    first, second = map(float, done.stdout.split())
    lines = done.stderr.splitlines()
    return Run(first, second, [line.split()[1] for line in lines if line.startswith("compiled ")])


def main() -> None:
    """Print a table of medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--refuse-to-compile", action="store_true")
    arguments = parser.parse_args()
    print("| problem of 300 items | first answer, CPU s | second |\n|---|---|---|")
    for name, problem in PROBLEMS.items():
        runs = [run(problem) for _ in range(arguments.repeats)]
        first, second = median(run.first for run in runs), median(run.second for run in runs)
        print(f"| {name} | {first:.1f} | {second:.2f} |", flush=True)
        if arguments.refuse_to_compile and runs[0].compiled:
            sys.exit(f"{name}: {len(runs[0].compiled)} functions were compiled")


if __name__ == "__main__":
    main()
