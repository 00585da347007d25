"""The texts of the help, and that they are true."""

import csv
import inspect
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import click
import pytest
from support.hloc_scene import make_hloc
from support.program import BLOCKS, PAIRS, invoke

import spherelax
from spherelax import cli, io
from spherelax.cli import manual
from spherelax.coordinate import trail
from spherelax.settings import SOLVERS, Coordinate, Power

COMMANDS = [cli.cluster, cli.match, cli.path, cli.report]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_the_defaults_that_depend_on_the_input(command: click.Command) -> None:
    texts = {option.name: getattr(option, "help", None) for option in command.params}
    many = f"for {trail.MANY} items or more"
    expected = {
        "solver": inspect.signature(spherelax.solve).parameters["solver"].default,
        "pick": f"{Coordinate.picks[0]}, with power {Power.picks[0]}; for points, labels are "
        "merged, unless the points between them are less dense",
        "n_jobs": "all processors",
        "n_steps": f"{trail.STEPS}; {many}, one for each factor of two",
        "row_entries": f"{trail.ENTRIES}; {many}, {trail.ENTRIES_OF_MANY}",
        "max_labels": "a generous bound for the input, path.max_labels of the result",
    }
    assert trail.RATIO_OF_MANY == 2
    for name, default in expected.items():
        assert texts[name].endswith(f" Default: {default}."), name
    unset = {one.name for solver in SOLVERS.values() for one in fields(solver) if not one.default}
    assert unset - {"delta_margin"} <= set(expected)
    defaults = inspect.signature(spherelax.solve).parameters
    assert defaults["pick"].default is defaults["n_jobs"].default is None
    others = {"similarity", "groups", "callback", "one_per_group", "judgements", "like"}
    assert set(defaults) - others == {"kind", "solver", "pick", "n_jobs"}


def test_help_tells_which_solver_an_option_is_for() -> None:
    for command in ("cluster", "match"):
        text = " ".join(invoke(command, "--help").stdout.split())
        for option in (
            "alpha-step FLOAT",
            "delta-margin FLOAT",
            "kappa FLOAT",
            "max-labels INTEGER",
        ):
            assert f"--{option} power only: " in text
        for option in ("n-steps", "row-entries"):
            assert f"--{option} INTEGER coordinate only: " in text
        assert "--n-jobs INTEGER Number of threads." in text
        assert text.count(" only: ") == 6
        assert "--pick [description|eta|stability|NUMBER]" in text


def test_help_shows_what_comes_out() -> None:
    text = invoke("cluster", "--help").stdout
    assert "\b" not in text
    table = re.search(r"edges\.csv +labels\.csv\n(.*?)\.\.\.", text, re.DOTALL)[1].splitlines()[:3]
    edges, labels = zip(*(line.split() for line in table), strict=True)
    Path("edges.csv").write_text("\n".join(edges))
    assert invoke("cluster", "edges.csv").stdout.splitlines()[:3] == list(labels)
    text = invoke("match", "--help").stdout
    assert "\b" not in text
    table = re.search(r"groups\.csv +labels\.csv\n(.*?)\n\s*\n", text, re.DOTALL)[1].splitlines()
    edges, groups, labels = zip(*(line.split() for line in table[:3]), strict=True)
    Path("edges.csv").write_text("\n".join(edges))
    more = (line.split()[0] for line in table[3:])
    Path("groups.csv").write_text("\n".join([*groups, *more]))
    found = invoke("match", "edges.csv", "--groups", "groups.csv").stdout
    assert found.splitlines()[:3] == list(labels)


def examples() -> list[str]:
    """Return the commands that the help shows, without what they are piped into."""
    texts = (
        *(manual.OVERVIEW, manual.MATCH, manual.CLUSTER, manual.PATH, manual.REPORT),
        *(manual.INFO, manual.SCALE),
    )
    lines = [line.strip() for text in texts for line in text.splitlines()]
    shown = [line for line in lines if line.startswith("spherelax ") and " says " not in line]
    return list(
        dict.fromkeys(line.partition(" |")[0] for line in shown if "about files" not in line)
    )


def starts_programs(example: str) -> bool:
    """Tell whether a command starts processes; a cluster of Dask has tests of its own."""
    return example.startswith("spherelax scale")


