"""Memory that is free, and work that does not fit."""

import subprocess
from math import inf

import numpy as np
import pytest
from scipy.sparse import coo_array
from support.program import PYTHON, run

import spherelax as sl
from spherelax import memory, similarity
from spherelax.labels import inside_pairs

resource = pytest.importorskip("resource")

GIB = 2**30


@pytest.fixture
def one_gib(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: float(GIB))


def group(folder, names, most, used, cached):
    folder.mkdir(parents=True)
    for name, value in zip(names, (most, used), strict=False):
        (folder / name).write_text(f"{value}\n")
    (folder / "memory.stat").write_text(f"anon 5\n{names[2]} {cached}\n")


def test_limits_of_control_groups_count(tmp_path):
    (tmp_path / "self").mkdir()
    lines = "3:cpu:/a\n2:memory,pids:/a/b\n0::/c/d\n"
    (tmp_path / "self" / "cgroup").write_text(lines)
    assert memory._of_groups(tmp_path, tmp_path / "none") == inf
    group(tmp_path / "v1" / "memory" / "a" / "b", memory.FIRST, 2**63, 0, 0)
    group(tmp_path / "v1" / "memory" / "x", memory.FIRST, 1, 0, 0)
    assert memory._of_groups(tmp_path, tmp_path / "v1") == 2**63
    (tmp_path / "v1" / "memory" / "a" / "memory.limit_in_bytes").write_text("900")
    (tmp_path / "v1" / "memory" / "a" / "memory.usage_in_bytes").write_text("300")
    (tmp_path / "v1" / "memory" / "a" / "memory.stat").write_text("total_inactive_file 100\n")
    assert memory._of_groups(tmp_path, tmp_path / "v1") == 700
    group(tmp_path / "v2" / "c" / "d", memory.SECOND, "max", 5, 0)
    assert memory._of_groups(tmp_path, tmp_path / "v2") == inf
    (tmp_path / "v2" / "c" / "memory.max").write_text("50")
    (tmp_path / "v2" / "c" / "memory.current").write_text("20")
    (tmp_path / "v2" / "c" / "memory.stat").write_text("inactive_file 8\n")
    assert memory._of_groups(tmp_path, tmp_path / "v2") == 38


def test_no_such_files_mean_no_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "PROCESS", tmp_path)
    assert memory._of_groups(tmp_path, tmp_path) == inf
    assert 0 < memory.available() < inf  # what the machine has in all


def test_the_limit_of_addresses_counts(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (2**50, 2**50))
    assert 0 < 2**50 - memory.address_space() < 2**45
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1, 1))
    assert memory.available() == 0


@pytest.mark.usefixtures("one_gib")
@pytest.mark.parametrize(
    ("work", "message"),
    [
        (
            lambda: inside_pairs(np.zeros(100_000, np.int32)),
            "the list of all 4,999,950,000 pairs that share a label needs 298.0 GiB of memory; "
            "1.0 GiB are free. Use the labels, or a higher resolution.",
        ),
        (
            lambda: similarity.rbf(np.zeros((100_000, 2))),
            "an array of all pairs of 100000 points needs 193.7 GiB of memory; 1.0 GiB are free. "
            "nearest_neighbors, or adaptive with n_neighbors, needs much less.",
        ),
        (lambda: similarity.rbf(np.zeros((100_000, 2)), scale=1.0), "needs 82.0 GiB of memory"),
        (lambda: similarity.nearest_neighbors(np.zeros((9, 2)), n_neighbors=10**9), None),
    ],
)
def test_what_does_not_fit_is_refused(work, message):
    if message is None:
        work()
        return
    with pytest.raises(sl.InvalidInputError) as caught:
        work()
    assert message in str(caught.value)


def test_the_power_solver_needs_a_dense_u(monkeypatch):
    W = np.kron(np.eye(3), np.ones((20, 20)))
    monkeypatch.setattr(memory, "available", lambda: 1e4)
    with pytest.raises(sl.InvalidInputError, match=r"^U of 60 items and 60 labels needs"):
        sl.solve(W, solver=sl.Power(max_labels=60))
    with pytest.raises(sl.InvalidInputError, match=r"^a dense array of all pairs of 60 items"):
        sl.baselines.nmf(W, 3)


@pytest.mark.usefixtures("one_gib")
def test_too_many_items_of_a_sparse_matrix_are_refused():
    W = coo_array(([1.0], ([0], [0])), shape=(10**10, 10**10))
    with pytest.raises(sl.InvalidInputError, match=r"similarity of 10000000000 items needs 1,192"):
        sl.solve(W)


def test_a_small_limit_of_addresses_is_refused(tmp_path):
    edges = tmp_path / "edges.csv"
    edges.write_text("a,b\n")
    limited = ["sh", "-c", 'ulimit -v 400000; exec "$@"', "sh", *PYTHON, "info", str(edges)]
    done = subprocess.run(limited, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("spherelax: ulimit -v leaves 0.")
    assert run("help")[0] == 0
