"""What went wrong in a task, as another process says it."""

import errno

import pytest

pytest.importorskip("pyarrow")

from spherelax import InvalidInputError
from spherelax.scale.tasks import Fault, Task, lost

TASK = Task(print, (), "shard-00007", int(3e9))


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (OSError(errno.ENOSPC, "x"), InvalidInputError, "the disk is full"),
        (InvalidInputError("row 3"), InvalidInputError, "row 3"),
        (ImportError("no duckdb"), ImportError, "no duckdb"),
        (MemoryError(), MemoryError, "memory ran out"),
        (KeyError("x"), RuntimeError, "KeyError: 'x'"),
    ],
)
def test_errors_keep_their_kind_and_name_the_shard(error, kind, said):
    found = Fault(*list(Fault.of(error))).error(TASK)
    assert type(found) is kind
    assert str(found).startswith(f"shard-00007: {said}")


def test_what_a_killed_task_needs_is_said():
    assert "it needs about 3.0 GB" in str(lost(TASK))
