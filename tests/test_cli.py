"""The command line, as its users meet it."""

import contextlib
import csv
import inspect
import os
import pty
import re
import signal
import subprocess
import sys
import warnings
from io import StringIO
from pathlib import Path

import click
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from click.testing import CliRunner, Result

import spherelax
from spherelax import _solve, cli, coordinate_run, io
from spherelax._terminal import Progress
from spherelax.metrics import pairwise_scores
from spherelax.result import Step

BLOCKS = np.kron(np.eye(3), np.ones((3, 3))) - np.eye(9)
EDGES = "\n".join(f"i{a},i{b},1" for a, b in np.argwhere(np.triu(BLOCKS))) + "\n"
GROUPS = "item,group\n" + "".join(f"i{i},g{i % 3}\n" for i in range(9))
POWER = ("--solver", "power", "--alpha-step", "0.1")
PYTHON = [sys.executable, "-m", "spherelax"]
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "TERM": "xterm"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with one file of each kind."""
    monkeypatch.chdir(tmp_path)
    Path("edges.csv").write_text(EDGES)
    Path("groups.csv").write_text(GROUPS)
    Path("groups.txt").write_text("".join(f"g{i % 3}\n" for i in range(9)))
    Path("short.txt").write_text("g0\ng1\n")
    Path("empty.csv").touch()
    Path("empty.npz").touch()
    Path("garbage.csv").write_bytes(b"\x93NUMPY\xff\x00\x01" * 50)
    Path("garbage.npz").write_bytes(b"PK\x03\x04\xff\x00\x01" * 50)
    Path("edges.parquet").write_bytes(b"PAR1")
    Path("bad.csv").write_text("a,b,1\nb,c,abc\n")
    Path("folder").mkdir()
    np.save("w.npy", BLOCKS)
    np.save("objects.npy", np.array([[None]]), allow_pickle=True)
    np.save("nan.npy", np.full((2, 2), np.nan))
    np.save("asymmetric.npy", np.triu(BLOCKS))
    np.save("negative.npy", -BLOCKS)
    np.save("oblong.npy", BLOCKS[:2])
    np.savez("other.npz", first=BLOCKS, second=BLOCKS)
    sp.save_npz("w.npz", sp.csr_array(BLOCKS))
    Path("truncated.npy").write_bytes(Path("w.npy").read_bytes()[:-9])
    Path("truncated.npz").write_bytes(Path("w.npz").read_bytes()[:-9])
    Path("pickle.npy").write_bytes(b"\x80\x04K\x01.")
    scipy.io.mmwrite("w.mtx", sp.coo_array(BLOCKS))
    return tmp_path


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(cli.main, arguments, catch_exceptions=False)


def labels_in(text: str) -> list[str]:
    return [row["label"] for row in csv.DictReader(text.splitlines())]


@pytest.mark.parametrize("options", [(), POWER])
@pytest.mark.parametrize("file", ["edges.csv", "w.npy", "w.npz", "w.mtx"])
def test_cluster_gives_the_same_labels_in_every_format(file: str, options: tuple[str]) -> None:
    result = invoke("cluster", file, *options)
    assert result.exit_code == 0
    assert result.stdout.startswith("item,label,confidence\n")
    assert labels_in(result.stdout) == list("000111222")
    first = result.stdout.splitlines()[1]
    assert first == f"{'i0' if file == 'edges.csv' else '0'},0,1.0000"


@pytest.mark.parametrize("options", [(), POWER])
@pytest.mark.parametrize(("file", "groups"), [("edges.csv", "groups.csv"), ("w.npz", "groups.txt")])
def test_match(file: str, groups: str, options: tuple[str]) -> None:
    result = invoke("match", file, "--groups", groups, *options)
    assert result.exit_code == 0
    assert result.stdout.startswith("item,group,label,confidence\n")
    assert labels_in(result.stdout) == list("000111222")
    assert "9 items in 3 groups: 3 labels at alpha" in result.stderr


def test_items_that_only_the_groups_know_come_out() -> None:
    Path("groups.csv").write_text(GROUPS + "lonely,g0\n")
    result = invoke("match", "edges.csv", "--groups", "groups.csv")
    assert result.stdout.splitlines()[-1] == "lonely,g0,3,1.0000"
    assert "10 items in 3 groups (1 without an edge)" in result.stderr


def test_files_and_summary() -> None:
    result = invoke("cluster", "edges.csv", "--out", "labels.csv", "--plot", "sweep.png")
    assert result.exit_code == 0
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 5
    assert re.fullmatch(r"9 items: 3 labels at alpha 0\.\d+", lines[0])
    assert lines[1] in set(spherelax.Status)
    assert lines[2] == "confidence: 1.00 on average, below 0.1 for 0 items"
    assert lines[3:] == ["labels: labels.csv", "sweep: sweep.png"]
    assert labels_in(Path("labels.csv").read_text()) == list("000111222")
    assert Path("sweep.png").read_bytes().startswith(b"\x89PNG")
    assert not [path for path in Path().iterdir() if path.suffix == ".part"]


def test_the_summary_tells_a_bound_that_might_bind() -> None:
    result = invoke("cluster", "edges.csv", "--max-clusters", "5", *POWER)
    assert result.stderr.splitlines()[0].endswith(" (max_clusters 5)")
    result = invoke("match", "edges.csv", "--groups", "groups.csv", "--max-universe", "4", *POWER)
    assert result.stderr.splitlines()[0].endswith(" (max_universe 4)")


def test_other_steps_of_the_path() -> None:
    fine = invoke("cluster", "edges.csv", "--alpha", "0.99", *POWER)
    assert labels_in(fine.stdout) == list("012345678")
    assert str(spherelax.Status.CHOSEN) in fine.stderr
    exact = invoke("cluster", "edges.csv", "--n-labels", "9", *POWER)
    assert exact.stdout == fine.stdout
    near = invoke("cluster", "edges.csv", "--n-labels", "10", *POWER)
    assert near.stdout == fine.stdout
    assert str(spherelax.Status.NEAREST) in near.stderr


def test_settings_reach_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {}

    def spy(*_: object, **settings: object) -> None:
        seen.clear()
        seen.update(settings)
        raise spherelax.InvalidInputError("enough")

    monkeypatch.setattr(spherelax, "solve", spy, raising=False)
    options = ("--alpha-step", "0.2", "--delta-margin", "1", "--kappa", "0.5", "--solver", "power")
    both = ("--n-inner", "7", "--eta-floor", "0", "--pick", "stability")
    invoke("cluster", "edges.csv", "--max-clusters", "8", *options, *both)
    shared = {"callback": None, "n_inner": 7, "eta_floor": 0.0, "pick": "stability"}
    assert seen == {
        "solver": "power", "max_universe": 8, "alpha_step": 0.2, "delta_margin": 1.0, "kappa": 0.5,
        **shared,
    }  # fmt: skip
    invoke("cluster", "w.npy", "--n-steps", "12", "--row-entries", "3", "--n-jobs", "1", *both)
    assert seen == {"n_steps": 12, "row_entries": 3, "n_jobs": 1, **shared}
    groups = ("--groups", "groups.csv")
    invoke("match", "edges.csv", *groups, "--max-universe", "5", "--solver", "power")
    assert seen == {"callback": None, "max_universe": 5, "solver": "power"}
    invoke("match", "edges.csv", *groups, "--pick", "2.5", "--solver", "coordinate")
    assert seen == {"callback": None, "pick": 2.5, "solver": "coordinate"}
    invoke("match", "edges.csv", *groups)
    assert seen == {"callback": None}


@pytest.mark.parametrize("command", [cli.cluster, cli.match])
def test_help_tells_the_defaults_of_solve(command: click.Command) -> None:
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(spherelax.solve).parameters.items()
    }
    assert defaults["pick"] is defaults["n_inner"] is defaults["n_steps"] is None
    assert defaults["row_entries"] is defaults["n_jobs"] is defaults["max_universe"] is None
    inner, pick = _solve.DEFAULT_INNER, _solve.DEFAULT_PICK
    many = f"from {coordinate_run.MANY} items"
    told = {
        "solver": defaults["solver"],
        "pick": f"{pick['coordinate']}, with power {pick['power']}",
        "n_inner": f"{inner['coordinate']}, with power {inner['power']}",
        "n_steps": f"{coordinate_run.STEPS}, {many} on one for each factor of two",
        "row_entries": f"{coordinate_run.ENTRIES}, {many} on {coordinate_run.ENTRIES_OF_MANY}",
        "n_jobs": "all processors",
        "max_universe": "a loose one",
        "max_clusters": "a loose one",
    }
    assert coordinate_run.RATIO_OF_MANY == 2
    settings = set(defaults) - {"similarity", "groups", "start", "scales", "callback"}
    options = {option.name: option for option in command.params}
    assert settings - {"max_universe"} == set(options) & settings - {"max_universe"}
    for name in set(options) & (settings | {"max_clusters"}):
        text = re.search(r"Default: (.*)\.$", options[name].help)[1]
        if name in told:
            assert text == told[name]
        else:
            assert float(text) == defaults[name], name
        assert options[name].default is None or type(options[name].default).__name__ == "Sentinel"


def test_choices_are_those_of_solve() -> None:
    assert tuple(cli.SOLVER.choices) == _solve.SOLVERS
    assert cli.SOLVER.choices[0] == inspect.signature(spherelax.solve).parameters["solver"].default
    assert tuple(cli.PICK.choices) == _solve.PICKS


def test_help_tells_which_solver_an_option_is_for() -> None:
    text = " ".join(invoke("cluster", "--help").stdout.split())
    for option in ("alpha-step FLOAT", "delta-margin FLOAT", "kappa FLOAT", "max-clusters INTEGER"):
        assert f"--{option} power only: " in text
    for option in ("n-steps", "row-entries", "n-jobs"):
        assert f"--{option} INTEGER coordinate only: " in text
    assert text.count(" only: ") == 7
    assert "--pick [description|eta|stability|interfaces|NUMBER]" in text


def test_help_shows_what_comes_out() -> None:
    text = invoke("cluster", "--help").stdout
    assert "\b" not in text
    table = re.search(r"labels\.csv\n(.*?)\.\.\.", text, re.DOTALL)[1].splitlines()[:3]
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


def test_version_and_bare_call() -> None:
    assert invoke("--version").stdout == f"spherelax {spherelax.__version__}\n"
    bare = invoke()
    assert bare.exit_code == 0
    assert "spherelax cluster edges.csv" in bare.stdout


FAULTS = {
    "cluster": "spherelax cluster: Missing argument 'FILE' (see spherelax cluster --help)",
    "match edges.csv": "Missing option '--groups'",
    "frobnicate": "spherelax: No such command 'frobnicate'",
    "--frobnicate": "No such option",
    "cluster edges.csv --frobnicate": "(see spherelax cluster --help)",
    "cluster edges.csv --groups groups.csv": "No such option",
    "cluster edges.csv more.csv": "unexpected extra argument",
    "cluster edges.csv --n-inner many": "'many' is not a valid integer",
    "cluster edges.csv --solver magic": "'magic' is not one of 'coordinate', 'power'",
    "cluster edges.csv --pick best": "'best' is not one of 'description', 'eta', 'stability'",
    "cluster edges.csv --pick 0": "--pick must be a finite number > 0; found 0.0",
    "cluster edges.csv --pick nan": "--pick must be a finite number > 0; found nan",
    "cluster edges.csv --n-steps 1": "--n-steps must be an integer >= 2; found 1",
    "cluster edges.csv --row-entries 1": "--row-entries must be an integer >= 2; found 1",
    "cluster edges.csv --n-jobs 0": "--n-jobs must be an integer >= 1; found 0",
    "cluster edges.csv --alpha-step 0.1": "cluster: --alpha-step needs --solver power (see",
    "cluster edges.csv --max-clusters 3": "cluster: --max-clusters needs --solver power (see",
    "match w.npy --groups groups.txt --max-universe 3": "--max-universe needs --solver power",
    "cluster edges.csv --solver power --n-jobs 2": "--n-jobs needs --solver coordinate",
    "cluster edges.csv --solver power --pick interfaces": "pick='interfaces' needs solver=",
    "match w.npy --groups groups.txt --pick interfaces": "pick='interfaces' is for points",
    "cluster edges.csv --solver power --alpha-step 0.7": "must be a number in (0, 0.5]; found 0.7",
    "cluster edges.csv --solver power --kappa nan": "must be a finite number >= 0; found nan",
    "cluster edges.csv --solver power --max-clusters 0": "--max-clusters must be an integer >= 1;",
    "cluster edges.csv --alpha 2": "--alpha must be a number in [0, 1]; found 2.0",
    "cluster edges.csv --alpha 0.5 --n-labels 2": "--alpha and --n-labels exclude each other",
    "cluster missing.csv": "missing.csv: No such file or directory",
    "cluster missing.npz": "missing.npz: No such file or directory",
    "cluster folder": "folder: must end in one of .npz, .npy, .mtx, .csv, .tsv, .txt",
    "cluster edges.parquet": "edges.parquet: must end in one of",
    "cluster empty.csv": "empty.csv: is empty",
    "cluster empty.npz": "empty.npz: not a readable .npz file",
    "cluster garbage.csv": "garbage.csv, row 1: must be text in UTF-8",
    "cluster garbage.npz": "garbage.npz: not a readable .npz file",
    "cluster truncated.npy": "truncated.npy: not a readable .npy file",
    "cluster truncated.npz": "truncated.npz: not a readable .npz file",
    "cluster pickle.npy": "pickle.npy: not a readable .npy file",
    "cluster objects.npy": "objects.npy: not a readable .npy file; Object arrays",
    "cluster other.npz": "found the arrays first, second",
    "cluster nan.npy": "nan.npy: similarity must be finite; found NaN",
    "cluster asymmetric.npy": "asymmetric.npy: similarity must be symmetric",
    "cluster negative.npy": "negative.npy: similarity must be non-negative",
    "cluster oblong.npy": "oblong.npy: similarity must be a square matrix; found shape (2, 9)",
    "cluster bad.csv": "spherelax: bad.csv, row 2: similarity must be a number; found 'abc'",
    "match w.npy --groups short.txt": "short.txt: must have one group per item, 9; found 2",
    "match w.npy --groups missing.txt": "missing.txt: No such file or directory",
    "match edges.csv --groups groups.txt": "groups.txt: the items of an edge table have names",
    "match w.npy --groups groups.txt --solver power --max-universe 2": "must be at least the size",
    "cluster edges.csv --out no/labels.csv": "no/labels.csv: there is no folder no",
    "cluster edges.csv --out folder": "folder: is a folder",
    "cluster edges.csv --out /proc/labels.csv": "/proc/labels.csv: cannot be written",
    "cluster edges.csv --out edges.csv": "edges.csv would be overwritten",
    "cluster edges.csv --plot no/sweep.png": "no/sweep.png: there is no folder no",
    "cluster edges.csv --plot sweep.xyz": "sweep.xyz: a picture must end in one of",
    "cluster edges.csv --plot sweep": "sweep: a picture must end in one of",
}


def assert_one_line(code: int, stdout: str, stderr: str, message: str) -> None:
    assert code == 2
    assert stdout == ""
    assert stderr.endswith("\n")
    assert len(stderr.splitlines()) == 1
    assert stderr.startswith("spherelax")
    assert message in stderr
    assert "Traceback" not in stderr


@pytest.mark.parametrize("arguments", FAULTS)
def test_faults_are_one_line_and_code_2(arguments: str, folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    result = invoke(*arguments.split())
    assert_one_line(result.exit_code, result.stdout, result.stderr, FAULTS[arguments])
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("arguments", ["cluster", "cluster bad.csv", "cluster garbage.npz"])
def test_faults_of_the_real_program(arguments: str) -> None:
    done = subprocess.run(
        [*PYTHON, *arguments.split()], capture_output=True, text=True, check=False
    )
    assert_one_line(done.returncode, done.stdout, done.stderr, FAULTS[arguments])


def test_targets_are_checked_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(io, "read_similarity", lambda _: pytest.fail("the work has started"))
    for option in ("--out no/labels.csv", "--plot no/sweep.png", "--plot sweep.xyz"):
        assert invoke("cluster", "edges.csv", *option.split()).exit_code == 2


def test_a_missing_matplotlib_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    result = invoke("cluster", "edges.csv", "--plot", "sweep.png")
    message = 'pip install "spherelax[plot]"'
    assert_one_line(result.exit_code, result.stdout, result.stderr, message)


def test_a_picture_that_fails_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_latex(*_: object, **__: object) -> None:
        raise RuntimeError("'xelatex' not found;\ninstall it")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", no_latex)
    result = invoke("cluster", "edges.csv", "--out", "labels.csv", "--plot", "s.pgf")
    message = "s.pgf: 'xelatex' not found; install it"
    assert_one_line(result.exit_code, result.stdout, result.stderr, message)
    assert Path("labels.csv").exists()


def test_too_little_memory_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr(spherelax, "solve", exhausted, raising=False)
    result = invoke("cluster", "edges.csv")
    message = "not enough memory; Unable to allocate 9 TiB"
    assert_one_line(result.exit_code, result.stdout, result.stderr, message)


def test_warnings_are_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    solve = spherelax.solve

    def warning(*arguments: object, **settings: object) -> spherelax.Result:
        warnings.warn("max_universe was limited", spherelax.SphereWarning, stacklevel=1)
        return solve(*arguments, **settings)

    monkeypatch.setattr(spherelax, "solve", warning, raising=False)
    Path("edges.csv").write_text("a,b,0\nc,d,0\n")
    stderr = invoke("cluster", "edges.csv").stderr
    assert stderr.count("warning: max_universe was limited\n") == 1
    assert stderr.count(spherelax.Status.ISOLATED) == 1
    assert "SphereWarning" not in stderr


def test_an_interruption_while_writing_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    write_bytes = Path.write_bytes

    def interrupted(self: Path, content: bytes) -> None:
        write_bytes(self, content[:10])
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    before = sorted(folder.rglob("*"))
    result = invoke("cluster", "edges.csv", "--out", "labels.csv")
    assert result.exit_code == 130
    assert result.stderr == "spherelax: interrupted\n"
    assert sorted(folder.rglob("*")) == before


def test_an_interruption_before_the_first_step_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(spherelax, "solve", interrupted, raising=False)
    before = sorted(folder.rglob("*"))
    result = invoke("cluster", "edges.csv", "--out", "labels.csv")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "spherelax: interrupted\n"
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("options", [(), ("--n-labels", "9")])
def test_an_interruption_during_the_sweep_leaves_the_labels_so_far(
    monkeypatch: pytest.MonkeyPatch, options: tuple[str]
) -> None:
    def interrupt(step: Step) -> None:
        if step.index == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "callback", property(lambda _: interrupt))
    result = invoke("cluster", "edges.csv", "--out", "labels.csv", *options, *POWER)
    assert (result.exit_code, result.stdout) == (130, "")
    assert labels_in(Path("labels.csv").read_text()) == list("012345678")
    lines = result.stderr.splitlines()
    assert len(lines) == 6
    assert lines[1] == (spherelax.Status.CHOSEN if options else spherelax.Status.INTERRUPTED)
    assert lines[5] == "spherelax: interrupted"


def run_on_terminal(*arguments: str, interrupt: bool = False) -> tuple[int, str, str]:
    """Run with standard error on a terminal, perhaps until the bar appears and Ctrl-C is hit."""
    controller, terminal = pty.openpty()
    with subprocess.Popen(
        [*PYTHON, *arguments], stdout=subprocess.PIPE, stderr=terminal, env=ENVIRONMENT, text=True
    ) as process:
        os.close(terminal)
        shown = bytearray()
        with contextlib.suppress(OSError):  # the other side has closed
            while chunk := os.read(controller, 4096):
                shown += chunk
                if interrupt and b"sweep" in shown:
                    process.send_signal(signal.SIGINT)
                    interrupt = False
        os.close(controller)
        stdout = process.stdout.read()
    return process.returncode, stdout, shown.decode()


@pytest.mark.parametrize("options", [(), POWER])
def test_a_progress_bar_on_a_terminal_and_none_in_a_pipe(options: tuple[str]) -> None:
    arguments = ("cluster", "w.npz", *options)
    code, stdout, stderr = run_on_terminal(*arguments)
    assert code == 0
    assert re.search(r"sweep .*100%", stderr)
    assert labels_in(stdout) == list("000111222")
    piped = subprocess.run(
        [*PYTHON, *arguments], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    assert piped.stdout == stdout
    assert "%" not in piped.stderr
    assert len(piped.stderr.splitlines()) == 5


class Terminal(StringIO):
    """A terminal that remembers what it showed."""

    def isatty(self) -> bool:
        return True


def shown_after(
    monkeypatch: pytest.MonkeyPatch, *sweeps: range, n_steps: int = 10, whole: bool = True
) -> list[list[str]]:
    """Return the percentages that each line of the terminal showed one after the other."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress() as progress:
        for steps in sweeps:
            for index in steps:
                progress.callback(Step(index, n_steps, 0.5, 0.0, 0.0, 1))
        if whole:
            progress.complete()
    return [re.findall(r"(\d+)%", line) for line in terminal.getvalue().split("\n") if "%" in line]


