"""Messages stay short and on one line, whatever they quote."""

import pickle

import numpy as np
import pytest
from support.program import invoke

import spherelax as sl
from spherelax.errors import LONGEST, brief, shown


def test_the_ends_of_a_long_message_are_kept():
    path = "folder/" * 1000
    said = str(sl.InvalidInputError(f"{path}labels.csv, row 7: must be a number; found 'x'"))
    assert said.startswith("folder/folder/")
    assert said.endswith("labels.csv, row 7: must be a number; found 'x'")
    assert len(said) == LONGEST


def test_control_characters_are_written_out():
    assert brief("a\x1b[2Jb\nc\x00") == r"a\x1b[2Jb c\x00"


def test_errors_can_be_pickled():
    error = sl.InvalidInputError("x" * 1000)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_values_are_shortened():
    for value in (10**5000, -(10**400), "x" * 10**6, list(range(10**5)), b"\0" * 99):
        assert len(shown(value)) < 60


@pytest.mark.parametrize(
    "work",
    [
        lambda: sl.solve(np.eye(3), pick=10**5000),
        lambda: sl.solve(np.eye(3), n_jobs=-(10**5000)),
        lambda: sl.solve(np.eye(3), pick="x" * 10**6),
        lambda: sl.solve(np.eye(3), solver="x" * 10**6),
        lambda: sl.solve(np.eye(3), ["x" * 10**6, ["y" * 10**6], 3]),
        lambda: sl.solve(np.eye(3), kind="x" * 10**6),
        lambda: sl.Coordinate(n_inner=10**5000),
        lambda: sl.io.read("x" * 10**4 + ".csv"),
    ],
)
def test_messages_are_short(work):
    with pytest.raises(sl.InvalidInputError) as caught:
        work()
    assert len(str(caught.value)) <= LONGEST


def test_large_numbers_are_as_good_as_the_largest_useful_ones():
    W = np.kron(np.eye(2), np.ones((3, 3)))
    assert sl.solve(W, n_jobs=10**400).n_labels == 2
    result = sl.solve(W, pick=10**300)
    assert np.isfinite(result.resolution)
    assert result.n_labels == 6
    with pytest.warns(sl.SphereWarning, match=r"No step has 10+\.\.\. labels") as caught:
        assert result.with_n_labels(10**400).status == sl.Status.NEAREST
    assert len(str(caught[0].message)) <= LONGEST
    assert result.with_n_labels(6).status == sl.Status.CHOSEN


def test_the_command_line_is_brief_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wide = ",".join(f"a_long_name_of_column_{n}" for n in range(1500))
    (tmp_path / "wide.csv").write_text(f"{wide}\n{wide}\n")
    for arguments in (
        ("cluster", "x" * 5000 + ".csv"),
        ("cluster", "wide.csv"),
        ("match", "wide.csv"),
        ("cluster", "edges.csv", "--n-inner", "9" * 5000),
        ("cluster", "edges.csv", "--n-inner", "9" * 400),
        ("cluster", "edges.csv", "--pick", "9" * 5000),
        ("cluster", "edges.csv", "--n-labels", "-" + "9" * 400),
        ("x" * 5000,),
    ):
        done = invoke(*arguments)
        assert done.exit_code == 2
        assert len(done.stderr.splitlines()) == 1
        assert len(done.stderr) <= LONGEST + 1
