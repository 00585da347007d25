"""Commands go on with a project, and say what has changed."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from support.program import ENVIRONMENT, assert_one_line, invoke, labels_in, said
from support.weeks import judgements, matches, table

import spherelax as sl


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matches(0, 12).to_csv("june.csv", index=False)
    matches(12, 20).to_csv("july.csv", index=False)
    judgements(("north", 3, "south", 3, "different")).to_csv("judged.csv", index=False)


def go_on(*arguments):
    """Run match on the project."""
    return invoke("match", *arguments, "--project", "people.duckdb")


def test_weeks_and_judgements():
    first = go_on("june.csv")
    assert "project: people.duckdb, run 1: 12 entities\n" in first.stderr
    assert first.stdout == invoke("match", "june.csv").stdout
    judged = go_on("--judgements", "judged.csv")
    assert "entities since run 1: 11 kept, 1 split; 12 ids kept, 1 new, 0 ended" in judged.stderr
    assert "judgements: 1 pair of people.duckdb\n" in judged.stderr
    later = go_on("july.csv", "--out", "july.out.csv", "--entities", "e.csv", "--report", "r.html")
    assert "entities since run 2: 13 kept, 8 new; 13 ids kept, 8 new, 0 ended" in later.stderr
    with open("july.out.csv", encoding="utf-8") as file:  # noqa: PTH123
        labels = labels_in(file.read(), "entity")
    assert labels[:24] == labels_in(judged.stdout, "entity")
    assert go_on("--anew").exit_code == 0


def test_runs_are_compared():
    go_on("june.csv")
    go_on("july.csv")
    found = invoke("diff", "1", "2", "--project", "people.duckdb", "--out", "changes.csv")
    assert found.stdout.splitlines()[0] == (
        "12 entities of 24 items before, 20 entities of 40 items after"
    )
    assert_one_line(
        *said("diff", "june.csv", "2", "--project", "people.duckdb"),
        "with --project, runs must be numbers; found june.csv",
    )
    assert_one_line(
        *said("diff", 1, 3, "--project", "people.duckdb"), "has runs 1 to 2; found run 3"
    )
    assert_one_line(
        *said("diff", 1, 3, "--project", "no.duckdb"), "no.duckdb: there is no such project"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "Missing argument 'FILE'"),
        ("june.csv --anew", "--anew needs --project"),
        ("june.csv --project p.duckdb --ids-like x.csv --out y.csv", "--ids-like does not go with"),
        ("june.csv --project p.duckdb --groups x.csv", "--groups does not go with --project"),
        ("june.csv --project p.duckdb --solver power", "--project needs --solver coordinate"),
        ("--project p.duckdb --columns a,b,c", "--columns needs FILE"),
        ("--project p.duckdb", "p.duckdb: must have pairs; found none yet"),
        ("june.csv --as edges --project p.duckdb", "--project needs a FILE of pairs; found edges"),
        ("june.csv --project june.csv", "june.csv: must be a project"),
        ("june.csv --project p.duckdb --out p.duckdb", "p.duckdb would be overwritten"),
        ("no.csv --project p.duckdb", "no.csv: No such file or directory"),
        ("june.csv --forget judged.csv", "--forget needs --project"),
        ("june.csv --project p.duckdb --forget x.csv", "FILE does not go with --forget"),
        ("--project p.duckdb --forget x.csv --anew", "--anew does not go with --forget"),
        ("--project p.duckdb --forget x.csv --pick eta", "--pick does not go with --forget"),
    ],
)
def test_mistakes_are_one_line_and_leave_nothing(tmp_path, arguments, message):
    assert_one_line(*said("match", *arguments.split()), message)
    assert not (tmp_path / "p.duckdb").exists()


def test_a_kept_setting_may_not_change():
    go_on("june.csv", "--pick", "description")
    assert go_on("--pick", "description").exit_code == 0
    assert_one_line(
        *said("match", "--project", "people.duckdb", "--pick", "eta"),
        "goes on with pick 'description', as it was learnt; found 'eta'",
    )


def test_contradictions_name_the_option():
    go_on("june.csv", "--judgements", "judged.csv")
    judgements(("south", 3, "north", 3, "same")).to_csv("again.csv", index=False)
    command = ("match", "--project", "people.duckdb", "--judgements", "again.csv")
    assert_one_line(*said(*command), "--contradictions drop lets later ones count")
    found = go_on("--judgements", "again.csv", "--contradictions", "drop")
    assert "1 merged" in found.stderr


def test_what_is_forgotten_is_in_no_file_that_is_written_again(tmp_path, monkeypatch):
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    odd = "Quetzalcoatl-8f3b"
    outputs = {
        "--out": ("out.csv", "out.tsv", "out.npz", "out.parquet"),
        "--entities": ("entities.parquet", "entities.csv"),
        "--pairs": ("pairs.parquet", "pairs.csv"),
        "--report": ("report.html",),
        "--plot": ("sweep.png",),
    }
    each = [
        [word for option, names in outputs.items() for word in (option, names[at % len(names)])]
        for at in range(4)
    ]
    pairs = pd.concat([matches(0, 12), table(("north", odd, "south", 3, 0.95))])
    pairs.to_csv("pairs_in.csv", index=False)
    ends = [pairs[[f"source_{end}", f"id_{end}"]].to_numpy() for end in "ab"]
    records = pd.DataFrame(np.concatenate(ends), columns=["source", "id"]).drop_duplicates()
    records.assign(name=records["id"]).to_csv("records.csv", index=False)
    judgements(("north", odd, "south", 5, "different")).to_csv("judged.csv", index=False)
    go_on("pairs_in.csv", "--records", "records.csv", "--judgements", "judged.csv", *each[0])
    assert all(go_on(*words).exit_code == 0 for words in each)
    traces = {name for name, text in texts(folder) if odd in text}
    inputs = {"pairs_in.csv", "records.csv", "judged.csv"}
    names = {name for names in outputs.values() for name in names} - {"sweep.png"}
    assert traces >= inputs | names | {"people.duckdb"}
    (folder / "gone.csv").write_text(f"source,id\nnorth,{odd}\n")
    found = go_on("--forget", "gone.csv", *each[0])
    assert "run 6, entities since run 5: " in found.stderr
    assert odd not in found.stdout + found.stderr
    assert all(go_on(*words).exit_code == 0 for words in each)
    assert {name for name, text in texts(folder) if odd in text} == inputs | {"gone.csv"}


def texts(folder):
    """What can be read in each file, however it is packed."""
    for path in folder.rglob("*"):
        content = path.read_bytes().decode("latin-1")
        if path.suffix == ".parquet":
            content += pd.read_parquet(path).to_csv()
        if path.suffix == ".npz":
            with np.load(path) as arrays:
                content += "".join(str(arrays[name].tolist()) for name in arrays)
        yield path.name, content


# Runs a command in processes that have loaded the package already: undisturbed, and killed earlier
# and later in its course. Each time it waits until the project has been looked at.
KILLED = """
import os, shutil, signal, sys, time
import duckdb, pandas, spherelax.cli.work
from spherelax.cli import main

def begin(project):
    child = os.fork()
    if child == 0:
        main(["match", "july.csv", "--project", project, "--out", "o.csv"])
    return child

shutil.copy("people.duckdb", "copy.duckdb")
began = time.monotonic()
assert os.waitpid(begin("copy.duckdb"), 0)[1] == 0
whole = time.monotonic() - began
for share in map(float, sys.argv[1:]):
    child = begin("people.duckdb")
    time.sleep(share * whole)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print("killed", flush=True)
    sys.stdin.readline()
"""
SHARES = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@pytest.mark.slow
def test_a_program_that_is_killed_anywhere_leaves_a_whole_project(tmp_path):
    go_on("june.csv")
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, *map(str, SHARES)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=ENVIRONMENT, text=True,
    ) as process:  # fmt: skip
        for _ in SHARES:
            assert "killed\n" in iter(process.stdout.readline, "")
            with sl.Project(tmp_path / "people.duckdb") as project:
                runs = project.runs()
                assert len(project.entities()["id"]) == runs["items"][-1]
                assert runs["pairs"] in ([23], [23] + [38] * (len(runs["run"]) - 1))
            process.stdin.write("\n")
            process.stdin.flush()
    assert process.returncode == 0
