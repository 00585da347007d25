"""Files that are written: whole or not at all."""

import os
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from spherelax import InvalidInputError, io


def test_a_file_is_replaced_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("old")
    io.replace_file(path, b"new")
    assert path.read_text() == "new"
    write_bytes = Path.write_bytes

    def interrupted(self: Path, content: bytes) -> None:
        write_bytes(self, content[: len(content) // 2])
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    for target in (path, tmp_path / "other.csv"):
        with pytest.raises(KeyboardInterrupt):
            io.replace_file(target, b"newer")
    assert [entry.name for entry in tmp_path.iterdir()] == ["labels.csv"]
    assert path.read_text() == "new"


@pytest.mark.skipif(os.name != "posix", reason="needs pipes, links and devices of POSIX")
def test_links_are_followed_and_devices_stay_devices(tmp_path: Path) -> None:
    real = tmp_path / "real.csv"
    real.write_text("old")
    link = tmp_path / "link.csv"
    link.symlink_to(real)
    io.check_target(link)
    io.replace_file(link, b"new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    null = Path("/dev/null")
    io.check_target(null)
    io.replace_file(null, b"new")
    assert stat.S_ISCHR(null.stat().st_mode)


def test_targets_are_checked_without_leaving_a_trace(tmp_path: Path) -> None:
    io.check_target(tmp_path / "labels.csv")
    assert list(tmp_path.iterdir()) == []
    nowhere = [Path("/proc/labels.csv")] if Path("/proc").exists() else []
    for bad in (tmp_path, tmp_path / "no" / "labels.csv", *nowhere):
        with pytest.raises(InvalidInputError, match=str(bad)):
            io.check_target(bad)


WRITER = """
import os, sys
from pathlib import Path
from spherelax.io.files.writing import drafted
with drafted(sys.argv[1]) as draft:
    draft.write_bytes(b"half")
    sys.stdout.write("writing\\n")
    sys.stdout.flush()
    sys.stdin.read()
"""


def writer(path: Path) -> subprocess.Popen[str]:
    """Start a process that writes a file and does not end."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


@pytest.mark.skipif(os.name != "posix", reason="needs locks of POSIX")
def test_what_a_killed_run_left_is_removed_and_what_is_written_is_not(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    unlike = tmp_path / ".labels.csv.notes.part"
    unlike.mkdir()
    with writer(path) as living, writer(path) as killed:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert len(list(tmp_path.iterdir())) == 3
        io.replace_file(path, b"whole")
        assert len(list(tmp_path.iterdir())) == 3  # the killed one's folder is gone
        living.communicate("")
    assert sorted(tmp_path.iterdir()) == [unlike, path]
    assert path.read_bytes() == b"half"


def test_threads_that_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"

    def write(number: int) -> None:
        io.check_target(path)
        io.replace_file(path, b"%d" % number * 1000)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(200)))
    assert path.stat().st_size >= 1000
    assert list(tmp_path.iterdir()) == [path]


def test_a_long_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / f"{'é' * 120}.csv"
    io.check_target(path)
    io.replace_file(path, b"labels")
    assert list(tmp_path.iterdir()) == [path]


def test_a_zero_byte_in_a_name_is_refused() -> None:
    for work in (
        lambda path: io.replace_file(path, b""),
        io.check_target,
        io.read,
        io.read_colmap,
        io.read_h5ad,
        io.load_result,
    ):
        with pytest.raises(InvalidInputError):
            work("a\0b.h5ad")


def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("old")
    path.chmod(0o600)
    io.replace_file(path, b"new")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o600)


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.symlink_to(other)
    other.symlink_to(one)
    for write in (io.check_target, lambda path: io.replace_file(path, b"")):
        with pytest.raises(InvalidInputError, match="links lead in a circle"):
            write(one)


def test_a_pipe_in_the_place_of_a_draft_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    pipe = tmp_path / ".labels.csv.abcdefgh.part"
    os.mkfifo(pipe)
    io.replace_file(path, b"new")
    assert path.read_text() == "new"
    assert pipe.is_fifo()
