"""docs/architecture.md names every module of the rooms, in the row of its room."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "spherelax"
MAP = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## Four roads")[0]
ROOMS = [
    path
    for package in ("coordinate", "io")
    for path in (SOURCE / package).iterdir()
    if (path / "__init__.py").exists()
]


def modules(folder):
    """Names of the modules in a folder."""
    return {path.stem for path in folder.glob("*.py")} - {"__init__"}


@pytest.mark.parametrize("folder", ROOMS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_a_room_has_a_row_with_its_modules(folder):
    (row,) = (line for line in MAP.splitlines() if line.startswith(f"| `{folder.name}/` |"))
    assert {name for name in modules(folder) if f"`{name}`" not in row} == set()


@pytest.mark.parametrize(
    ("package", "section"),
    [("coordinate", "## The rooms of the default engine"), ("io", "## The rooms of `io/`")],
)
def test_the_modules_outside_rooms_are_named(package, section):
    text = MAP.partition(section)[2].partition("\n## ")[0]
    assert {name for name in modules(SOURCE / package) if f"`{name}`" not in text} == set()
