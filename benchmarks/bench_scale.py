"""From Parquet files of scored pairs to shards: CPU seconds, wall time, peak memory, bytes written.

Records are in five sources, in entities of 2 to 10. All pairs of an entity are listed, and wrong
ones, 15 % of all. Scores of right and wrong pairs overlap. A wrong pair joins two records of a
block, so that components are small; with one block for everything nearly all is one component.

    python benchmarks/bench_scale.py --pairs 1e6 1e7 --memory 1GB
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from measure import _memory, exponent

from spherelax import scale

SOURCES = np.array(["bank", "clinic", "shop", "tax", "town"])
SIZES = np.arange(2, 11)
WRONG = 0.15
# Right pairs of a record, on average, and records of a pair.
RIGHT_PER_RECORD = (SIZES * (SIZES - 1) / 2).mean() / SIZES.mean()
RECORDS_PER_PAIR = (1 - WRONG) / RIGHT_PER_RECORD
# An odd number: multiplied by it, neighbours get ids that are far apart.
SCATTER = 0x9E3779B1


def pairs_of(n_records: int, block: int, seed: int) -> Iterator[dict[str, np.ndarray]]:
    """Make pairs of about so many records, block by block: both records, score, is it right."""
    for number, start in enumerate(range(0, n_records, block)):
        rng = np.random.default_rng([seed, number])
        sizes = rng.choice(SIZES, size=int(block / SIZES.mean()))
        first = start + np.r_[0, np.cumsum(sizes)[:-1]]
        right = [_inside(first[sizes == size], size) for size in SIZES]
        a, b = np.concatenate(right, axis=1)
        n_wrong = round(len(a) * WRONG / (1 - WRONG))
        wrong = start + rng.integers(0, sizes.sum(), (2, n_wrong))
        score = np.r_[rng.beta(6, 2, len(a)), rng.beta(2, 4, n_wrong)]
        order = rng.permutation(len(score))
        both = np.concatenate([[a, b], wrong], axis=1)[:, order]
        yield {"a": both[0], "b": both[1], "score": score[order]}


def _inside(first: np.ndarray, size: int) -> np.ndarray:
    """Return all pairs of entities of one size."""
    a, b = np.triu_indices(size, 1)
    return np.stack([np.add.outer(first, a).ravel(), np.add.outer(first, b).ravel()])


def write_pairs(folder: Path, n_pairs: int, n_files: int, block: int, seed: int = 0) -> int:
    """Write about so many pairs to so many Parquet files; return how many."""
    n_records = round(n_pairs * RECORDS_PER_PAIR)
    n_rows = 0
    writers: dict[int, pq.ParquetWriter] = {}
    blocks = pairs_of(n_records, min(block, n_records), seed)
    for number, pairs in enumerate(_gathered(blocks, n_pairs // n_files // 4)):
        table = pa.table(_columns(pairs))
        at = number % n_files
        if at not in writers:
            writers[at] = pq.ParquetWriter(folder / f"pairs-{at:04d}.parquet", table.schema)
        writers[at].write_table(table)
        n_rows += table.num_rows
    for writer in writers.values():
        writer.close()
    return n_rows


def _gathered(
    blocks: Iterator[dict[str, np.ndarray]], n_rows: int
) -> Iterator[dict[str, np.ndarray]]:
    """Put small blocks together, up to about so many rows."""
    held: list[dict[str, np.ndarray]] = []
    for block in blocks:
        held.append(block)
        if sum(len(each["score"]) for each in held) >= n_rows:
            yield {name: np.concatenate([each[name] for each in held]) for name in block}
            held = []
    if held:
        yield {name: np.concatenate([each[name] for each in held]) for name in held[0]}


def _columns(pairs: dict[str, np.ndarray]) -> dict[str, pa.Array]:
    """Name the records by sources and ids, as text."""
    columns = {}
    for side in "ab":
        scattered = pairs[side] * SCATTER % (1 << 32)
        columns[f"source_{side}"] = pa.array(SOURCES[scattered % len(SOURCES)])
        columns[f"id_{side}"] = pa.array([f"r{number:010d}" for number in scattered.tolist()])
    return {**columns, "score": pa.array(pairs["score"])}


def measured(source: str, into: Path, memory: str) -> dict[str, float]:
    """Ingest in this process and return what it took."""
    began, stages, disk = time.perf_counter(), dict[str, list[float]](), [0]

    def watch(what: str, _: float) -> None:
        stages.setdefault(what, []).append(time.perf_counter())
        with suppress(FileNotFoundError):
            disk.append(sum(file.stat().st_size for file in into.rglob("*")))

    plan = scale.ingest(source, into, memory_limit=memory, progress=watch)
    used = resource.getrusage(resource.RUSAGE_SELF)
    io = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return {
        "items": plan.n_items,
        "pairs": plan.n_pairs,
        "components": plan.n_components,
        "shards": len(plan.shards),
        "largest shard": max(shard.n_pairs for shard in plan.shards),
        "wall s": time.perf_counter() - began,
        "CPU s": used.ru_utime + used.ru_stime,
        "peak MB": _memory("VmHWM") / 1e6,
        "written MB": int(io["wchar"]) / 1e6,
        "disk MB": max(disk) / 1e6,
        "shards MB": sum(shard.n_bytes for shard in plan.shards) / 1e6,
        "stages": {what: round(seen[-1] - seen[0], 1) for what, seen in stages.items()},
    }


def run(n_pairs: int, n_files: int, block: int, memory: str, home: Path | None) -> dict[str, float]:
    """Write pairs, ingest them in a new process, and print what it took."""
    with tempfile.TemporaryDirectory(dir=home) as folder:
        given = Path(folder, "given")
        given.mkdir()
        n_rows = write_pairs(given, n_pairs, n_files, block)
        size = sum(file.stat().st_size for file in given.iterdir()) / 1e6
        command = [sys.executable, __file__, "--child", str(given / "*.parquet"), folder, memory]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(done.stdout)
    print(f"-- {n_rows} rows in {n_files} files of {size:.0f} MB, blocks of {block}, {memory}")
    for what, value in found.items():
        print(f"{what:<14}{value:.1f}" if isinstance(value, float) else f"{what:<14}{value}")
    return found


def main(arguments: list[str] | None = None) -> None:
    """Run the benchmark, or the part of it that is measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--pairs", type=float, nargs="+", default=[1e6, 1e7], help="1e8 needs hours"
    )
    parser.add_argument("--files", type=int, default=64)
    parser.add_argument("--block", type=float, default=1000, help="records that may be confused")
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--home", type=Path, help="folder for files; needs 200 bytes a pair")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child:
        source, folder, memory = given.child
        json.dump(measured(source, Path(folder, "shards"), memory), sys.stdout)
        return
    found = [
        run(round(n_pairs), given.files, round(given.block), given.memory, given.home)
        for n_pairs in given.pairs
    ]
    if len(found) > 1:
        power = exponent([each["pairs"] for each in found], [each["CPU s"] for each in found])
        print(f"CPU seconds grow with pairs to the power of {power:.2f}")


if __name__ == "__main__":
    main()
