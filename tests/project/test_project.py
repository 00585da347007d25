"""A project goes on where it was, and is either as before or complete."""

import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from support.weeks import COLUMNS, judgements, matches, table

import spherelax as sl
from spherelax import io
from spherelax.io.readers.pairs import SPLINK_ENDS


def run(path, pairs=None, judged=None, **settings):
    """One run of a project."""
    with sl.Project(path) as project:
        if pairs is not None:
            project.add_pairs(pairs)
        if judged is not None:
            project.judge(judged)
        return project.solve(**settings)


def entity_of(path, source, name, number=None):
    """The entity of a record."""
    with sl.Project(path) as project:
        found = project.entities(number)
    places = list(zip(found["source"], found["id"], strict=True))
    return found["entity"][places.index((source, str(name)))]


def test_the_first_run_is_that_of_plain_pairs(path, june):
    found = run(path, june)
    plain = io.read_pairs(june.astype({"id_a": str, "id_b": str}))
    assert found.items.names == plain.names
    assert found.items.answer(found.result) == plain.answer(sl.solve(plain.problem))
    assert str(found) == "run 1: 12 entities"


def test_the_next_run_extends_and_ids_stay(path, june, july):
    run(path, june)
    found = run(path, july)
    assert found.result.status is sl.Status.ABSORBED
    assert found.number == 2
    assert str(found) == (
        "run 2, entities since run 1: 12 kept, 8 new; 12 ids kept, 8 new, 0 ended; "
        "the next one is 20"
    )
    assert found.items.answer(found.result)["entity"][:24:2] == list(range(12))
    with sl.Project(path) as project:
        assert project.runs()["is_anew"] == [True, False]
        assert project.runs()["pairs"] == [23, 38]
        changed = sl.diff(project.entities(1), project.entities(2))
    assert {kind: n.changes for kind, n in changed.counts().items()} == {"kept": 12, "new": 8}


def test_nothing_new_changes_nothing(path, june):
    first = run(path, june)
    second = run(path)
    assert second.diff.counts().keys() == {"kept"}
    assert np.array_equal(first.result.labels, second.result.labels)
    third = run(path, june)
    assert third.diff.counts().keys() == {"kept"}
    with sl.Project(path) as project:
        assert project.runs()["pairs"] == [23] * 3


def test_judgements_are_kept_by_all_later_runs(path, june, july):
    run(path, june)
    assert entity_of(path, "north", 3) == entity_of(path, "south", 3)
    judged = judgements(("north", 3, "south", 3, "different"), ("north", 3, "south", 4, "unsure"))
    found = run(path, judged=judged)
    assert "split" in found.diff.counts()
    for pairs in (None, july, table(("north", 3, "south", 3, 0.99))):
        run(path, pairs)
        assert entity_of(path, "north", 3) != entity_of(path, "south", 3)
    run(path, anew=True)
    assert entity_of(path, "north", 3) != entity_of(path, "south", 3)


def test_a_judgement_is_added_once(path, june):
    judged = judgements(("north", 3, "south", 3, "different"), ("north", 1, "south", 1, "same"))
    judged["who"], judged["when"], judged["sure"] = "ann", "2026-07-01", [None, 0.9]
    run(path, june, judged)
    run(path, judged=judged)
    with sl.Project(path) as project:
        table = project._columns("SELECT * EXCLUDE (run) FROM judgements ORDER BY judgement")
    assert table == {
        "judgement": [0, 1],
        "source_a": ["north"] * 2,
        "id_a": ["3", "1"],
        "source_b": ["south"] * 2,
        "id_b": ["3", "1"],
        "verdict": ["different", "same"],
        "sure": [1.0, 0.9],
        "who": ["ann"] * 2,
        "judged_at": ["2026-07-01"] * 2,
    }


def test_contradictions_are_refused_or_later_ones_count(path, june):
    run(path, june, judgements(("north", 3, "south", 3, "different")))
    same = judgements(("north", 3, "south", 3, "same"))
    with pytest.raises(sl.InvalidInputError, match=r"people.duckdb: judgements must not contradic"):
        run(path, judged=same)
    run(path)  # what was refused is not in the project
    with pytest.raises(sl.InvalidInputError, match="contradictions must be one of refuse, drop"):
        run(path, judged=same, contradictions="keep")
    run(path, judged=same, contradictions="drop")
    assert entity_of(path, "north", 3) == entity_of(path, "south", 3)
    run(path)  # the rule is kept
    assert entity_of(path, "north", 3) == entity_of(path, "south", 3)


