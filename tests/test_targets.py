"""Files that are written: whole or not at all."""

import os
import stat
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
