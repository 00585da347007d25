"""Every block of every page runs, and prints what is printed; README's also in fresh programs.

After an intended change, ``python tests/test_pages.py`` prints the output of commands again.
"""

import contextlib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import click
import pytest
from support.pages import Page, read_blocks, run_commands, shell

from spherelax import cli

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


# Of README, which is pasted in a checkout: `make demo` sets nothing up again, `make test` only says
# what it would do.
MAKE = """#!/bin/sh
[ "$1" = test ] && dry=-n
exec {make} -o .venv/.ready -o .venv/.ready-dev $dry "$@"
"""


@pytest.fixture
def checkout(tmp_path):
    """A folder that looks like a checkout after it was set up."""
    for name in ("Makefile", "pyproject.toml", "examples", "src", "README.md"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    return tmp_path


@pytest.mark.skipif(sys.platform == "win32", reason="blocks for sh")
def test_readme_can_be_pasted_block_by_block(checkout, tmp_path_factory):
    programs = tmp_path_factory.mktemp("programs")
    (programs / "make").write_text(MAKE.format(make=shutil.which("make")))
    (programs / "make").chmod(0o755)
    blocks = read_blocks(README.read_text())
    assert {block.kind for block in blocks} == {"sh", "python"}
    for block in blocks:
        assert block.excuse is None
        code = block.code
        if block.kind == "python":
            (programs / "block.py").write_text(code)
            code = f"python {programs / 'block.py'}"
        status, lines = shell(f"PATH={programs}:$PATH\n{code}", checkout)
        assert status == 0, "\n".join([f"README.md, line {block.line}", *lines])
        for name in re.findall(r"[\w/-]+\.(?:csv|html|db|h5ad)\b", block.code):
            assert (checkout / name).stat().st_size > 0


def test_readme_has_the_pictures_and_pages_that_it_names():
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", README.read_text()):
        assert (ROOT / target).exists(), target


@pytest.mark.filterwarnings("ignore:The set_bad:PendingDeprecationWarning")  # of scanpy's plots
@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_page_is_true(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Page(page, tmp_path, {"real": real}).run() == page.read_text()


def test_each_section_of_the_quick_start_runs_by_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sections = (ROOT / "docs" / "quickstart.md").read_text().split("\n## ")[1:]
    assert len(sections) == 4
    for section in sections:
        Path("section.md").write_text(section)
        Page(Path("section.md"), tmp_path, {}).run()


def test_the_pages_name_every_option_and_every_choice():
    text = "\n".join(page.read_text() for page in PAGES)
    table = next(page for page in PAGES if page.name == "command_line.md").read_text()
    for name, command in cli.main.commands.items():
        for option in command.params:
            for flag in option.opts if isinstance(option, click.Option) else ():
                assert re.search(rf"{flag}\b", text), (name, flag)
            if name in {"match", "cluster"} and isinstance(option.type, click.Choice):
                assert f"`{option.opts[0]}" in table
                assert all(f"`{choice}`" in table for choice in option.type.choices), option.name


@pytest.mark.parametrize(
    ("shown", "code", "message"),
    [
        ("$ echo 0.50\n0.51\n", "$ echo 0.50\n0.51\n", None),
        ("$ echo 12 0.50\n13 0.50\n", "$ echo 12 0.50\n12 0.50\n", None),
        ("$ seq 9\n1\n...\n8\n", "$ seq 9\n1\n...\n9\n", None),
        ("$ cat new\na\n$ wc -c < new\n2\n", "$ cat new\na\n$ wc -c < new\n2\n", None),
        ("$ exit 3\n", None, "ended with 3"),
        ("$ echo 'spherelax: no'\nspherelax: no\n", None, "ended with 0"),
        ("echo\n", None, "begins with"),
    ],
)
def test_commands_are_compared_and_printed_again(shown, code, message, tmp_path):
    if message is None:
        assert run_commands(shown, "here", tmp_path) == code
    else:
        with pytest.raises(AssertionError, match=message):
            run_commands(shown, "here", tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "```python\n>>> 1 + 1\n3\n```\n",
        "```python\nraise AssertionError\n```\n",
        "```sh\nexit 1\n```\n",
        "```text\n$ echo\n```\n",
    ],
)
def test_a_false_page_is_noticed(text, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(AssertionError):
        Page(page, tmp_path, {}).run()


def print_again() -> None:
    """Print the output of every page's commands again."""
    for page in PAGES:
        with (
            contextlib.suppress(pytest.skip.Exception),
            tempfile.TemporaryDirectory() as folder,
            contextlib.chdir(folder),
        ):
            page.write_text(Page(page, Path(folder), {"real": real}).run())


if __name__ == "__main__":
    print_again()
