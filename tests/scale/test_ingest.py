"""Pairs in files become shards: the same similarities as in memory, whatever the files."""

import errno
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from spherelax import InvalidInputError, io
from spherelax.io.files.seals import seal_json
from spherelax.io.readers.pairs import ROLES

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")
scale = pytest.importorskip("spherelax.scale")


def table(seed=0, n_pairs=400, n_records=150, *, ids=str, within=True):
    """Make pairs of records in five sources, some twice, reversed, or of a record with itself."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, n_records, (2, n_pairs))
    a[:20], b[:20] = b[20:40], a[20:40]
    sources = np.array(["shop", "bank", "Öl", "tax", "town"])
    if not within:
        a, b = a[a % 5 != b % 5], b[a % 5 != b % 5]
    columns = {}
    for side, items in (("a", a), ("b", b)):
        columns[f"source_{side}"] = sources[items % 5].tolist()
        columns[f"id_{side}"] = [ids(item // 5) for item in items.tolist()]
    score = rng.choice(np.r_[0.0, rng.random(50)], len(a))
    return pa.table({**columns, "score": score})


def split(pairs, folder, n_files, ending=".parquet", prefix="part"):
    """Write pairs to files, one row after the other."""
    folder.mkdir(parents=True, exist_ok=True)
    for at in range(n_files):
        part = pairs.take(list(range(at, pairs.num_rows, n_files)))
        file = folder / f"{prefix}{at}{ending}"
        pq.write_table(part, file) if ending == ".parquet" else part.to_pandas().to_csv(
            file, index=False
        )
    return str(folder / f"*{ending}")


def as_scores(plan):
    """Similarity of every pair of keys, and the group of every key, from all shards."""
    pairs, groups = {}, {}
    for shard in plan.shards:
        items, edges = shard.items(), shard.edges()
        ids = items.id.to_pylist()
        keys = list(zip(items.source.to_pylist(), ids, strict=True)) if items.source else ids
        assert len(keys) == shard.n_items
        assert len(edges.left) == shard.n_pairs
        assert (edges.left < edges.right).all()
        assert (np.diff(edges.left.astype(np.int64) * len(keys) + edges.right) > 0).all()
        for left, right, similarity in zip(*map(np.ndarray.tolist, edges), strict=True):
            pairs[frozenset((keys[left], keys[right]))] = similarity
        free = [*plan.duplicate_free_sources, None]
        groups |= {key: free[code] for key, code in zip(keys, items.group.tolist(), strict=True)}
    return pairs, groups


def as_read(pairs, **settings):
    """Do the same with the reader that holds everything in memory."""
    found = io.read_pairs(pairs, **settings)
    keys = found.ids if found.sources is None else list(zip(found.sources, found.ids, strict=True))
    W = sp.triu(sp.csr_array(found.problem.similarity), 1).tocoo()
    off = W.row != W.col
    similarity = {
        frozenset((keys[a], keys[b])): value
        for a, b, value in zip(
            W.row[off].tolist(), W.col[off].tolist(), W.data[off].tolist(), strict=True
        )
    }
    groups = found.groups or [None] * len(keys)
    return similarity, dict(zip(keys, groups, strict=True))


def contents(folder):
    """Return the bytes of all shards."""
    files = sorted(folder.glob("shard-*/*"))
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


@pytest.mark.parametrize("n_shards", [1, 2, 3, 7])
@pytest.mark.parametrize("within", [True, False])
def test_same_as_in_memory(tmp_path, seed, n_shards, within):
    pairs = table(seed, n_pairs=120, within=within)
    plan = scale.ingest(split(pairs, tmp_path / "in", 3), tmp_path / "out", n_shards=n_shards)
    assert as_scores(plan) == as_read(pairs)
    assert len(plan.shards) == n_shards
    assert bool(plan.duplicate_free_sources) is not within
    W = io.read_pairs(pairs).problem.similarity
    assert plan.n_components == connected_components(W, directed=False)[0]
    assert scale.Plan.load(tmp_path / "out") == plan


@pytest.mark.parametrize("score", ["match_probability", "match_weight", "score"])
@pytest.mark.parametrize("kind", [None, "odds"])
def test_scores_mean_the_same_as_in_memory(tmp_path, score, kind):
    pairs = table().append_column("x", pa.array(np.random.default_rng(1).normal(size=400)))
    values = {
        "match_probability": pairs["score"],
        "match_weight": pairs["x"],
        "score": pairs["score"],
    }
    ends = pairs.drop_columns(["score", "x"]).rename_columns(io.readers.pairs.SPLINK_ENDS)
    pairs = ends.append_column(score, values[score])
    given = {"columns": pairs.column_names, "kind": kind}
    plan = scale.ingest(split(pairs, tmp_path / "in", 2), tmp_path / "out", **given)
    assert as_scores(plan)[0] == as_read(pairs, **given)[0]
    assert plan.kind == io.read_pairs(pairs, **given).kind


@pytest.mark.parametrize("ids", [int, str, lambda item: item - 12])
def test_records_are_numbered_in_the_order_of_their_keys(tmp_path, ids):
    pairs = table(ids=ids)
    plan = scale.ingest(split(pairs, tmp_path / "in", 2), tmp_path / "out", n_shards=3)
    numbered = {}
    for shard in plan.shards:
        items = shard.items()
        keys = zip(items.source.to_pylist(), items.id.to_pylist(), strict=True)
        numbered |= dict(zip(keys, items.number.tolist(), strict=True))
        assert (np.diff(items.number) > 0).all()
    assert sorted(numbered, key=numbered.get) == sorted(numbered)
    assert sorted(numbered.values()) == list(range(len(numbered)))


def test_bits_do_not_depend_on_the_order_of_files_and_rows(tmp_path):
    pairs = table(n_pairs=3000, n_records=4000)
    rows = list(range(pairs.num_rows))
    seen = []
    for at, (n_files, memory) in enumerate([(1, "1GB"), (5, "1GB"), (3, "200MB")]):
        random.Random(at).shuffle(rows)
        source = split(pairs.take(rows), tmp_path / f"in{at}", n_files)
        scale.ingest(source, tmp_path / f"out{at}", max_pairs=200, memory_limit=memory)
        seen.append(contents(tmp_path / f"out{at}"))
    assert len(seen[0]) > 4
    assert seen[0] == seen[1] == seen[2]


def test_bits_do_not_depend_on_what_the_pairs_are_in(tmp_path):
    pairs = table()
    pq.write_table(pairs, tmp_path / "pairs.parquet")
    pairs.to_pandas().to_csv(tmp_path / "pairs.csv", index=False)
    pairs.to_pandas().to_csv(tmp_path / "pairs.tsv", index=False, sep="\t")
    with duckdb.connect(str(tmp_path / "pairs.duckdb")) as db:
        db.register("given", pairs)
        db.execute('CREATE SCHEMA s; CREATE TABLE s."my pairs" AS FROM given')
    memory = duckdb.connect()
    sources = {
        "parquet": tmp_path / "pairs.parquet",
        "csv": tmp_path / "pairs.csv",
        "tsv": [tmp_path / "pairs.tsv"],
        "both": [split(pairs, tmp_path / "in", 2), split(pairs, tmp_path / "in", 2, ".csv")],
        "dataset": pytest.importorskip("pyarrow.dataset").dataset(tmp_path / "pairs.parquet"),
        "arrow": pairs,
        "relation": memory.from_arrow(pairs).filter("score >= 0"),
        "database": tmp_path / "pairs.duckdb",
    }
    seen = {}
    for kind, source in sources.items():
        name = "s.my pairs" if kind == "database" else None
        scale.ingest(source, tmp_path / "out" / kind, table=name)
        seen[kind] = contents(tmp_path / "out" / kind)
    assert all(content == seen["parquet"] for content in seen.values())


def test_without_sources_and_with_other_names(tmp_path):
    pairs = table(ids=int).drop_columns(["source_a", "source_b"]).rename_columns(["x", "y", "s"])
    given = {"columns": {"id_a": "x", "id_b": "y", "score": "s"}}
    plan = scale.ingest(split(pairs, tmp_path / "in", 2), tmp_path / "out", **given)
    assert as_scores(plan) == as_read(pairs, **given)
    assert plan.shards[0].items().source is None
    with pytest.raises(InvalidInputError, match="need columns of sources; found none"):
        scale.ingest(pairs, tmp_path / "other", **given, duplicate_free_sources=["shop"])


def test_named_sources_are_free_of_duplicates(tmp_path):
    pairs = table()
    given = {"duplicate_free_sources": ["tax", "bank"]}
    plan = scale.ingest(pairs, tmp_path / "out", **given)
    assert plan.duplicate_free_sources == ("bank", "tax")
    assert as_scores(plan) == as_read(pairs, **given)
    with pytest.raises(InvalidInputError, match="must be some of bank, shop"):
        scale.ingest(pairs, tmp_path / "other", duplicate_free_sources=["pub"])


def test_records_without_a_pair_are_components(tmp_path):
    pairs = pa.table({"id_a": [1, 2], "id_b": [2, 3], "score": [0.5, 0.6]})
    records = pa.table({"id": [9, 3, 2, 1, 7]})
    plan = scale.ingest(pairs, tmp_path / "out", records=records)
    assert as_scores(plan) == as_read(pairs, records=records)
    assert (plan.n_items, plan.n_components) == (5, 3)
    with pytest.raises(InvalidInputError, match="record 3 is not in the table of records"):
        scale.ingest(pairs, tmp_path / "a", records=pa.table({"id": [1, 2]}))
    with pytest.raises(InvalidInputError, match="records must be listed once; found 2 again"):
        scale.ingest(pairs, tmp_path / "b", records=pa.table({"id": [1, 2, 3, 2]}))


def test_floor_leaves_out_pairs_but_no_records(tmp_path):
    pairs = table()
    scores, groups = as_read(pairs)
    found, kept = as_scores(scale.ingest(pairs, tmp_path / "out", floor=0.5))
    assert kept == groups
    assert found == {pair: score for pair, score in scores.items() if score >= 0.5}
    assert len(found) < len(scores)


def test_a_plan_that_fits_is_taken_as_it_is(tmp_path):
    source, out = split(table(), tmp_path / "in", 2), tmp_path / "out"
    plan = scale.ingest(source, out)
    before = (out / "shard-00000/edges.parquet").stat().st_mtime_ns
    assert scale.ingest(source, out, memory_limit="1GB") == plan
    assert (out / "shard-00000/edges.parquet").stat().st_mtime_ns == before
    with pytest.raises(InvalidInputError, match="holds shards of other input or settings"):
        scale.ingest(source, out, floor=0.1)
    part = tmp_path / "in/part0.parquet"
    os.utime(part)
    part.rename(tmp_path / "in/part7.parquet")
    assert scale.ingest(source, out) == plan  # the same content, later and with another name
    part, before = tmp_path / "in/part7.parquet", (tmp_path / "in/part7.parquet").stat()
    content = part.read_bytes()
    part.write_bytes(content.replace(b"0", b"1", 1))
    os.utime(part, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert part.stat().st_size == before.st_size
    with pytest.raises(InvalidInputError, match="choose another folder, or delete this one"):
        scale.ingest(source, out)
    with pytest.raises(InvalidInputError, match="holds shards of other input"):
        scale.ingest(table(), out)


class Stopped(Exception):  # noqa: N818 (not an error)
    """A run is stopped at some stage."""


@pytest.mark.parametrize(
    "stage", ["read ids", "sort ids", "number pairs", "sort pairs", "sort records", "write shards"]
)
def test_a_run_that_was_stopped_goes_on(tmp_path, stage):
    source = split(table(), tmp_path / "in", 4)
    scale.ingest(source, tmp_path / "whole", max_pairs=50)
    seen = []

    def stop(what, share):
        if what == stage and share > 0.3:
            raise Stopped

    with pytest.raises(Stopped):
        scale.ingest(source, tmp_path / "out", max_pairs=50, progress=stop)
    assert not (tmp_path / "out" / "manifest.json").exists()
    scale.ingest(source, tmp_path / "out", max_pairs=50, progress=lambda what, _: seen.append(what))
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    assert not (tmp_path / "out/work").exists()
    assert ("read ids" in seen) is (stage == "read ids")
    assert ("number pairs" in seen) is (stage in ("read ids", "sort ids"))


KILLED = """
import os, signal, sys
from spherelax import scale

