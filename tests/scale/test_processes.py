"""Processes take tasks as long as there is memory for them."""

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")
from support import shard_faults as faults  # noqa: E402 (it needs both)

from spherelax.scale import processes, tasks  # noqa: E402


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
