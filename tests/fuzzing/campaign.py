"""Many trials, in processes of their own, so that a crash or a hang is seen and goes on."""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from fuzzing import trial
from fuzzing.specimens import make_specimens

LONGEST = 240.0  # seconds that one trial may take: a file that is read apart may take 60, twice


class Fault(NamedTuple):
    """A trial that ended in neither an answer nor an error of our own."""

    case: int
    file: str
    reason: str


def run(first: int, end: int) -> tuple[Counter[str], list[Fault]]:
    """Try cases; return how many ended in which way, and the faults."""
    counts: Counter[str] = Counter()
    faults: list[Fault] = []
    with tempfile.TemporaryDirectory() as folder:
        make_specimens(Path(folder))
        while first < end:
            first = _some(folder, first, end, counts, faults)
    return counts, faults


def _some(folder: str, first: int, end: int, counts: Counter[str], faults: list[Fault]) -> int:
    """Try cases until all are done or a process ends; return the next case."""
    command = [sys.executable, trial.__file__, folder, str(first), str(end)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    case, file, reason = first, "", None
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True
    ) as process:
        while True:
            watch = threading.Timer(LONGEST, process.kill)
            watch.start()
            line = process.stdout.readline()
            watch.cancel()
            if not line:
                break
            case, file, reason = json.loads(line)
            if reason is None:
                continue
            kind = reason if reason in ("answer", "refused") else "fault"
            counts[kind] += 1
            if kind == "fault":
                faults.append(Fault(case, file, reason))
    if reason is None:
        counts["fault"] += 1
        faults.append(Fault(case, file, f"the process ended with code {process.returncode}"))
    return case + 1


if __name__ == "__main__":
    begin, finish = map(int, sys.argv[1:])
    found, wrong = run(begin, finish)
    for fault in wrong:
        sys.stdout.write(f"{fault}\n")
    sys.stdout.write(f"{dict(found)}\n")
    sys.exit(bool(wrong))
