"""Files to write: refused before the work, and named if they fail."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.program import assert_one_line, invoke

from spherelax import io


def test_targets_are_checked_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(io, "read", lambda *_, **__: pytest.fail("the work has started"))
    options = ("--out no/l.csv", "--out l.xyz", "--plot no/s.png", "--plot s.xyz", "--report r.pdf")
    for option in options:
        assert invoke("cluster", "edges.csv", *option.split()).exit_code == 2
    assert invoke("path", "edges.csv", "--out", "no/steps.csv").exit_code == 2
    assert invoke("report", "edges.csv", "--out", "no/report.html").exit_code == 2


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


@pytest.mark.parametrize("arguments", ["match", "info", "--version", "match --help"])
@pytest.mark.parametrize(
    ("stream", "said"), [("&-", "standard output is closed"), ("/dev/full", "No space left")]
)
def test_a_standard_output_that_takes_nothing_is_an_error(
    tmp_path: Path, arguments: str, stream: str, said: str
) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("id_a,id_b,score\na,b,0.9\n")
    file = "" if arguments.startswith("-") else shlex.quote(str(pairs))
    command = f"{shlex.quote(sys.executable)} -m spherelax {arguments} {file} >{stream}"
    found = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert_one_line(found.returncode, found.stdout, found.stderr, said)


@pytest.mark.parametrize(
    "arguments",
    [
        ("cluster", "loop.csv"),
        ("info", "loop.csv"),
        ("cluster", "edges.csv", "--out", "loop.csv"),
        ("cluster", "edges.csv", "--out", "labels.csv", "--report", "loop.html"),
        ("scale", "edges.csv", "--out", "loop"),
    ],
)
def test_links_that_lead_in_a_circle_are_one_line(arguments: tuple[str, ...]) -> None:
    pytest.importorskip("duckdb")
    for ending in ("", ".csv", ".html"):
        Path(f"loop{ending}").symlink_to(f"back{ending}")
        Path(f"back{ending}").symlink_to(f"loop{ending}")
    result = invoke(*arguments)
    assert_one_line(result.exit_code, result.stdout, result.stderr, "link")
