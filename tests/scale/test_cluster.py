"""The workers of a Dask cluster give the same entities, also if some of them are killed."""

import logging

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")
dask = pytest.importorskip("dask", reason="Dask is not installed")
distributed = pytest.importorskip("distributed", reason="Dask is not installed")

from support import shard_faults as faults  # noqa: E402 (it needs all three)
from support.shard_tables import N_SHARDS, answer, rows, table  # noqa: E402

from spherelax import InvalidInputError, scale  # noqa: E402
from spherelax.scale import cluster, run  # noqa: E402

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def client():
    """Return a client of a cluster of two processes, started again however often they are killed.

    A local cluster gives up on a worker that is gone when the time-out after its removal ends, also
    if it had been back in between.
    """
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            memory_limit="2GB",
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as workers,
        distributed.Client(workers, set_as_default=False) as found,
    ):
        yield found


def test_workers_of_dask_give_the_same_entities(tmp_path, client):
    found = scale.solve(table(), tmp_path / "out", n_shards=N_SHARDS, client=client)
    assert rows(found) == answer()


def test_killed_workers_of_dask_change_nothing(tmp_path, client, monkeypatch):
    monkeypatch.setattr(run, "perform_shard", faults.slow)
    plan = scale.ingest(table(), tmp_path / "shards", n_shards=N_SHARDS)
    with faults.two_killed(plan.folder):
        found = scale.solve(plan, tmp_path / "out", client=client)
    assert rows(found) == answer()


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (faults.suicide, r"shard-0000\d: the processes that worked on it were killed"),
        (faults.full, r"shard-0000\d: the disk is full"),
        (faults.damaged, r"shard-0000\d: edges.parquet: not a readable .parquet file"),
    ],
)
def test_faults_of_workers_name_the_shard(tmp_path, client, monkeypatch, work, message):
    monkeypatch.setattr(run, "perform_shard", work)
    with pytest.raises(InvalidInputError, match=message):
        scale.solve(table(), tmp_path / "out", n_shards=1, client=client)


def test_a_shard_that_no_worker_can_hold_is_refused(tmp_path, client, monkeypatch):
    monkeypatch.setattr("spherelax.scale.shards.PROCESS_BYTES", 10**10)
    with pytest.raises(InvalidInputError, match=r"need 10 GB of memory; a process may use 2 GB"):
        scale.solve(table(), tmp_path / "out", n_shards=1, client=client)


def test_an_address_without_a_scheduler_is_refused(monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    with pytest.raises(InvalidInputError, match=r"tcp://127.0.0.1:9: no scheduler of Dask"):
        cluster.connected("tcp://127.0.0.1:9")