def lay_out_weeks(example: str) -> None:
    """Write pairs of two weeks, and solve those of the first where an example goes on with it."""
    Path("june.csv").write_text(PAIRS)
    Path("july.csv").write_text(PAIRS)
    if "july/*.csv" in example:
        Path("july").mkdir()
        Path("july", "pairs.csv").write_text(PAIRS)
        assert invoke("scale", "july/*.csv", "--out", "entities").exit_code == 0
    if "--forget" in example:
        Path("gone.csv").write_text("source,id\n" + ",".join(PAIRS.splitlines()[1].split(",")[:2]))
        assert invoke("match", "june.csv", "--project", "people.duckdb").exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "example",
    [
        pytest.param(example, marks=pytest.mark.slow) if starts_programs(example) else example
        for example in examples()
        if "--dask" not in example
    ],
)
def test_examples_of_the_help_run(example: str) -> None:
    for old, new in {
        "w.db": "database.db", "w.npz": "matrix.npz", "groups.txt": "images.txt"
    }.items():  # fmt: skip
        shutil.copy(old, new)
    if any(name in example for name in ("pairs.parquet", "*.parquet", "pairs.duckdb")):
        sources = PAIRS.replace("g0", "shop").replace("g1", "bank")
        names, *rows = csv.reader(sources.splitlines())
        pyarrow = pytest.importorskip("pyarrow")
        columns = dict(zip(names, zip(*rows, strict=True), strict=True))
        columns["score"] = [float(score) for score in columns["score"]]
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table(columns), "pairs.parquet")
        Path("pairs").mkdir()
        shutil.copy("pairs.parquet", "pairs")
    if "pairs.duckdb" in example:
        with pytest.importorskip("duckdb").connect("pairs.duckdb") as database:
            database.execute("CREATE TABLE pairs AS FROM 'pairs.parquet'")
    if "--project" in example or "july/*.csv" in example or "--forget" in example:
        lay_out_weeks(example)
    if "judged.csv" in example:
        names, pair, *_ = PAIRS.replace("score", "verdict").splitlines()
        Path("judged.csv").write_text(f"{names}\n{pair.removesuffix('1')}same\n")
    if "records.csv" in example:
        records = "".join(f"g{i % 3},{i // 3},ann\n" for i in range(12))
        Path("records.csv").write_text(f"source,id,name\n{records}")
    if "photographs" in example:
        Path("photographs").mkdir()
        for number in (1, 2, 3):
            pytest.importorskip("PIL.Image").new("L", (40, 20)).save(f"photographs/{number}.JPG")
    if "cells.h5ad" in example:
        cells = pytest.importorskip("anndata").AnnData(BLOCKS)
        cells.obsp["connectivities"] = BLOCKS
        cells.write_h5ad("cells.h5ad")
    if "matches.h5" in example:
        pytest.importorskip("h5py")
        make_hloc(Path())
    if "--result" in example:
        assert invoke("cluster", "edges.csv", "--out", "result.npz").exit_code == 0
    for command in example.split(" && "):
        result = invoke(*shlex.split(command)[1:])
        assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize("kind", ["edges", "pairs", "points"])
def test_samples_of_formats_are_what_they_say(kind: str) -> None:
    Path("sample.csv").write_text(manual.SAMPLES[kind])
    assert io.format_of("sample.csv") == kind
    assert len(io.read("sample.csv").names) >= 2


def test_samples_of_edges_and_groups_fit() -> None:
    Path("edges.csv").write_text(manual.SAMPLES["edges"].splitlines()[0])
    Path("groups.csv").write_text(manual.SAMPLES["groups"])
    assert invoke("match", "edges.csv", "--groups", "groups.csv").exit_code == 0


def test_help_on_topics() -> None:
    assert invoke("help").stdout == invoke("--help").stdout
    assert invoke("help", "match").stdout == invoke("match", "--help").stdout
    text = invoke("help", "formats").stdout
    for kind, sample in manual.SAMPLES.items():
        assert f"\n    {kind}" in text
        assert all(f"            {line}\n" in text for line in sample.splitlines())
    for ending in (*io.reading.TELL, *io.answers.answers.ENDINGS):
        assert ending in text
    assert max(map(len, text.splitlines())) <= 100
    unknown = invoke("help", "frobnicate")
    assert unknown.exit_code == 2
    assert "topic must be one of match, cluster," in unknown.stderr
    assert "; found 'frobnicate' (see" in unknown.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["mat"], ["match"]),
        (["match", "--du"], ["--duplicate-free-sources"]),
        (["match", "--solver", ""], ["coordinate", "power"]),
        (["help", "f"], ["formats"]),
        (["cluster", "--as", "po"], ["points"]),
    ],
)
def test_what_a_shell_is_told(
    words: list[str], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_SPHERELAX_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(["spherelax", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    told = invoke().stdout.splitlines()
    assert [line.partition(",")[2] for line in told] == expected


@pytest.mark.parametrize("arguments", [["match", "--help"], ["help", "formats"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    program = (
        f"import sys; sys.argv = ['spherelax', *{arguments}]\n"
        "from spherelax.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'numba', 'scipy', 'sklearn', 'matplotlib', 'narwhals'}\n"
        "heavy &= set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "--groups" in done.stdout
