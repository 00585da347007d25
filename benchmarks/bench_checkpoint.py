"""What a checkpoint costs: CPU seconds of one writing and of the fingerprint, and size of the file.

The file is written after every step here, so that there are many writings to measure, and the run
is then repeated with the finished file. In use it is written every 30 seconds at most.

    python benchmarks/bench_checkpoint.py --items 1e5 1e6
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import synthetic

import spherelax as sl
from spherelax.io.answers import checkpoint


def main() -> None:
    """Print a row for each kind of problem and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=float, nargs="+", default=[1e5])
    sizes = [round(size) for size in parser.parse_args().items]
    checkpoint.EVERY, checkpoint.SHARE = 0.0, np.inf
    print("problem items plain_s writings mean_s worst_s fingerprint_s largest_MB again_s")
    for name in ("planted", "matching"):
        make = getattr(synthetic, name)
        measure(make(6000))  # loads or compiles
        for size in sizes:
            print(name, size, *measure(make(size)), flush=True)


def measure(problem: synthetic.Synthetic) -> tuple[str, ...]:
    """Solve without a checkpoint, with one, and again from the finished one."""
    given = {"similarity": problem.similarity, "groups": problem.groups, "n_jobs": 1}
    plain, result = timed(lambda: sl.solve(**given))
    writings: list[float] = []
    fingerprints: list[float] = []
    sizes: list[int] = []
    write, fingerprint = checkpoint.Checkpoint.write, checkpoint.fingerprint

    def watched(self: checkpoint.Checkpoint, arrays: Any) -> None:
        writings.append(timed(lambda: write(self, arrays))[0])
        sizes.append(self.path.stat().st_size)

    def seen(*arguments: Any) -> str:
        seconds, found = timed(lambda: fingerprint(*arguments))
        fingerprints.append(seconds)
        return str(found)

    checkpoint.Checkpoint.write, checkpoint.fingerprint = watched, seen  # type: ignore[method-assign]
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "run.npz")
            kept = sl.solve(**given, checkpoint=file)
            again, repeated = timed(lambda: sl.solve(**given, checkpoint=file))
    finally:
        checkpoint.Checkpoint.write, checkpoint.fingerprint = write, fingerprint  # type: ignore[method-assign]
    for other in (kept, repeated):
        np.testing.assert_array_equal(other.labels, result.labels)
    numbers = (plain, len(writings), np.mean(writings), max(writings), fingerprints[0])
    return tuple(f"{number:.4g}" for number in (*numbers, max(sizes) / 1e6, again))


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of some work, and what it returns."""
    begin = time.process_time()
    value = work()
    return time.process_time() - begin, value


if __name__ == "__main__":
    main()
