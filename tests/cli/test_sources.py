"""Files to read: standard input and pipes are files too."""

import subprocess
from pathlib import Path

import pytest
from support.program import ENVIRONMENT, PYTHON, assert_one_line, invoke, labels_in, run

from spherelax import io


def test_faults_on_standard_input_name_it() -> None:
    for content, message in {
        b"": "standard input: must hold an edge table; found an empty file",
        b"a,b,1\nb,c\n": "standard input, row 2: the number of columns of an edge table must be 3",
        b"\xff\xfe": "standard input, row 1: must be text in UTF-8; found byte 0xff",
        Path("truncated.db").read_bytes(): "standard input: must have whole pages",
        Path("truncated.npz").read_bytes(): "standard input: not a readable .npz file",
    }.items():
        result = invoke("cluster", "-", stdin=content)
        assert_one_line(result.exit_code, result.stdout, result.stderr, message)


@pytest.mark.parametrize(
    "file", ["edges.csv", "w.npy", "w.npz", "w.mtx", "pairs.csv", "w.db", "points.csv"]
)
def test_standard_input_is_known_by_its_content(file: str) -> None:
    piped = invoke("cluster", "-", stdin=Path(file).read_bytes())
    assert piped.exit_code == 0
    assert piped.stdout == invoke("cluster", file).stdout


@pytest.mark.parametrize("file", ["edges.csv", "w.npz", "points.csv"])
def test_endings_that_say_nothing(file: str) -> None:
    Path("file.dat").write_bytes(Path(file).read_bytes())
    assert invoke("cluster", "file.dat").stdout == invoke("cluster", file).stdout


@pytest.mark.slow
def test_pipes_are_files_too() -> None:
    command = f"{' '.join(PYTHON)} match <(cat edges.csv) --groups <(cat groups.csv)"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    assert done.stdout == invoke("match", "edges.csv", "--groups", "groups.csv").stdout


@pytest.mark.slow
def test_the_real_program_reads_and_writes_pipes() -> None:
    content = Path("w.db").read_bytes()
    code, stdout, _ = run("match", "-", "--write-database", "new.db", "--out", "-", stdin=content)
    assert code == 0
    assert labels_in(stdout, "track") == list("000111222")
    assert len(io.read_colmap("new.db").ids) == 9