def kill(what, share):
    if what == sys.argv[3] and share > 0:
        os.kill(os.getpid(), signal.SIGKILL)

scale.ingest(sys.argv[1], sys.argv[2], max_pairs=50, progress=kill)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
def test_a_run_that_was_killed_goes_on(tmp_path):
    source = split(table(), tmp_path / "in", 4)
    scale.ingest(source, tmp_path / "whole", max_pairs=50)
    for stage in ("read ids", "number pairs", "write shards"):
        command = [sys.executable, "-c", KILLED, source, str(tmp_path / "out"), stage]
        assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    scale.ingest(source, tmp_path / "out", max_pairs=50)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    assert len(list((tmp_path / "out").iterdir())) == len(list((tmp_path / "whole").iterdir()))


def test_leavings_of_another_run_are_not_used(tmp_path):
    source = split(table(), tmp_path / "in", 4)

    def stop(what, share):
        if what == "write shards" and share > 0.5:
            raise Stopped

    with pytest.raises(Stopped):
        scale.ingest(source, tmp_path / "out", max_pairs=5, progress=stop)
    plan = scale.ingest(source, tmp_path / "out", floor=0.5, max_pairs=1000)
    scale.ingest(source, tmp_path / "whole", floor=0.5, max_pairs=1000)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    assert len(plan.shards) == len(list((tmp_path / "out").glob("shard-*")))


