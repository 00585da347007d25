"""What is forgotten leaves no trace in the file, and the answer is that of a run without it."""

import signal
import subprocess
import sys
from io import BytesIO

import duckdb
import numpy as np
import pandas as pd
import pytest
from support.weeks import judgements, matches, table

import spherelax as sl
from spherelax import io
from spherelax.io.answers.packed import unpack
from spherelax.io.tables.arrays import unpack_arrays
from spherelax.problem import hash_names
from spherelax.project.tables import TABLES

ODD = "Żółć-Quetzalcoatl-8f3b"  # found nowhere by chance, and not plain ASCII


def odd_pairs():
    """Pairs of two weeks, of which some have a record with an odd name."""
    more = table(("north", ODD, "south", 3, 0.7), ("north", ODD, "south", 30, 0.9))
    return pd.concat([matches(0, 12).astype(object), more], ignore_index=True)


def odd_records():
    """All records, of which one has an odd detail."""
    names = [("north", str(i), f"n{i}") for i in range(12)]
    names += [("south", str(i), f"s{i}") for i in [*range(12), 30]]
    return pd.DataFrame(
        [*names, ("north", ODD, f"street of {ODD}")], columns=["source", "id", "address"]
    )


def fill(path):
    """Make a project of three runs, each of which knows the odd record."""
    with sl.Project(path) as project:
        project.add_pairs(odd_pairs(), records=odd_records())
        project.solve()
    with sl.Project(path) as project:
        judged = judgements(
            ("north", ODD, "south", 3, "different"), ("north", 5, "south", 5, "same")
        )
        project.judge(judged.assign(who=["kim", "kim"]))
        project.solve()
    with sl.Project(path) as project:
        project.add_pairs(
            matches(12, 20),
            records=pd.DataFrame(
                [(s, str(i)) for s in ("north", "south") for i in range(12, 20)],
                columns=["source", "id"],
            ),
        )
        project.solve()


def forget(path, records):
    """Forget records in a block of its own."""
    with sl.Project(path) as project:
        return project.forget(records)


def cells(path):
    """All cells of all tables as text, and the arrays of what was learnt."""
    with duckdb.connect(str(path), read_only=True) as db:
        rows = [row for table in TABLES for row in db.sql(f"FROM {table}").fetchall()]
        ((lesson,),) = db.sql("SELECT content FROM lesson").fetchall()
    known = unpack(unpack_arrays(BytesIO(lesson))["known_2"].tobytes())["known"]
    return repr(rows), known


