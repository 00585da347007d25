"""Every block of every page runs, and prints what is printed; README's also in fresh programs.

After an intended change, ``python tests/test_pages.py`` prints the output of commands again.
"""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from support.pages import ENVIRONMENT, Page, are_like, read_blocks, run_commands, shell

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("SPHERELAX_DATA", ROOT.parent / "shared" / "data"))
BUILT = {"_build", "gallery", "generated"}
PAGES = [
    path
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if not BUILT.intersection(path.relative_to(ROOT).parts)
]
README = ROOT / "README.md"


def real(name, to):
    """Copy a file or a folder of the real data, which are not part of the project."""
    if not DATA.is_dir():
        pytest.skip(f"real data not found at {DATA}; set SPHERELAX_DATA to its folder")
    copy = shutil.copytree if (DATA / name).is_dir() else shutil.copy
    copy(DATA / name, to)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_page_is_true(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Page(page, tmp_path, {"real": real}).run() == page.read_text()


def print_again() -> None:
    """Print the output of every page's commands again."""
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            with contextlib.suppress(pytest.skip.Exception):
                page.write_text(Page(page, Path(folder), {"real": real}).run())


if __name__ == "__main__":
    print_again()
