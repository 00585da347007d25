"""Answers become judgements of a project, one by one."""

import signal
import subprocess
import sys

import pytest
from support.weeks import judgements, matches

import spherelax as sl
from spherelax.project.answering import ProjectAnswers

HOLDER = """
import sys, time
import spherelax as sl
with sl.Project(sys.argv[1]):
    print("open", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def path(tmp_path):
    """A project with a judgement and two runs."""
    path = tmp_path / "people.duckdb"
    with sl.Project(path) as people:
        people.add_pairs(matches(0, 8))
        people.solve()
        people.judge(judgements(("north", 3, "south", 3, "different")))
        people.solve()
    return path


@pytest.fixture
def store(path):
    with sl.Project(path) as people:
        records, _ = people.unjudged()
    return ProjectAnswers(path, records)


def rows(store):
    with store.changing() as answers:
        return answers.rows()


def test_answers_count_in_the_next_run(path, store):
    names = store._records.names
    pair = names.index("north 5"), names.index("south 5")
    assert rows(store) == []
    with store.changing() as answers:
        answers.add(pair, False)
        answers.add((0, 1), None)
    assert rows(store) == [(*pair, False, 1.0), (0, 1, None, 1.0)]
    with store.changing() as answers:
        answers.undo()
    assert rows(store) == [(*pair, False, 1.0)]
    with sl.Project(path) as people:
        assert len(people.judgements()) == 2
        assert len(people.judgements(until=2)) == 1
        run = people.solve()
        labels = run.result.labels
        assert labels[pair[0]] != labels[pair[1]]
        assert run.n_judged == 2


def test_undo_leaves_what_was_judged_before(store):
    with store.changing() as answers:
        answers.undo()
    assert len(rows(ProjectAnswers(store.path, store._records, since=0))) == 1


def test_the_base_of_a_project_without_a_run_is_refused(tmp_path):
    with sl.Project(tmp_path / "new.duckdb") as people:
        people.add_pairs(matches(0, 8))
        with pytest.raises(sl.InvalidInputError, match="must have a run; found none yet"):
            people.unjudged()


@pytest.mark.slow
def test_a_project_in_use_is_told_and_nothing_is_lost(path, store):
    with subprocess.Popen([sys.executable, "-c", HOLDER, path], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        with (
            pytest.raises(sl.InvalidInputError, match="is in use by another process"),
            store.changing() as answers,
        ):
            answers.add((0, 1), True)
        process.send_signal(signal.SIGKILL)
    assert rows(store) == []
    with store.changing() as answers:
        answers.add((0, 1), None)
    assert len(rows(store)) == 1