def files(folder):
    """The bytes of all files of a folder."""
    return {each.name: each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def test_no_byte_is_left(path, tmp_path):
    fill(path)
    odd = hash_names([("north", ODD)])
    said, known = cells(path)
    assert ODD in said
    assert np.isin(odd, known.names)
    assert any(ODD.encode() in content for content in files(tmp_path).values())
    forget(path, [("north", ODD)])
    assert list(files(tmp_path)) == ["people.duckdb"]
    said, known = cells(path)
    assert ODD not in said
    assert not np.isin(odd, known.names)
    content = files(tmp_path)["people.duckdb"]
    for trace in (ODD.encode(), b"Quetzalcoatl", ODD.encode("utf-16-le"), odd.tobytes()):
        assert trace not in content
    assert len(known.keys) == len(known.names) == 24 + 1 + 16


def test_deleting_alone_leaves_bytes(path, tmp_path):
    """So that the test above can fail."""
    fill(path)
    with duckdb.connect(str(path)) as db:
        for table_ in ("items", "pairs", "judgements"):
            name = "id" if table_ == "items" else "id_a"
            db.execute(f"DELETE FROM {table_} WHERE {name} = ?", [ODD])
        db.execute("CHECKPOINT")
    assert any(b"Quetzalcoatl" in content for content in files(tmp_path).values())


def test_the_answer_is_that_of_a_run_that_never_saw_it(path):
    fill(path)
    with sl.Project(path) as project:
        lesson = project._lesson()
    found = forget(path, [("north", ODD)])
    plain = odd_pairs()
    rest = pd.concat([plain[plain["id_a"] != ODD], matches(12, 20)]).astype(
        {"id_a": str, "id_b": str}
    )
    listed = odd_records()[["source", "id"]]
    later = pd.DataFrame(
        [(s, str(i)) for s in ("north", "south") for i in range(12, 20)], columns=["source", "id"]
    )
    everybody = pd.concat([listed[listed["id"] != ODD], later])
    records = io.read_pairs(rest, records=everybody)
    judged = io.read_judgements(judgements(("north", "5", "south", "5", "same")), records)
    again = sl.solve(records.problem, like=lesson).judge(judged)
    assert found.items.names == records.names
    np.testing.assert_array_equal(found.result.labels, again.labels)
    np.testing.assert_array_equal(found.result.confidence, again.confidence)


def test_entities_of_all_runs_and_ids_that_ended_know_nothing(path):
    fill(path)
    before = {}
    with sl.Project(path) as project:
        for run in (1, 2, 3):
            before[run] = pd.DataFrame(project.entities(run)).query("id != @ODD")
    found = forget(path, [("north", ODD)])
    assert str(found).startswith("run 4, entities since run 3: ")
    with sl.Project(path) as project:
        for run, columns in before.items():
            pd.testing.assert_frame_equal(
                pd.DataFrame(project.entities(run)), columns.reset_index(drop=True)
            )
        ended = project._columns("FROM tombstones")
        counts = project._columns(
            "SELECT (SELECT count(*) FROM entities) AS entities, (SELECT count(*) FROM judgements) "
            "AS judgements, (SELECT count(*) FROM pairs) AS pairs"
        )
    assert None not in ended["successor"]
    assert counts == {"entities": [25 + 25 + 41 + 41], "judgements": [1], "pairs": [38]}


def test_tombstones_are_counted_again(path):
    """As they were, but for the records that have gone."""
    with sl.Project(path) as project:
        project.add_pairs(matches(0, 12))
        project.solve()
    different = judgements(("north", 3, "south", 3, "different"))
    for judged in (different, different.assign(verdict="same")):
        with sl.Project(path) as project:
            project.judge(judged)
            project.solve(contradictions="drop")
    with sl.Project(path) as project:
        before = project._columns("FROM tombstones")
    assert len(before["entity"]) == 1
    forget(path, [("north", 7)])
    with sl.Project(path) as project:
        assert project._columns("FROM tombstones") == before
    forget(path, [("north", 3), ("south", 3)])
    with sl.Project(path) as project:
        assert project._columns("FROM tombstones")["entity"] == []
        assert project.runs()["next_id"][-1] == 13


def test_the_project_goes_on(path):
    fill(path)
    forget(path, [("north", ODD)])
    with sl.Project(path) as project:
        project.add_pairs(
            table(("north", "new", "south", "30", 0.9)),
            records=pd.DataFrame([("north", "new")], columns=["source", "id"]),
        )
        found = project.solve()
    assert found.number == 5
    assert "grown" in found.diff.counts()
    with duckdb.connect(str(path), read_only=True) as db:
        said = db.sql("SELECT comment FROM duckdb_tables() WHERE table_name = 'pairs'").fetchall()
        assert said == [(TABLES["pairs"].meaning,)]
        assert len(db.sql("FROM answer").fetchall()) == 42


def test_records_without_sources_and_tables_of_records(path, tmp_path):
    pairs = pd.DataFrame(
        [(f"x{i}", f"y{i}", 0.9) for i in range(9)] + [("x1", "y2", 0.3)],
        columns=["id_a", "id_b", "score"],
    )
    with sl.Project(path) as project:
        project.add_pairs(pairs)
        project.forget(["x1"])  # nothing was solved yet
    (tmp_path / "gone.csv").write_text("id,why\ny2,asked\nx8,asked\n")
    assert forget(path, tmp_path / "gone.csv").items.n_items == 18 - 3
    forget(path, pd.DataFrame({"id": ["y8"]}))
    with sl.Project(path) as project:
        assert not {"x1", "y2", "x8", "y8"} & set(project.entities()["id"])


def test_a_source_that_has_gone_is_no_source_without_copies(path):
    pairs = [*matches(0, 6).values.tolist(), ("east", 1, "south", 1, 0.9)]
    with sl.Project(path) as project:
        project.add_pairs(table(*pairs), duplicate_free_sources=["north", "east"])
        project.solve()
    forget(path, [("east", 1)])
    with sl.Project(path) as project:
        assert project.settings()["duplicate_free_sources"] == ["north"]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([("north", "nobody")], "records to forget must be in the project; found 'north' 'nobody'"),
        ([("north", 1), ("north", "1")], "must be listed once; found 'north' '1' again"),
        (pd.DataFrame({"source": ["north"] * 2, "id": [1, 1]}), "must be listed once"),
        (["1"], "records to forget must be pairs of source and id; found '1'"),
        ([], "records to forget must be at least one; found none"),
        ([("north", i) for i in range(12)], "must leave a pair of others; found none left: delete"),
        (pd.DataFrame({"source": ["north"]}), "id"),
    ],
)
def test_what_cannot_be_forgotten_is_refused(path, tmp_path, records, message):
    with sl.Project(path) as project:
        project.add_pairs(matches(0, 12))
        project.solve()
    before = files(tmp_path)
    with pytest.raises(sl.InvalidInputError, match=message.replace("'", ".")):
        forget(path, records)
    assert files(tmp_path) == before


def test_what_is_forgotten_is_unknown_afterwards(path):
    fill(path)
    forget(path, [("north", ODD)])
    with pytest.raises(sl.InvalidInputError, match="must be in the project"):
        forget(path, [("north", ODD)])


def test_tables_of_others_may_keep_records(path, tmp_path):
    fill(path)
    with duckdb.connect(str(path)) as db:
        db.execute("CREATE TABLE mine AS SELECT * FROM answer")
    before = files(tmp_path)
    with pytest.raises(sl.InvalidInputError, match="holds mine of another program"):
        forget(path, [("north", ODD)])
    assert files(tmp_path) == before


def test_an_error_after_it_leaves_the_project_as_it_was(path):
    fill(path)
    before = cells(path)[0]

    def fail():
        with sl.Project(path) as project:
            project.forget([("north", ODD)])
            project.judge(judgements(("north", ODD, "south", 3, "same")))

    with pytest.raises(sl.InvalidInputError):
        fail()
    assert cells(path)[0] == before


KILLED = """
import os, signal, sys
import spherelax as sl
from pathlib import Path
def die(self, target):
    os.kill(os.getpid(), signal.SIGKILL)
Path.replace = die
with sl.Project(sys.argv[1]) as kept:
    kept.forget([("north", sys.argv[2])])
"""


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_the_project_as_it_was(path, tmp_path):
    fill(path)
    before = cells(path)[0]
    ended = subprocess.run([sys.executable, "-c", KILLED, str(path), ODD], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert cells(path)[0] == before
    forget(path, [("north", ODD)])
    assert list(files(tmp_path)) == ["people.duckdb"]
    assert b"Quetzalcoatl" not in files(tmp_path)["people.duckdb"]
