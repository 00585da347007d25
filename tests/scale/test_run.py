"""Shards are solved by workers, killed ones too, and the entities of all of them are the same."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import spherelax as sl
from spherelax import InvalidInputError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")

from support import shard_faults as faults  # noqa: E402 (it needs both)
from support.shard_tables import N_SHARDS, answer, rows, table  # noqa: E402

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
    assert rows(found) == answer()


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
    with faults.two_killed(plan.folder):
        found = scale.solve(plan, tmp_path / "again", n_jobs=2)
    assert rows(found) == answer()


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
more = {"judgements": sys.argv[3]} if sys.argv[3:] else {}
scale.solve(sys.argv[1], sys.argv[2], n_jobs=1, n_shards=4, progress=say, **more)
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
    assert rows(found) == answer()
    assert all(file.stat().st_mtime_ns == when for file, when in before.items())


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_a_stopped_run_keeps_its_judgements(tmp_path, pairs):
    judged = tmp_path / "judged.csv"
    judged.write_text("source_a,id_a,source_b,id_b,verdict\nshop,0,bank,1,different\n")
    command = [sys.executable, "-c", SCRIPT, pairs, str(tmp_path / "out"), str(judged)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if "shard-" in line:
                process.kill()
                break
    more = {"n_jobs": 1, "n_shards": N_SHARDS}
    with pytest.raises(InvalidInputError, match="holds shards of other input or settings"):
        scale.solve(pairs, tmp_path / "out", **more)
    found = rows(scale.solve(pairs, tmp_path / "out", judgements=judged, **more))
    entity = {(row["source"], row["id"]): row["entity"] for row in found}
    assert entity["shop", "0"] != entity["bank", "1"]
    assert found == rows(scale.solve(pairs, tmp_path / "new", judgements=judged, **more))


@pytest.mark.usefixtures("here")
def test_other_settings_are_refused(tmp_path, pairs):
    scale.solve(pairs, tmp_path / "out", n_jobs=1, n_shards=2)
    with pytest.raises(InvalidInputError, match="holds entities of other pairs, settings or ids"):
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


def test_free_records_are_groups_of_their_own(tmp_path):
    plan = scale.ingest(table(), tmp_path, n_shards=1, duplicate_free_sources=["shop", "bank"])
    shard = plan.shards[0]
    groups, codes = shard.problem().groups, shard.items().group
    free = codes == -1
    assert 0 < free.sum() < len(codes)
    assert len(np.unique(groups[free])) == free.sum()
    assert len(np.unique(groups)) == free.sum() + 2


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