def test_the_bar_follows_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    (percentages,) = shown_after(monkeypatch, range(10))
    assert list(dict.fromkeys(percentages)) == [str(10 * n) for n in range(11)]


def test_the_bar_is_filled_when_a_sweep_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    (percentages,) = shown_after(monkeypatch, range(3))
    assert list(dict.fromkeys(percentages)) == ["0", "10", "20", "30", "100"]


def test_the_bar_stops_where_a_sweep_was_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    (percentages,) = shown_after(monkeypatch, range(3), whole=False)
    assert percentages[-1] == "30"


def test_a_second_sweep_has_a_bar_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = shown_after(monkeypatch, range(10), range(5))
    assert first[-1] == second[-1] == "100"
    assert list(dict.fromkeys(second)) == ["0", "10", "20", "30", "40", "50", "100"]


def test_a_fault_on_a_terminal_is_one_line_without_a_bar() -> None:
    arguments = ("match", "w.npy", "--groups", "groups.txt", "--pick", "interfaces")
    code, stdout, stderr = run_on_terminal(*arguments)
    assert_one_line(code, stdout, stderr.replace("\r\n", "\n"), "pick='interfaces' is for points")


@pytest.mark.parametrize("solver", _solve.SOLVERS)
def test_control_c(solver: str) -> None:
    noise = np.random.default_rng(0).random((400, 400))
    np.save("noise.npy", noise + noise.T)
    options = ("--solver", solver, "--n-inner", "500", "--out", "labels.csv")
    code, stdout, stderr = run_on_terminal("cluster", "noise.npy", *options, interrupt=True)
    assert code == 130
    assert stdout == ""
    assert spherelax.Status.INTERRUPTED in stderr
    assert stderr.endswith("\r\nspherelax: interrupted\r\n")
    assert "Traceback" not in stderr
    assert len(labels_in(Path("labels.csv").read_text())) == 400