def test_a_damaged_file_is_named_and_the_others_are_kept(tmp_path):
    pairs = table(n_pairs=5000)
    source = split(pairs, tmp_path / "in", 4)
    sound = (tmp_path / "in/part2.parquet").read_bytes()
    damaged = bytearray(sound)
    damaged[100:2000] = random.Random(0).randbytes(1900)
    (tmp_path / "in/part2.parquet").write_bytes(damaged)
    with pytest.raises(InvalidInputError, match=r"part2.parquet: cannot be read; "):
        scale.ingest(source, tmp_path / "out")
    (tmp_path / "in/part2.parquet").write_bytes(sound)
    shares = []
    plan = scale.ingest(
        source, tmp_path / "out", progress=lambda what, share: shares.append((what, share))
    )
    assert [share for what, share in shares if what == "read ids"] == [0.0, 1.0]  # one file
    assert as_scores(plan) == as_read(pairs)


def test_all_files_that_fail_are_named(tmp_path):
    source = split(table(), tmp_path / "in", 6)
    for at, content in ((1, b""), (3, b"PAR1"), (4, b"nothing at all")):
        (tmp_path / f"in/part{at}.parquet").write_bytes(content)
    said = r"part1.parquet: cannot be read; .*part3.parquet, .*part4.parquet failed too"
    with pytest.raises(InvalidInputError, match=said):
        scale.ingest(source, tmp_path / "out")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t.drop_columns(["score"]), r"part1.parquet: must have the columns source_a, "),
        (lambda t: t.set_column(4, "score", pa.array([None] * t.num_rows, pa.float64())),
         r"part1.parquet, row 0 \(from 0\): score must be a finite number, .*; found None"),
        (lambda t: t.set_column(4, "score", pa.array([0.5] * 7 + [np.nan] * (t.num_rows - 7))),
         r"part1.parquet, row 7 \(from 0\): score must be a finite number, .*; found nan"),
        (lambda t: t.set_column(4, "score", pa.array([-1.0] * t.num_rows)),
         r"row 0 .*found -1.0 \(log odds may be negative"),
        (lambda t: t.set_column(4, "score", pa.array(["high"] * t.num_rows)), "found 'high'"),
        (lambda t: t.set_column(1, "id_a", pa.array([7] * t.num_rows)),
         r"part1.parquet: ids must be all integers or all text; found integers in id_a"),
        (lambda t: t.set_column(1, "id_a", pa.array([7.0] * t.num_rows)),
         r"part1.parquet: id_a must hold integers or text; found DOUBLE"),
        (lambda t: t.set_column(2, "source_b", pa.array([None] * t.num_rows, pa.string())),
         r"part1.parquet, row 0 \(from 0\): source_b must not be empty"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit_is_named(tmp_path, change, said):
    source = split(table(), tmp_path / "in", 3)
    file = tmp_path / "in/part1.parquet"
    pq.write_table(change(pq.read_table(file)), file)
    with pytest.raises(InvalidInputError, match=said):
        scale.ingest(source, tmp_path / "out")


def test_text_files_are_read_as_in_memory(tmp_path):
    text = 'id_a; id_b;score\r\n"a;1"; b;0.5\r\n007;b ;1e-3\r\nö;b#;0.25\r\n'
    (tmp_path / "pairs.csv").write_text(text, encoding="utf-8-sig", newline="")
    plan = scale.ingest(tmp_path / "pairs.csv", tmp_path / "out")
    assert as_scores(plan) == as_read(tmp_path / "pairs.csv")
    (tmp_path / "bad.csv").write_text("id_a,id_b,score\na,b,0.5\n,c,1\n")
    with pytest.raises(InvalidInputError, match=r"bad.csv, row 1 \(from 0\): id_a must not be emp"):
        scale.ingest(tmp_path / "bad.csv", tmp_path / "bad")
    (tmp_path / "short.csv").write_text("id_a,id_b,score\na,b,0.5\nb,c\n")
    with pytest.raises(InvalidInputError, match=r"short.csv: cannot be read; .*Line: 3"):
        scale.ingest(tmp_path / "short.csv", tmp_path / "bad")


@pytest.mark.parametrize("name", ["a[1]*.parquet", "it's.parquet", "source_a=shop.parquet"])
def test_names_of_files_are_no_patterns(tmp_path, name):
    folder = tmp_path / "year=7"
    folder.mkdir()
    pq.write_table(table(), folder / name)
    pq.write_table(table(1), folder / "a1.parquet")
    assert as_scores(scale.ingest(folder / name, tmp_path / "out")) == as_read(table())


def test_bad_requests(tmp_path):
    pairs = table()
    for said, setting in {
        "kind must be one of": {"kind": "nonsense"},
        "floor must be a finite": {"floor": np.nan},
        "n_shards must be at least 1; found -1": {"n_shards": -1},
        "max_pairs must be at least 1; found 0": {"max_pairs": 0},
        "memory_limit must be a size": {"memory_limit": "lots"},
    }.items():
        with pytest.raises(InvalidInputError, match=said):
            scale.ingest(pairs, tmp_path / "out", **setting)
    for said, source in {
        "must be a file; found none": tmp_path / "*.parquet",
        "found an empty list": [],
        "must be a file; found a folder": tmp_path,
        "relation or an Arrow dataset; found int": 7,
        "must have at least one row; found none": pairs.slice(0, 0),
        "must have the columns source_a": pairs.drop_columns(["id_a"]),
    }.items():
        with pytest.raises(InvalidInputError, match=said):
            scale.ingest(source, tmp_path / "out")
    with pytest.raises(InvalidInputError, match="one DuckDB database; found 0 files"):
        scale.ingest(pairs, tmp_path / "out", table="pairs")
    with pytest.raises(InvalidInputError, match=r"No such file or directory"):
        scale.Plan.load(tmp_path)
    (tmp_path / "manifest.json").write_text("[1]")
    with pytest.raises(InvalidInputError, match=r"manifest.json: was damaged after it was written"):
        scale.Plan.load(tmp_path)
    seal_json(tmp_path / "manifest.json", {"version": 99})
    with pytest.raises(InvalidInputError, match="must be a plan of version 4; found 99"):
        scale.Plan.load(tmp_path)


@pytest.mark.parametrize("at", ["number pairs", "write shards"])
def test_a_full_disk_leaves_nothing(tmp_path, at):
    def fill(what, share):
        if what == at and share > 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(InvalidInputError, match="the disk is full; free some room"):
        scale.ingest(table(), tmp_path / "out", n_shards=4, progress=fill)
    assert not list((tmp_path / "out").iterdir())


BOUNDED = """
import sys
from pathlib import Path
from spherelax import scale

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

scale.ingest(sys.argv[1], sys.argv[3] + "/first", memory_limit=sys.argv[4])
before = peak()
plan = scale.ingest(sys.argv[2], sys.argv[3] + "/second", memory_limit=sys.argv[4])
print(plan.n_pairs, peak() - before)
"""
ADDRESSES = 4_000_000_000  # most of them are never used


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted as in Linux")
def test_memory_is_bounded(tmp_path):
    """Rows of 800 MB pass through a process that may use a quarter of that, and no more."""
    resource = pytest.importorskip("resource")
    rng = np.random.default_rng(0)
    names = pa.array([f"{item:02000d}" for item in range(20_000)])
    for at in range(4):
        ends = [names.take(pa.array(rng.integers(0, len(names), 50_000))) for _ in "ab"]
        pairs = pa.table([*ends, pa.array(rng.random(50_000))], ["id_a", "id_b", "score"])
        pq.write_table(pairs, tmp_path / f"{at}.parquet", compression="zstd")
    pq.write_table(pairs.slice(0, 9), tmp_path / "few.parquet")

    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))

    files = [tmp_path / "few.parquet", tmp_path / "[0-3].parquet", tmp_path]
    command = [sys.executable, "-c", BOUNDED, *map(str, files), "200MB"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, preexec_fn=bound)
    n_pairs, n_bytes = map(int, done.stdout.split())
    assert 199_000 < n_pairs < 200_000
    assert n_bytes < 300_000_000


