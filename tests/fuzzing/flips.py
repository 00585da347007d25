"""Single bits of files of a run in shards that flip while it is stopped.

Whatever the file and the bit, the run is refused and the file is named, or its answer and what it
explains are the same.
"""

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq
import pytest
from support.shard_tables import Here, rows, table

import spherelax as sl
from spherelax import scale
from spherelax.coordinate import trail
from spherelax.coordinate.graph import part
from spherelax.scale import matrix, rounds, run

N_SHARDS = 2
EXPLAINED = "explained"  # this copy is not gone on with, but asked


class Run(NamedTuple):
    """A run: its input, copies of its folder from its beginning to its end, and what it says."""

    pairs: Path
    copies: list[Path]
    answer: list[dict[str, object]]
    explained: str


@contextmanager
def small():
    """Work without processes, and as if small problems were large."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "Processes", lambda *_: Here())
        for module in (part, rounds):
            patch.setattr(module, "LEARN_FROM", 60)
            patch.setattr(module, "LEAST_ITEMS", 20)
        patch.setattr(trail, "MANY", 20)
        patch.setattr(matrix, "MANY_PAIRS", 30)
        yield


def solve(pairs, into, progress=None):
    """Solve pairs in shards."""
    return scale.solve(pairs, into, n_shards=N_SHARDS, memory_limit="1GB", progress=progress)


def make_run(folder: Path, *, has_sources: bool) -> Run:
    """Solve a problem, and copy what it has written so far whenever something else begins."""
    pairs, into, copies = folder / "pairs.parquet", folder / "out", []
    pq.write_table(table(has_sources=has_sources), pairs)
    seen = set()

    def copy(what, share):
        if share > 0 and what not in seen:
            seen.add(what)
            copies.append(folder / f"copy-{len(copies)}")
            shutil.copytree(into, copies[-1])

    with small():
        answer = rows(solve(pairs, into, copy))
    for name in ("complete", EXPLAINED, "without summary"):
        copies.append(folder / name)
        shutil.copytree(into, copies[-1])
    (copies[-1] / "summary.json").unlink()
    return Run(pairs, copies, answer, explain(into))


def explain(folder: Path) -> str:
    """Return what a run says of two of its records, and of an entity."""
    first, *_, last = rows(scale.Entities.load(folder))
    names = [
        " ".join(str(row[key]) for key in ("source", "id") if key in row) for row in (first, last)
    ]
    with small():
        of_pair = scale.explain(folder, (names[0], names[1]))
        return f"{of_pair}{scale.explain(folder, entity=first['entity'])}"


def flip(path: Path, rng) -> None:
    """Flip a bit of a file."""
    content = bytearray(path.read_bytes())
    content[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
    path.write_bytes(content)


def outcome(made: Run, seed: int) -> str:
    """Flip a bit of a file of a run and go on, or ask why; return "same", "named", or the fault."""
    rng = np.random.default_rng(seed)
    chosen = made.copies[rng.integers(len(made.copies))]
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "out")
        shutil.copytree(chosen, folder)
        files = sorted(each for each in folder.rglob("*") if each.is_file() and each.stat().st_size)
        file = files[rng.integers(len(files))]
        flip(file, rng)
        about = f"{chosen.name}, {file.relative_to(folder)}"
        with small():
            try:
                if chosen.name == EXPLAINED:
                    is_same = explain(folder) == made.explained
                else:
                    is_same = rows(solve(made.pairs, folder)) == made.answer
            except sl.InvalidInputError as error:
                path = str(file.resolve()).removesuffix(".wal")
                is_named = path in str(error) and str(error).isprintable()
                return "named" if is_named else f"{about}: {error}"
            except Exception as error:
                return f"{about}: {type(error).__name__}: {error}"
        return "same" if is_same else f"{about}: another answer"


def runs(folder: Path) -> list[Run]:
    """Make the runs."""
    made = []
    for has_sources in (True, False):
        home = folder / str(has_sources)
        home.mkdir()
        made.append(make_run(home, has_sources=has_sources))
    return made
