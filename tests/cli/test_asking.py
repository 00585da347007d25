"""The command ask: a table to fill in, or a page until Ctrl-C."""

import csv
import re
import signal
import sqlite3
import subprocess
import urllib.request
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest
from support.program import ENVIRONMENT, PYTHON, assert_one_line, invoke
from support.weeks import matches

DOUBTS = "source_a,id_a,source_b,id_b,score\n" + "".join(
    f"north,{i},south,{i},{0.55 if i % 3 == 0 else 0.9}\nnorth,{i},south,{i + 1},0.5\n"
    for i in range(12)
)


@pytest.fixture(autouse=True)
def _doubts(folder):
    (folder / "doubts.csv").write_text(DOUBTS)


def test_questions_are_filled_in_and_read_back():
    done = invoke("ask", "doubts.csv", "--n", "3", "--out", "questions.csv")
    assert done.exit_code == 0
    assert done.stdout == ""
    assert "3 questions: questions.csv\n" in done.stderr
    with Path("questions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = ["source_a", "id_a", "source_b", "id_b", "verdict", "probability", "changes", "why"]
    assert list(rows[0]) == names
    assert {row["verdict"] for row in rows} == {""}
    assert "judgements" not in invoke("match", "doubts.csv", "--judgements", "questions.csv").stderr
    for row, verdict in zip(rows, ("different", "cannot tell", ""), strict=True):
        row["verdict"] = verdict
    with Path("judged.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
    judged = invoke("match", "doubts.csv", "--judgements", "judged.csv")
    assert "judgements: 1 pair of judged.csv" in judged.stderr
    more = invoke("ask", "doubts.csv", "--out", "-", "--judgements", "judged.csv").stdout
    asked = [tuple(row.values())[:4] for row in csv.DictReader(more.splitlines())]
    assert not {tuple(row.values())[:4] for row in rows[:2]} & set(asked)
    assert tuple(rows[2].values())[:4] in asked


def test_questions_are_shown_as_text():
    lines = invoke("ask", "doubts.csv", "--n", "2").stdout.splitlines()
    assert lines[0].split() == ["item_a", "item_b", "same", "changes", "why"]
    assert len(lines) == 3
    assert re.match(r" *(north|south) \d+ +(north|south) \d+ +0\.\d\d ", lines[1])


@pytest.mark.parametrize("file", ["edges.csv", "w.db", "w.npz", "points.csv"])
def test_each_kind_is_asked_about(file):
    done = invoke("ask", file, "--n", "3", "--out", "-")
    assert done.exit_code == 0, done.stderr
    heads = done.stdout.splitlines()[0]
    named = "image_a,keypoint_a,image_b,keypoint_b" if file == "w.db" else "item_a,item_b"
    assert heads == f"{named},verdict,probability,changes,why"


@contextmanager
def served(*arguments):
    """Run the program with a page; yield a function that sends a form, and the process."""
    with subprocess.Popen(
        [*PYTHON, "ask", *arguments, "--serve"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, text=True,
    ) as process:  # fmt: skip
        address = process.stdout.readline().strip()
        origin = address.rsplit("/", 2)[0]

        def send(**fields):
            form = urlencode(fields).encode() if fields else None
            headers = {"Origin": origin} if fields else {}
            request = urllib.request.Request(address, form, headers)
            with urllib.request.urlopen(request, timeout=60) as answer:
                text = answer.read().decode()
            pair = re.findall(r'type="hidden" name="[ab]" value="(\d+)"', text)
            return dict(zip("ab", pair, strict=False)), text

        try:
            yield send, process
        finally:
            process.kill()


@pytest.mark.slow
def test_the_page_keeps_answers_until_control_c():
    with served("doubts.csv", "--answers", "mine.sqlite") as (send, process):
        pair, _ = send()
        pair, _ = send(**pair, verdict="different")
        pair, text = send(**pair, verdict="same")
        assert "mine.sqlite" in text
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 0
    assert stderr.splitlines()[-1] == (
        "2 answers kept in mine.sqlite; next: spherelax match doubts.csv --judgements mine.sqlite"
    )
    judged = invoke("match", "doubts.csv", "--judgements", "mine.sqlite")
    assert "judgements: 2 pairs of mine.sqlite" in judged.stderr
    with served("doubts.csv", "--answers", "mine.sqlite") as (send, process):
        pair, text = send()
        assert "1 same, 1 different" in text
        send(**pair, verdict="cannot tell")
        process.kill()
    with closing(sqlite3.connect("mine.sqlite")) as database:
        found = [said for (said,) in database.execute("SELECT verdict FROM judgements")]
    assert found == ["different", "same", "cannot tell"]


@pytest.mark.slow
def test_the_page_keeps_answers_in_a_project():
    matches(0, 12).to_csv("june.csv", index=False)
    assert invoke("match", "june.csv", "--project", "people.duckdb").exit_code == 0
    table = invoke("ask", "--project", "people.duckdb", "--n", "2", "--out", "-").stdout
    with served("--project", "people.duckdb") as (send, process):
        pair, _ = send()
        send(**pair, verdict="different")
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert stderr.splitlines()[-1] == (
        "1 answer kept in people.duckdb; next: spherelax match --project people.duckdb"
    )
    more = invoke("ask", "--project", "people.duckdb", "--n", "9", "--out", "-").stdout
    assert table.splitlines()[1].split(",,")[0] not in more
    judged = invoke("match", "--project", "people.duckdb")
    assert "judgements: 1 pair of people.duckdb" in judged.stderr


def assert_refused(message, *arguments):
    """Check that a command is refused in one line."""
    done = invoke("ask", *arguments)
    assert_one_line(done.exit_code, done.stdout, done.stderr, message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'FILE'"),
        (("edges.csv", "--n", "0"), "--n must be an integer >= 1; found 0"),
        (("edges.csv", "--out", "questions.xlsx"), "a file of --out must end in one of .csv"),
        (("edges.csv", "--answers", "a.sqlite"), "--answers needs --serve"),
        (("edges.csv", "--images", "folder"), "--images needs --serve"),
        (("edges.csv", "--serve", "--n", "3"), "--n does not go with --serve"),
        (("edges.csv", "--serve", "--out", "x.csv"), "--out does not go with --serve"),
        (("edges.csv", "--serve", "--answers", "a.csv"), "--answers must end in one of .sqlite"),
        (("edges.csv", "--serve", "--answers", "no/a.sqlite"), "the folder no does not exist"),
        (
            ("edges.csv", "--serve", "--images", "folder"),
            "--images needs a FILE of matched keypoints",
        ),
        (("edges.csv", "--project", "p.duckdb"), "add FILE with match first"),
        (("--project", "p.duckdb"), "p.duckdb: there is no such project"),
        (("--project", "p.duckdb", "--kind", "odds"), "--kind does not go with --project"),
        (("edges.csv", "--solver", "power"), "questions need a result of the coordinate solver"),
        (("edges.csv", "--judgements", "none.sqlite"), "none.sqlite: No such file or directory"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(arguments, message):
    assert_refused(message, *arguments)


def test_bad_files_of_answers_are_refused_before_solving():
    Path("answers.sqlite").write_text("item_a,item_b\n" * 99)
    assert_refused("answers.sqlite: must be a file of answers", "edges.csv", "--serve")
    Path("answers.sqlite").unlink()
    with closing(sqlite3.connect("answers.sqlite")) as database, database:
        database.execute("CREATE TABLE judgements (judgement INTEGER PRIMARY KEY, id_a, id_b)")
    assert_refused("so they are of another problem", "edges.csv", "--serve")
