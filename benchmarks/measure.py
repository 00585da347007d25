"""Measure time and memory: runs that take turns, new interpreters, and how time grows with size.

As a script with a file that :func:`peak_bytes` wrote, it prints the peak memory of one solve.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numba
import numpy as np
import scipy.sparse as sp
import synthetic

import spherelax as sl

FIRST_CALL = """
import numpy as np, spherelax as sl
sl.solve(np.kron(np.eye(3), np.ones((100, 100))))
"""
# Below and above the number of items from which the solver works in batches.
WARM_UP_ITEMS = 300, 6000


class Timed(NamedTuple):
    """Seconds of each run, and what the last one returned."""

    seconds: list[float]
    value: np.ndarray

    @property
    def median(self) -> float:
        """Median of the seconds."""
        return median(self.seconds)

    def ratio(self, other: Timed) -> float:
        """Return the median over the rounds of our seconds divided by the other's."""
        return median(x / y for x, y in zip(self.seconds, other.seconds, strict=True))


def in_turn(
    runs: Mapping[str, Callable[[], np.ndarray]],
    repeats: int,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, Timed]:
    """Time all runs in turn, several rounds, so that a slow moment affects all of them."""
    timed = {name: Timed([], np.empty(0)) for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            began = clock()
            value = run()
            timed[name] = Timed([*timed[name].seconds, clock() - began], value)
    return timed


def gathered(values: np.ndarray, places: np.ndarray, n_threads: int) -> np.ndarray:
    """Read values at random places, each thread at a part of them; nothing else is done.

    It shows what the machine itself gives a second thread where memory is waited for.
    """
    with ThreadPoolExecutor(n_threads) as pool:
        sums = pool.map(partial(_sum_at, values), np.array_split(places, n_threads))
    return np.array(list(sums))


@numba.njit(nogil=True)
def _sum_at(values: np.ndarray, places: np.ndarray) -> float:
    """Sum values at some places."""
    total = 0.0
    for place in places:
        total += values[place]
    return total


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """Return p of the power law seconds ~ sizes ** p that fits best, by least squares on logs.

    Examples
    --------
    >>> round(exponent([10, 100, 1000], [2.0, 20.0, 200.0]), 6)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def warm_up() -> None:
    """Load or compile what the first solves need."""
    for n_items in WARM_UP_ITEMS:
        W, _, groups = synthetic.matching(n_items)
        for n_jobs in (1, 2):
            sl.solve(W, n_jobs=n_jobs)
            sl.solve(W, groups, n_jobs=n_jobs)


def first_call_seconds() -> float:
    """Return the wall time of a new interpreter that imports spherelax and solves once."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", FIRST_CALL], check=True)
    return time.perf_counter() - began


def command_line(file: Path) -> np.ndarray:
    """Cluster a file by the command line in a new process, with one thread.

    The labels stay in a file beside it: reading them is not part of what is timed.
    """
    labels = file.with_name("labels.csv")
    command = [sys.executable, "-m", "spherelax", "cluster", str(file)]
    subprocess.run(
        [*command, "--n-jobs", "1", "--out", str(labels)], check=True, stderr=subprocess.DEVNULL
    )
    return np.empty(0)


def script(file: Path) -> np.ndarray:
    """Read a sparse matrix and solve it in a new process, with one thread."""
    text = "import sys, scipy.sparse as sp, spherelax as sl; "
    text += "sl.solve(sp.load_npz(sys.argv[1]), n_jobs=1)"
    subprocess.run([sys.executable, "-c", text, str(file)], check=True)
    return np.empty(0)


def cpu_of_all() -> float:
    """Return the CPU seconds of this process and of those that it has started."""
    return sum(os.times()[:4])


def peak_bytes(W: sp.csr_array, groups: np.ndarray | None) -> int | None:
    """Return the peak memory of a solve beyond the input, in a new process; None if not on Linux.

    The process reads the input from a file, so that building it leaves no free memory behind which
    would hide what the solve takes.
    """
    if not Path("/proc/self/status").exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "input.npz"
        none = np.empty(0) if groups is None else groups
        np.savez(file, data=W.data, indices=W.indices, indptr=W.indptr, groups=none)
        done = subprocess.run(
            [sys.executable, __file__, str(file)], check=True, stdout=subprocess.PIPE, text=True
        )
    return int(done.stdout)


def main() -> None:
    """Print the bytes that a solve of the given file adds to what is there before it."""
    warm_up()
    with np.load(sys.argv[1]) as stored:
        W = sp.csr_array((stored["data"], stored["indices"], stored["indptr"]))
        groups = stored["groups"] if len(stored["groups"]) else None
    before = _memory("VmRSS")
    sl.solve(W, groups, n_jobs=1)
    print(_memory("VmHWM") - before)


def _memory(field: str) -> int:
    """Return the bytes of the process, VmRSS now or VmHWM at most so far.

    Not ``ru_maxrss``, in which a new process inherits the peak of the one that started it.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith(field))
    return 1024 * int(line.split()[1])


if __name__ == "__main__":
    main()