def test_a_closed_pipe_is_no_fault() -> None:
    Path("many.csv").write_text("".join(f"item-{i},item-{i},1\n" for i in range(20_000)))
    command = f"{' '.join(PYTHON)} cluster many.csv | head -n 1"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False, env=ENVIRONMENT
    )
    assert done.stdout == "item,label,confidence\n"
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys; sys.argv = ['spherelax', 'match', '--help']\n"
        "from spherelax.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'numba', 'scipy', 'sklearn', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "--groups" in done.stdout


def test_the_installed_program_and_the_module_are_the_same() -> None:
    program = Path(sys.executable).with_name("spherelax")
    if not program.exists():
        pytest.skip(f"{program} is not installed")
    outputs = [
        subprocess.run([*start, "--help"], capture_output=True, text=True, check=True).stdout
        for start in ([program], PYTHON)
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].startswith("Usage: spherelax [OPTIONS]")


def test_football_conferences(data_home: Path) -> None:
    graphs = data_home / "graphs"
    done = subprocess.run(
        [*PYTHON, "cluster", graphs / "football_edges.csv"],
        capture_output=True, text=True, check=True, env=ENVIRONMENT,
    )  # fmt: skip
    found = {row["item"]: row["label"] for row in csv.DictReader(done.stdout.splitlines())}
    with (graphs / "football_labels.csv").open(newline="") as file:
        truth = {row["node"]: row["label"] for row in csv.DictReader(file)}
    assert found.keys() == truth.keys()
    scores = pairwise_scores(list(truth.values()), [found[node] for node in truth])
    assert scores.f_score > 0.7