def oracle(scores, floor, keys):
    """Count pairs and components above a floor, and those of the component with most pairs."""
    kept = [pair for pair, score in scores.items() if score >= floor]
    number = {key: at for at, key in enumerate(keys)}
    ends = np.array([[number[key] for key in pair] for pair in kept]).reshape(-1, 2)
    W = sp.coo_array((np.ones(len(kept)), ends.T), shape=(len(keys), len(keys)))
    n_components, labels = connected_components(W, directed=False)
    return len(kept), n_components, np.bincount(labels[ends[:, 0]], minlength=1).max()


def test_survey_counts_components_by_floor(tmp_path, seed):
    pairs = table(seed, n_pairs=300, n_records=250)
    scores, groups = as_read(pairs)
    found = scale.survey(split(pairs, tmp_path / "in", 3))
    n_pairs, n_components, giant = oracle(scores, 0, groups)
    assert (found.n_items, found.n_pairs) == (len(groups), n_pairs)
    assert found.n_components == n_components
    assert sum(size.n_components for size in found.sizes) == n_components
    assert sum(size.n_pairs for size in found.sizes) == n_pairs
    assert found.floors[0].floor == min(scores.values())
    assert found.floors[0].giant_pairs == giant
    assert 6 < len(found.floors) <= 12
    for each in found.floors:
        expected = oracle(scores, each.floor, groups)
        assert (each.n_pairs, each.n_components, each.giant_pairs) == expected
        assert each.giant_share == each.giant_pairs / each.n_pairs
    assert found.memory > found.giant_memory > 0
    assert list(Path(tmp_path).iterdir()) == [tmp_path / "in"]


def test_survey_of_pairs_that_say_nothing():
    found = scale.survey(pa.table({"id_a": [1, 2], "id_b": [2, 3], "score": [0.0, 0.0]}))
    assert (found.n_items, found.n_isolated, found.n_pairs, found.floors) == (3, 3, 0, ())


def test_keys_have_the_names_of_pairs():
    """The names of columns in the statements are those of the reader of pairs."""
    assert [f"{name}_{side}" for side in "ab" for name in io.readers.pairs.RECORD] == list(
        ROLES[:-1]
    )
