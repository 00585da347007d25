"""Shards are solved by workers, killed ones too, and the entities of all of them are the same."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import spherelax as sl
from spherelax import InvalidInputError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")

import shard_faults as faults  # noqa: E402 (it needs both)
from shard_tables import N_SHARDS, answer, rows, table  # noqa: E402
from spherelax import scale  # noqa: E402
from spherelax.scale import cluster, run  # noqa: E402


@pytest.mark.usefixtures("here")
def test_every_record_has_an_entity(tmp_path, pairs):
    found = scale.solve(pairs, tmp_path / "out", n_shards=3)
    answer = rows(found)
    assert [*answer[0]] == ["source", "id", "entity", "confidence"]
    assert len(answer) == found.n_items == 180
    assert len({row["entity"] for row in answer}) == found.n_entities
    assert sum(found.sizes.values()) == found.n_entities
    assert sum(size * n for size, n in found.sizes.items()) == found.n_items
    keys = sorted((row["source"], row["id"]) for row in answer)
    for row in answer:  # an entity has the number of its first record
        same = [(each["source"], each["id"]) for each in answer if each["entity"] == row["entity"]]
        assert keys.index(min(same)) == row["entity"]
    assert found == scale.Entities.load(tmp_path / "out")
    assert found == scale.solve(pairs, tmp_path / "out", n_shards=3)


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [1, 3])
def test_entities_do_not_depend_on_workers(tmp_path, pairs, n_workers):
    found = scale.solve(pairs, tmp_path / "out", n_jobs=n_workers, n_shards=N_SHARDS)
    assert rows(found) == answer(tmp_path / "here")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("has_sources", [True, False])
@pytest.mark.parametrize("ids", [str, int])
def test_ids_keep_their_types(tmp_path, has_sources, ids):
    found = scale.solve(table(has_sources=has_sources, ids=ids), tmp_path / "out", n_jobs=1)
    schema = pq.read_schema(found.parts[0])
    assert schema.names == ["source"] * has_sources + ["id", "entity", "confidence"]
    assert schema.field("id").type == (pa.string() if ids is str else pa.int64())
    assert schema.field("entity").type == pa.int64()


@pytest.mark.usefixtures("here")
def test_a_plan_can_be_solved(tmp_path, pairs):
    plan = scale.ingest(pairs, tmp_path / "shards", n_shards=2)
    found = scale.solve(plan, tmp_path / "out", n_jobs=1)
    other = scale.solve(pairs, tmp_path / "other", n_jobs=1, n_shards=2)
    assert rows(found) == rows(other)
    with pytest.raises(InvalidInputError, match=r"^floor belongs to the plan"):
        scale.solve(plan, tmp_path / "out", floor=0.5)


@pytest.mark.slow
def test_killed_workers_change_nothing(tmp_path, pairs, monkeypatch):
    monkeypatch.setattr(run, "perform_shard", faults.slow)
    plan = scale.ingest(pairs, tmp_path / "killed", n_shards=N_SHARDS)
    killed = []

    def kill():
        while len(killed) < 2:
            for marker in plan.folder.glob("begun-*"):
                pid = int(marker.name.rpartition("-")[2])
                if pid not in killed and len(killed) < 2:
                    os.kill(pid, faults.KILL)
                    killed.append(pid)
            time.sleep(0.05)

    thread = threading.Thread(target=kill)
    thread.start()
    found = scale.solve(plan, tmp_path / "again", n_jobs=2)
    thread.join()
    assert rows(found) == answer(tmp_path / "here")
    pids = {marker.name.rpartition("-")[2] for marker in plan.folder.glob("begun-*")}
    assert len(killed) == 2 < len(pids)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "message"),
    [
        (faults.suicide, "shard-00000: the processes that worked on it were killed 4 times"),
        (faults.full, "shard-0000[01]: the disk is full; free some room and run it again"),
        (faults.damaged, "shard-0000[01]: edges.parquet: not a readable .parquet file"),
        (faults.nothing, "the work on shard-00000, shard-00001 left no files"),
    ],
)
def test_faults_name_the_shard_and_lose_nothing(tmp_path, pairs, monkeypatch, work, message):
    monkeypatch.setattr(run, "perform_shard", work)
    with pytest.raises(InvalidInputError, match=message):
        scale.solve(pairs, tmp_path / "out", n_jobs=1, n_shards=2)
    plan = scale.Plan.load(tmp_path / "out" / "shards")
    assert scale.ingest(pairs, plan.folder, n_shards=2) == plan


SCRIPT = """
import sys
from spherelax import scale
say = lambda *said: print(*said, flush=True)
scale.solve(sys.argv[1], sys.argv[2], n_jobs=1, n_shards=4, progress=say)
"""


@pytest.mark.slow
def test_a_stopped_run_goes_on_and_leaves_no_process(tmp_path, pairs):
    """The program has no guard against being imported again, and it is killed."""
    command = [sys.executable, "-c", SCRIPT, pairs, str(tmp_path / "out")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if "shard-" in line:
                children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
                workers = children.read_text().split() if children.exists() else []
                process.kill()
                break
    done = list((tmp_path / "out" / "shards").glob("shard-*/round-*.npz"))
    assert done
    before = {file: file.stat().st_mtime_ns for file in done}
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{pid}/exe").exists() for pid in workers):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    found = scale.solve(pairs, tmp_path / "out", n_jobs=1, n_shards=N_SHARDS)
    assert rows(found) == answer(tmp_path / "here")
    assert all(file.stat().st_mtime_ns == when for file, when in before.items())


@pytest.mark.usefixtures("here")
def test_other_settings_are_refused(tmp_path, pairs):
    scale.solve(pairs, tmp_path / "out", n_jobs=1, n_shards=2)
    with pytest.raises(InvalidInputError, match="holds entities of other pairs or settings"):
        scale.solve(pairs, tmp_path / "out", n_shards=2, solver=sl.Coordinate(n_steps=9))
    with pytest.raises(InvalidInputError, match="holds shards of other input or settings"):
        scale.solve(pairs, tmp_path / "out", n_shards=3)
    with pytest.raises(InvalidInputError, match="n_jobs must be an integer >= 1; found 0"):
        scale.solve(pairs, tmp_path / "new", n_jobs=0)
    with pytest.raises(InvalidInputError, match="memory_limit must be a size"):
        scale.solve(pairs, tmp_path / "new", memory_limit="lots")


@pytest.mark.usefixtures("here")
def test_lost_answers_are_written_again(tmp_path, pairs):
    found = scale.solve(pairs, tmp_path / "out", n_jobs=1, n_shards=2)
    expected = rows(found)
    found.parts[1].unlink()
    (tmp_path / "out" / "part-00009.parquet").touch()
    assert rows(scale.solve(pairs, tmp_path / "out", n_jobs=1, n_shards=2)) == expected
    assert sorted((tmp_path / "out").glob("part-*")) == list(found.parts)


@pytest.mark.usefixtures("here")
def test_entities_go_to_a_database(tmp_path, pairs):
    database = tmp_path / "out.duckdb"
    found = scale.solve(pairs, tmp_path / "out", n_jobs=1, write_database=database)
    with duckdb.connect(str(database)) as db:
        copied = db.sql("FROM entities ORDER BY source, id").to_arrow_table().to_pylist()
    assert copied == rows(found)
    scale.solve(pairs, tmp_path / "out", n_jobs=1, write_database=database)
    with duckdb.connect(str(database)) as db:
        db.execute("DELETE FROM entities WHERE source = 'shop'")
    with pytest.raises(InvalidInputError, match="entities is there with other rows"):
        scale.solve(pairs, tmp_path / "out", n_jobs=1, write_database=database)
    other = tmp_path / "pairs" / "0.parquet"
    for file, message in (
        (other, "must be a DuckDB database; found other data"),
        (tmp_path / "out" / "report.html", "cannot be written"),
        (tmp_path / "nowhere" / "out.duckdb", "nowhere does not exist"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            scale.solve(pairs, tmp_path / "out", write_database=file)


@pytest.mark.usefixtures("here")
def test_report_shows_names_as_text(tmp_path):
    pairs = {"id_a": ["<b>x</b>", "y"], "id_b": ["y", "z"], "score": [0.9, 0.8]}
    scale.solve(pa.table(pairs), tmp_path / "out", n_jobs=1)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "&lt;b&gt;x" in page
    assert "<b>x" not in page
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert (summary["n_items"], summary["n_pairs"]) == (3, 2)


@pytest.mark.usefixtures("here")
def test_report_shows_no_single_record_among_the_largest(tmp_path):
    pairs = pa.table({"id_a": ["a", "b"], "id_b": ["b", "c"], "score": [0.9, 0.8]})
    records = pa.table({"id": ["a", "b", "c", "alone"]})
    pq.write_table(records, tmp_path / "records.parquet")
    scale.solve(pairs, tmp_path / "out", n_jobs=1, records=tmp_path / "records.parquet")
    page = (tmp_path / "out" / "report.html").read_text()
    largest = page.partition("The largest")[2].partition("</table>")[0]
    assert "alone" in page
    assert "alone" not in largest
    assert "6 to 7" not in page


@pytest.mark.parametrize("limit", [0, 1 << 24])
@pytest.mark.parametrize("has_sources", [True, False])
def test_matrix_of_a_shard_is_that_in_memory(tmp_path, monkeypatch, seed, limit, has_sources):
    monkeypatch.setattr(matrix, "MANY_PAIRS", limit)
    pairs = table(seed, has_sources=has_sources)
    plan = scale.ingest(pairs, tmp_path, n_shards=3)
    whole = sl.io.read_pairs(pairs)
    ids = {name: row for row, name in enumerate(whole.ids)}
    for shard in plan.shards:
        for _ in range(2):  # files are made, then mapped
            problem = shard.problem(plan.kind)
        chosen = [ids[name] for name in shard.items().id.to_pylist()]
        expected = whole.problem.similarity[chosen][:, chosen]
        found = Problem.check(problem.similarity.copy())
        assert (found.similarity != expected).nnz == 0
        assert found.similarity.has_sorted_indices
        if has_sources:
            groups = Problem.check(expected, [whole.groups[row] for row in chosen]).groups
            np.testing.assert_array_equal(problem.groups, groups)
        else:
            assert problem.groups is None
    assert len(list(tmp_path.glob("shard-*/data.npy"))) == (0 if limit else 3)


def test_free_records_are_groups_of_their_own(tmp_path):
    plan = scale.ingest(table(), tmp_path, n_shards=1, duplicate_free_sources=["shop", "bank"])
    shard = plan.shards[0]
    groups, codes = shard.problem().groups, shard.items().group
    free = codes == -1
    assert 0 < free.sum() < len(codes)
    assert len(np.unique(groups[free])) == free.sum()
    assert len(np.unique(groups)) == free.sum() + 2


@pytest.mark.usefixtures("here")
def test_a_giant_that_does_not_fit_is_refused(tmp_path, monkeypatch):
    n = 400
    chain = pa.table(
        {"id_a": range(n - 1), "id_b": range(1, n), "score": np.tile([0.9, 0.8, 0.2], n)[: n - 1]}
    )
    monkeypatch.setattr(shards, "PROCESS_BYTES", 0)
    monkeypatch.setattr(run, "available", lambda: 20_000)
    message = (
        "^shard-00000: 400 records and 399 pairs in one component need .* GB of memory; "
        ".* More memory will do, or a floor: from 0.8 on .* GB, from 0.9 on .* GB$"
    )
    with pytest.raises(InvalidInputError, match=message):
        scale.solve(chain, tmp_path / "out", n_jobs=1)
    assert not list((tmp_path / "out").rglob("round-*"))
    with pytest.raises(InvalidInputError, match=r"components need .* more shards \(max_pairs\)"):
        scale.solve(table(n_entities=200), tmp_path / "many", n_jobs=1)


def test_processes_keep_to_their_memory():
    seen = []

    class Worker:
        def __init__(self, answers):
            self.task, self.answers = None, answers

        def begin(self, task):
            self.task = task
            seen.append(sorted(each.task.name for each in runner._workers if each.task))
            self.answers.put((self, None))

        def end(self):
            pass

    def task(name, n_bytes, is_alone=False):
        return tasks.Task(faults.nothing, (), name, n_bytes, is_alone)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "_Worker", Worker)
        with processes.Processes(3, 10) as runner:
            given = [task("a", 9), task("b", 5), task("c", 4), task("d", 1), task("e", 1)]
            runner.run([*given, task("giant", 10, is_alone=True)], done=lambda _: None)
    sizes = {each.name: each.n_bytes for each in given} | {"giant": 10}
    assert {name for names in seen for name in names} == set(sizes)
    assert all(sum(sizes[name] for name in names) <= 10 for names in seen)
    assert all(len(names) == 1 for names in seen if "giant" in names)
    assert max(map(len, seen)) == 3


@pytest.mark.slow
def test_corrupt_shard_is_named(tmp_path, pairs):
    plan = scale.ingest(pairs, tmp_path / "shards", n_shards=2)
    edges = plan.shards[1].folder / "edges.parquet"
    edges.write_bytes(edges.read_bytes()[:-9])
    with pytest.raises(InvalidInputError, match=r"shard-00001: .*edges.parquet: not a readable"):
        scale.solve(plan, tmp_path / "out", n_jobs=1)


class Futures:
    """A client of Dask without workers, or whose workers answer as they are told."""

    status, scheduler = "running", None

    def __init__(self, **answers):
        self.answers = answers

    def scheduler_info(self, **_):
        worker = {"memory_limit": 10**9, "nthreads": 2}
        return {"workers": {"tcp://w1:1": worker} if self.answers else {}}

    def run(self, _, expression):
        found = self.answers["version" if "find_spec" in expression else "folder"]
        return {"tcp://w1:1": found}


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({}, "it has had no worker for 0 seconds"),
        ({"version": None}, "^tcp://w1:1: this worker must have spherelax .*; found none$"),
        ({"version": "0.0.1"}, "this worker must have spherelax .*; found spherelax 0.0.1$"),
        ({"version": sl.__version__, "folder": False}, "this worker must see the folder"),
    ],
)
def test_clusters_that_cannot_work_are_refused(tmp_path, pairs, monkeypatch, answers, message):
    monkeypatch.setattr(cluster, "PATIENCE", 0)
    monkeypatch.setattr(cluster, "LOOK", 0)
    with pytest.raises(InvalidInputError, match=message):
        scale.solve(pairs, tmp_path / "out", client=Futures(**answers))
    with pytest.raises(InvalidInputError, match="n_jobs and client must not be given together"):
        scale.solve(pairs, tmp_path / "out", client=Futures(**answers), n_jobs=2)
