"""From Parquet files of scored pairs to entities: CPU seconds, memory, bytes, and pair-F.

Stages are ingest, rounds of work on shards, and answers. Memory is that of all processes. The rival
is what is often done with such pairs: connected components of those above a score, by union-find on
what DuckDB reads, at the best of some scores, which needs the truth.

Records are in five sources, in entities of 2 to 10. All pairs of an entity are listed, and wrong
ones, 15 % of all. Scores of right and wrong pairs overlap. A wrong pair joins two records of a
block, so that components are small; with one block for everything nearly all is one component.

    python benchmarks/bench_scale.py --pairs 1e6 1e7 --memory 2GB --workers 2

With --judged the rival is another run of our own: judged pairs are kept, and so are the ids of the
first run; then some pairs are explained. Listed pairs are judged by the truth, and some records of
different components to be the same, so that components are joined.

    python benchmarks/bench_scale.py --pairs 1e7 --judged
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from measure import exponent

from spherelax import scale
from spherelax.metrics import pairwise_scores
from spherelax.scale.components import Forest
from spherelax.scale.numbering import Request, double, number
from spherelax.scale.origins import Origin
from spherelax.scale.workspace import workspace

SOURCES = np.array(["bank", "clinic", "shop", "tax", "town"])
SIZES = np.arange(2, 11)
WRONG = 0.15
# Right pairs of a record, on average, and records of a pair.
RIGHT_PER_RECORD = (SIZES * (SIZES - 1) / 2).mean() / SIZES.mean()
RECORDS_PER_PAIR = (1 - WRONG) / RIGHT_PER_RECORD
# An odd number: multiplied by it, neighbours get ids that are far apart.
SCATTER = 0x9E3779B1
# Listed pairs that are judged, and records of different components judged to be the same; pairs
# that are explained.
N_JUDGED, N_JOINED, N_EXPLAINED = 10_000, 1_000, 5
# Stages by how what is being done begins; all else is ingest.
STAGES = {
    **{"round": "rounds", "write entities": "answers", "keep ids": "ids"},
    **dict.fromkeys(("read the earlier", "read the register", "compare records"), "ids"),
}
# Scores from which on the rival joins records.
SCORES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def blocks_of(
    n_records: int, block: int, seed: int
) -> Iterator[tuple[int, np.ndarray, np.random.Generator]]:
    """Return the first record of each block, the sizes of its entities, and what draws the rest."""
    n_entities = int(block / SIZES.mean())
    for at in range(-(-n_records // block)):
        rng = np.random.default_rng([seed, at])
        yield at * n_entities * SIZES.max(), rng.choice(SIZES, size=n_entities), rng


def pairs_of(n_records: int, block: int, seed: int) -> Iterator[dict[str, np.ndarray]]:
    """Make pairs of about so many records, block by block: both records, score, is it right."""
    for start, sizes, rng in blocks_of(n_records, block, seed):
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
    for nth, pairs in enumerate(_gathered(blocks, n_pairs // n_files // 4)):
        table = pa.table(_columns(pairs))
        at = nth % n_files
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


def truth_of(n_records: int, block: int, seed: int = 0) -> np.ndarray:
    """Return the entity of each record, by its number; -1 for numbers that no record has."""
    block = min(block, n_records)
    n_entities = int(block / SIZES.mean())
    truth = np.full(-(-n_records // block) * n_entities * SIZES.max(), -1)
    for at, (start, sizes, _) in enumerate(blocks_of(n_records, block, seed)):
        truth[start : start + sizes.sum()] = at * n_entities + np.repeat(
            np.arange(n_entities), sizes
        )
    return truth


def numbers_of(ids: pa.Array) -> np.ndarray:
    """Return the numbers of records from their ids."""
    scattered = pc.cast(pc.utf8_slice_codeunits(ids, 1), pa.int64()).to_numpy()
    return (scattered * pow(SCATTER, -1, 1 << 32)) % (1 << 32)


class Watch:
    """CPU seconds, memory and bytes written of this process and of those that it starts."""

    def __init__(self) -> None:
        self.stage, self.peaks = "ingest", dict.fromkeys(["ingest"], 0)
        self.stages: dict[str, float] = {}
        self._written: dict[int, int] = {}
        self._last = self.cpu()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def progress(self, what: str, _: float) -> None:
        """Add the CPU time since the last call to the stage that is reported."""
        stage = next((STAGES[each] for each in STAGES if what.startswith(each)), "ingest")
        now = self.cpu()
        self.stages[stage] = self.stages.get(stage, 0.0) + now - self._last
        self._last, self.stage = now, stage

    def end(self) -> dict[str, float]:
        """Return what was seen."""
        self._is_over.set()
        self._thread.join()
        used = {f"{stage}, % of CPU": 100 * n / self.cpu() for stage, n in self.stages.items()}
        return {
            "CPU s": self.cpu(),
            "peak MB": max(self.peaks.values()) / 1e6,
            **{f"{stage}, peak MB": peak / 1e6 for stage, peak in self.peaks.items()},
            "written MB": sum(self._written.values()) / 1e6,
            **used,
        }

    def cpu(self) -> float:
        """Return the CPU seconds of all processes, also of those that have ended."""
        mine, ended = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        seconds = mine.ru_utime + mine.ru_stime + ended.ru_utime + ended.ru_stime
        for pid in self._children():
            with suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                seconds += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return seconds

    def _children(self) -> list[int]:
        """Return the processes that this one has started and that are there."""
        found = []
        for file in Path("/proc/self/task").glob("*/children"):
            with suppress(OSError):
                found += map(int, file.read_text().split())
        return found

    def _look(self) -> None:
        """Look at all processes now and then."""
        while not self._is_over.wait(0.1):
            used = 0
            for pid in (os.getpid(), *self._children()):
                with suppress(OSError, KeyError):
                    n_pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
                    used += n_pages * resource.getpagesize()
                    lines = Path(f"/proc/{pid}/io").read_text().splitlines()
                    self._written[pid] = int(dict(line.split(": ") for line in lines)["wchar"])
            self.peaks[self.stage] = max(self.peaks.get(self.stage, 0), used)


def ours(source: str, home: Path, memory: str, n_workers: int) -> dict[str, float]:
    """Go from files to entities, and return what it took."""
    return _measure(source, home / "ours", memory, n_workers)


def judged(source: str, home: Path, memory: str, n_workers: int) -> dict[str, float]:
    """Do the same with judgements and the ids of the first run."""
    more = {"judgements": home / "judged.parquet", "ids_like": home / "ours"}
    found = _measure(source, home / "judged", memory, n_workers, **more)
    ids = scale.Entities.load(home / "judged").ids or {}
    return {**found, **{f"ids, {name}": n for name, n in ids.items()}}


def explained(_: str, home: Path, __: str, ___: int) -> dict[str, float]:
    """Explain some judged pairs, and return what it took."""
    table = pq.read_table(home / "judged.parquet").slice(0, N_EXPLAINED).to_pydict()
    names = [
        [f"{source} {name}" for source, name in zip(table[f"source_{side}"], ids, strict=True)]
        for side, ids in (("a", table["id_a"]), ("b", table["id_b"]))
    ]
    scale.explain(home / "judged", (names[0][0], names[1][0]))  # compiles
    began, watch = time.perf_counter(), Watch()
    start = watch.cpu()
    for pair in zip(*names, strict=True):
        print(scale.explain(home / "judged", pair), file=sys.stderr)
    spent = (watch.cpu() - start) / N_EXPLAINED
    found = {**watch.end(), "CPU s": spent}
    return {"wall s": (time.perf_counter() - began) / N_EXPLAINED, **found}


def write_judgements(home: Path, n_records: int, block: int) -> None:
    """Judge listed pairs by the truth, and pairs of records of different blocks to be the same."""
    rng, truth = np.random.default_rng(7), truth_of(n_records, block)
    first = sorted((home / "given").iterdir())[0]
    listed = pq.read_table(first, columns=["id_a", "id_b"])
    a, b = (numbers_of(listed[name]) for name in ("id_a", "id_b"))
    kept = rng.permutation(np.flatnonzero(a != b))[:N_JUDGED]
    a, b = a[kept], b[kept]
    same = truth[a] == truth[b]
    known = np.flatnonzero((truth >= 0) & ~np.isin(truth, truth[np.r_[a, b]]))
    ends = rng.permutation(known[np.unique(truth[known], return_index=True)[1]])
    joined = ends[: 2 * N_JOINED].reshape(2, -1)
    columns = _columns({"a": np.r_[a, joined[0]], "b": np.r_[b, joined[1]], "score": np.empty(0)})
    del columns["score"]
    verdict = np.where(np.r_[same, np.ones(joined.shape[1], dtype=bool)], "same", "different")
    pq.write_table(pa.table({**columns, "verdict": verdict}), home / "judged.parquet")


def broken(home: Path) -> int:
    """Return how many judgements the entities do not agree with."""
    files = sorted((home / "judged").glob("part-*.parquet"))
    table = pa.concat_tables([pq.read_table(file, columns=["id", "entity"]) for file in files])
    number, entity = numbers_of(table["id"]), table["entity"].to_numpy()
    of_number = np.full(number.max() + 1, -1)
    of_number[number] = entity
    said = pq.read_table(home / "judged.parquet")
    a, b = (of_number[numbers_of(said[name])] for name in ("id_a", "id_b"))
    return int(np.count_nonzero((a == b) != (np.array(said["verdict"]) == "same")))


def _measure(
    source: str, into: Path, memory: str, n_workers: int, **more: Path
) -> dict[str, float]:
    """Solve pairs into a folder, and return what it took."""
    began, watch = time.perf_counter(), Watch()
    found = scale.solve(
        source, into, memory_limit=memory, n_jobs=n_workers, progress=watch.progress, **more
    )
    plan = scale.Plan.load(into / "shards")
    return {
        "items": found.n_items,
        "pairs": found.n_pairs,
        "components": found.n_components,
        "entities": found.n_entities,
        "shards": len(plan.shards),
        "largest shard": max(shard.n_pairs for shard in plan.shards),
        "wall s": time.perf_counter() - began,
        **watch.end(),
        "disk MB": sum(file.stat().st_size for file in into.rglob("*")) / 1e6,
    }


def theirs(source: str, home: Path, memory: str, _: int) -> dict[str, float]:
    """Let DuckDB number the records, and join those of pairs above each score by union-find."""
    began, watch = time.perf_counter(), Watch()
    request = Request(Origin.of(source), None, None, None, None, None)
    with workspace(home / "theirs", memory, watch.progress) as work:
        found = number(work, request, home / "theirs")
        forest, above = Forest.of(found.n_items), np.inf
        ids = work.db.sql("SELECT id FROM items ORDER BY rowid").to_arrow_table()["id"]
        np.save(home / "numbers.npy", numbers_of(ids))
        for score in sorted(SCORES, reverse=True):
            query = f"SELECT a, b FROM pairs WHERE score >= {score} AND score < {double(above)}"
            for a, b in work.arrays(query):
                forest.add(a, b)
            np.save(home / f"theirs-{score}.npy", forest.components().of_item)
            above = score
    return {"wall s": time.perf_counter() - began, **watch.end()}


def f_scores(home: Path, truth: np.ndarray) -> dict[str, float]:
    """Return the F-score of both answers."""
    parts = sorted((home / "ours").glob("part-*.parquet"))
    table = pa.concat_tables([pq.read_table(file, columns=["id", "entity"]) for file in parts])
    known = truth[numbers_of(table["id"])]
    rivals = truth[np.load(home / "numbers.npy")]
    joined = {
        score: pairwise_scores(rivals, np.load(home / f"theirs-{score}.npy")).f_score
        for score in SCORES
    }
    best = max(joined, key=lambda score: joined[score])
    return {
        "pair-F": pairwise_scores(known, table["entity"].to_numpy()).f_score,
        "components, pair-F": joined[best],
        "components, best score": best,
        "components, pair-F at 0.5": joined[0.5],
    }


def run(n_pairs: int, given: argparse.Namespace) -> dict[str, float]:
    """Write pairs, solve them in new processes, and print what it took."""
    block = round(given.block)
    with tempfile.TemporaryDirectory(dir=given.home) as folder:
        home = Path(folder)
        (home / "given").mkdir()
        n_rows = write_pairs(home / "given", n_pairs, given.files, block)
        size = sum(file.stat().st_size for file in (home / "given").iterdir()) / 1e6
        print(f"-- {n_rows} rows in {given.files} files of {size:.0f} MB, blocks of {block}")
        found = _in_child("ours", home, given)
        if given.judged:
            write_judgements(home, round(n_pairs * RECORDS_PER_PAIR), block)
            for what in ("judged", "explained"):
                again = _in_child(what, home, given)
                found |= {f"{what}, {name}": value for name, value in again.items()}
            found["judged, broken"] = broken(home)
            _print(found)
            return found
        rival = _in_child("theirs", home, given)
        found |= {f"components, {what}": value for what, value in rival.items()}
        found |= f_scores(home, truth_of(round(n_pairs * RECORDS_PER_PAIR), block))
    _print(found)
    return found


def _print(found: dict[str, float]) -> None:
    """Print what was measured."""
    for what, value in found.items():
        print(f"{what:<28}{value:.4g}" if isinstance(value, float) else f"{what:<28}{value}")


def _in_child(what: str, home: Path, given: argparse.Namespace) -> dict[str, float]:
    """Measure in a new process."""
    child = ["--child", what, str(home), "--memory", given.memory, "--workers", str(given.workers)]
    command = [sys.executable, __file__, *child]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main(arguments: list[str] | None = None) -> None:
    """Run the benchmark, or the part of it that is measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--pairs", type=float, nargs="+", default=[1e6, 1e7], help="1e8 needs an hour"
    )
    parser.add_argument("--files", type=int, default=64)
    parser.add_argument("--block", type=float, default=1000, help="records that may be confused")
    parser.add_argument("--memory", default="2GB", help="of DuckDB, and then of all processes")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--home", type=Path, help="folder for files; needs 250 bytes a pair")
    parser.add_argument("--judged", action="store_true", help="judgements and ids, no rival")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child:
        ways = {"ours": ours, "theirs": theirs, "judged": judged, "explained": explained}
        measured = ways[given.child[0]]
        home = Path(given.child[1])
        found = measured(str(home / "given" / "*.parquet"), home, given.memory, given.workers)
        json.dump(found, sys.stdout)
        return
    found = [run(round(n_pairs), given) for n_pairs in given.pairs]
    if len(found) > 1:
        power = exponent([each["pairs"] for each in found], [each["CPU s"] for each in found])
        print(f"CPU seconds grow with pairs to the power of {power:.2f}")


if __name__ == "__main__":
    main()