def test_ids_that_end_have_tombstones_and_are_never_used_again(path, june):
    run(path, june)
    run(path, judged=judgements(("north", 3, "south", 3, "different")))
    lone = judgements(("north", 3, "south", 3, "same"))
    run(path, judged=lone, contradictions="drop")
    with sl.Project(path) as project:
        (entity,) = project._columns("FROM tombstones")["entity"]
        assert entity == 12
        assert project._columns("FROM tombstones")["successor"] == [3]
        assert project.runs()["next_id"] == [12, 13, 13]
    run(path, table(("north", 90, "south", 90, 0.9)))
    assert entity_of(path, "north", 90) == 13


def test_a_pair_gets_its_new_score_in_either_direction(path, june):
    run(path, june)
    with sl.Project(path) as project:
        project.add_pairs(table(("south", 0, "north", 0, 0.4), ("south", 0, "south", 0, 0.9)))
        scores = project._columns("SELECT score, run FROM pairs WHERE id_a = '0' AND id_b = '0'")
        project.solve()
    assert scores == {"score": [0.4], "run": [2]}


def test_ids_are_compared_as_text(path, tmp_path, june):
    run(path, june)
    file = tmp_path / "more.csv"
    file.write_text(",".join(COLUMNS) + "\nnorth,3,south,99,0.3\n")
    assert run(path, file).items.n_items == 25


def test_records_without_sources_and_scores_of_splink(path):
    columns = ["unique_id_l", "unique_id_r", "match_probability"]
    pairs = pd.DataFrame([(i, i + 100, 0.99) for i in range(9)], columns=columns)
    found = run(path, pairs)
    assert (found.result.kind, found.result.n_labels) == ("information", 9)
    assert list(found.items.answer(found.result)) == ["id", "entity", "confidence"]
    more = pd.DataFrame([(20, 120, 1.0)], columns=columns)
    judged = pd.DataFrame([(0, 1, "same")], columns=["id_a", "id_b", "verdict"])
    assert run(path, more, judged).diff.counts().keys() == {"kept", "merged", "new"}


def test_tables_of_records_have_details_and_may_come_later(path, june):
    people = pd.DataFrame(
        [("north", i, f"Ann {i}") for i in range(20)], columns=["source", "id", "name"]
    )
    others = pd.DataFrame([("south", i) for i in range(12)], columns=["source", "id"])
    with sl.Project(path) as project:
        project.add_pairs(june, records=[people, others])
        assert project.solve().items.details["name"][:2] == ["Ann 0", "Ann 1"]
    renamed = pd.DataFrame([("north", 1, "Anna"), ("south", 40, "Bo")], columns=people.columns)
    with sl.Project(path) as project:
        project.add_pairs(table(("north", 1, "south", 40, 0.5)), records=renamed)
        found = project.solve().items
    assert found.n_items == 33
    assert (found.details["name"][1], found.details["name"][-1]) == ("Anna", "Bo")
    message = "'north' '77' is not in the table of records"
    with pytest.raises(sl.InvalidInputError, match=message), sl.Project(path) as project:
        project.add_pairs(table(("north", 77, "south", 1, 0.5)), records=renamed)


def test_settings_are_kept_and_change_only_anew(path, june, july):
    run(path, june, n_labels=12)
    assert run(path, july, n_labels=12).result.n_labels == 20
    with pytest.raises(sl.InvalidInputError, match=r"goes on with n_labels 12, .* found 6; anew"):
        run(path, n_labels=6)
    with pytest.raises(sl.InvalidInputError, match="goes on with pick None"):
        run(path, pick="eta")
    assert run(path, n_labels=20, anew=True).result.status is sl.Status.CHOSEN
    with sl.Project(path) as project:
        assert project.settings()["n_labels"] == 20


@pytest.mark.parametrize(
    ("columns", "kind", "message"),
    [
        ([*SPLINK_ENDS, "match_weight"], None, "score of the project people.duckdb must stay 'sco"),
        (COLUMNS, "odds", "kind of the project people.duckdb must stay None; found 'odds'"),
        (["x", "id_a", "y", "id_b", "score"], None, "sources of the project people.duckdb must st"),
    ],
)
def test_pairs_of_another_kind_are_refused(path, june, columns, kind, message):
    run(path, june)
    june.columns = columns
    with pytest.raises(sl.InvalidInputError, match=message), sl.Project(path) as project:
        project.add_pairs(june, kind=kind)


