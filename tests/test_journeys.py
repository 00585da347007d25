"""The pages of the journeys begin with a command, three rows in and three rows out: all true."""

import re
from pathlib import Path

import pytest
from support.program import invoke

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = ("photographs.md", "records.md", "graphs.md")
OPENING = re.compile(
    r"# [^\n]+\n\n```console\n\$ (?P<command>[^\n]+)\n(?P<said>[^\n]+)\n```\n\n\*\*In\*\*: .*?"
    r"```text\n(?P<given>.*?)```\n\n\*\*Out\*\*: .*?```text\n(?P<found>.*?)```",
    re.DOTALL,
)
EXAMPLE = re.compile(r">>> _ = Path\(\"(\S+)\"\)\.write_text\(\"{3}\\\n(.*?)\"{3}\)", re.DOTALL)


def opening(page):
    """The first command of a page, what it says, three rows in and three rows out."""
    found = OPENING.match((DOCS / page).read_text()).groupdict()
    assert len(found["found"].splitlines()) == 4  # with the names of the columns
    assert len(found["given"].splitlines()) in (3, 4)
    return found


def assert_same(table, shown):
    """Check that a table begins as it is shown; a confidence may differ a little."""
    found, expected = (
        [line.rpartition(",") for line in text.splitlines()[:4]] for text in (table, shown)
    )
    assert [row for row, *_ in found] == [row for row, *_ in expected]
    assert found[0] == expected[0]
    for (*_, mine), (*_, theirs) in zip(found[1:], expected[1:], strict=True):
        assert float(mine) == pytest.approx(float(theirs), abs=0.05)


@pytest.mark.parametrize("page", ["records.md", "graphs.md"])
def test_the_opening_of_a_page_is_true(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = opening(page)
    file, target = re.search(r"(\S+\.csv) --out (\S+)", shown["command"]).groups()
    example = EXAMPLE.search((DOCS / page).read_text())
    content = shown["given"]
    if example is not None and example[1] == file:
        content = example[2].replace("... ", "")
        assert content.startswith(shown["given"])
    Path(file).write_text(content)
    done = invoke(*shown["command"].split()[1:])
    assert done.exit_code == 0
    assert done.stderr.splitlines()[0] == shown["said"]
    assert_same(Path(target).read_text(), shown["found"])


def test_the_opening_on_photographs_is_true(data_home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = opening("photographs.md")
    castle = data_home / "sfm/sceaux_castle"
    arguments = shown["command"].split()[1:]
    arguments[arguments.index("database.db")] = str(castle / "database.db")
    done = invoke(*arguments)
    assert done.stderr.splitlines()[0] == shown["said"]
    assert_same(Path("tracks.csv").read_text(), shown["found"])


def test_the_first_page_opens_with_a_picture_and_one_line_to_install():
    page = (DOCS / "index.md").read_text()
    picture = re.match(r"# spherelax\n\n\*\*[^\n]*\*\*\n\n!\[[^\]]+\]\((\S+)\)\n\n```console", page)
    assert (DOCS / picture[1]).stat().st_size > 10_000
    assert page[picture.end() :].startswith("\n$ pip install")
    for name in (*PAGES, "cells.md"):
        assert f"[]({name})" in page