def test_what_is_not_there_is_refused(path, june):
    with pytest.raises(sl.InvalidInputError, match="must have pairs; found none yet"):
        run(path)
    assert not path.exists()
    run(path, june)
    with pytest.raises(sl.InvalidInputError, match=r"has runs 1 to 1; found run 2"):
        entity_of(path, "north", 1, 2)
    unknown = judgements(("north", 3, "south", 333, "different"))
    with pytest.raises(sl.InvalidInputError, match=r"judgements, row 0 .*333 must name an item"):
        run(path, judged=unknown)
    with sl.Project(path) as project:  # another program may have written it
        project._db.execute("INSERT INTO judgements VALUES (0,'a','1','b','2','same',1,'x','y',2)")
    message = "people.duckdb: judgements, row 0 .*: 'a' '1' must name an item; found no item"
    with pytest.raises(sl.InvalidInputError, match=message):
        run(path)


def test_an_error_leaves_the_project_as_it_was(path, june, july):
    def fail():
        with sl.Project(path) as project:
            project.add_pairs(july)
            project.solve()
            raise ZeroDivisionError

    run(path, june)
    with pytest.raises(ZeroDivisionError):
        fail()
    with sl.Project(path) as project:
        assert project.runs()["items"] == [24]
        assert project._columns("SELECT count(*) AS n FROM pairs") == {"n": [23]}


@pytest.mark.filterwarnings("ignore:The sweep was interrupted")
def test_an_interrupted_run_is_not_kept(path, june):
    def stop(step):
        if step.index == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(path, june, callback=stop)
    assert not path.exists()


def test_a_lesson_that_does_not_fit_is_refused_and_can_be_learnt_again(path, june):
    run(path, june)
    with sl.Project(path) as project:
        project._db.execute("UPDATE lesson SET content = content || '\\x00'::BLOB")
    with pytest.raises(sl.InvalidInputError, match="what was learnt was damaged; anew=True"):
        run(path)
    assert run(path, anew=True).diff.counts().keys() == {"kept"}


WORK = """
import sys
import spherelax as sl
from spherelax.project import project as module
from support.weeks import matches

def wait(*_, **__):
    print("written", flush=True)
    sys.stdin.read()

if sys.argv[2] == "kill":
    module.ask = lambda db, query, *more: wait() if query == "COMMIT" else ask(db, query, *more)
    from spherelax.project.tables import ask
with sl.Project(sys.argv[1]) as project:
    if sys.argv[2] == "kill":
        project.add_pairs(matches(12, 20))
        project.solve()
    else:
        wait()
"""


@pytest.fixture
def other(path):
    """Start another process that works on the project, and waits."""
    started = []

    def start(what):
        process = subprocess.Popen(
            [sys.executable, "-c", WORK, str(path), what],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[1],
            text=True,
        )
        started.append(process)
        assert process.stdout.readline() == "written\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_process_that_is_killed_leaves_the_project_as_it_was(path, june, july, other):
    run(path, june)
    process = other("kill")
    process.send_signal(signal.SIGKILL)
    process.wait()
    with sl.Project(path) as project:
        assert project.runs()["run"] == [1]
        assert project._columns("SELECT count(*) AS n FROM pairs") == {"n": [23]}
    assert run(path, july).number == 2


def test_a_project_in_use_is_refused(path, june, other):
    run(path, june)
    other("hold")
    with pytest.raises(sl.InvalidInputError, match=r"people.duckdb: is in use by another process"):
        run(path)


FULL = """
import resource, signal, sys
import spherelax as sl
from support.weeks import matches

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    with sl.Project(sys.argv[1]) as project:
        project.add_pairs(matches(12, 20))
        project.solve()
except sl.InvalidInputError as error:
    print(error)
"""


def test_a_full_disk_leaves_the_project_as_it_was(path, june):
    run(path, june)
    command = [sys.executable, "-c", FULL, str(path)]
    tests = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=tests, capture_output=True, text=True, check=True)
    assert done.stdout == f"{path}: the disk is full; the project is as it was before this run\n"
    with sl.Project(path) as project:
        assert project.runs()["run"] == [1]


def test_a_block_beside_another_is_refused(path, june, july):
    run(path, june)
    with sl.Project(path) as one:
        one.add_pairs(july)
        one.solve()
        with pytest.raises(sl.InvalidInputError, match="was changed meanwhile"):
            run(path, july)
    with sl.Project(path) as project:
        assert project.runs()["run"] == [1, 2]


def test_other_programs_read_the_answer(path, june):
    run(path, june)
    with duckdb.connect(str(path), read_only=True) as db:
        rows = db.execute("SELECT source, id, entity FROM answer").fetchall()
    assert rows[:2] == [("north", "0", 0), ("south", "0", 0)]


def test_pairs_of_many_weeks_give_each_record_one_entity(path):
    for week in range(4):
        found = run(path, matches(5 * week, 5 * week + 5))
    answer = found.items.answer(found.result)
    assert len(answer["entity"]) == 40
    assert len(set(answer["entity"])) == 20
