"""The options of all commands: what they take and what they say, and nothing heavy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from spherelax.settings import SOLVERS, Coordinate

STANDARD = Path("-")  # standard input or output

Command = TypeVar("Command", bound=Callable[..., None])


class Choice(click.Choice[str]):
    """One of several names, or a number where that is allowed too."""

    def __init__(self, *names: str, or_number: bool = False) -> None:
        super().__init__(names)
        self.or_number = or_number

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the number, or the name if it is one of them."""
        if self.or_number:
            with suppress(ValueError):
                return float(value)
        return super().convert(value, param, ctx)

    def get_metavar(self, param: Any, ctx: Any) -> str | None:
        """Show what may be given."""
        names = super().get_metavar(param, ctx)
        return names.replace("]", "|NUMBER]") if names and self.or_number else names


class Names(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """Several names with commas between them."""

    name = "NAME,..."

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ARG002 (click's signature)
        """Return the names; none for an empty text."""
        return [name.strip() for name in value.split(",") if name.strip()]


class Option(NamedTuple):
    """What an option takes and what it says.

    ``argument`` is what the option is called in Python, where it cannot be called as it is.
    """

    kind: Any
    text: str
    argument: str | None = None


FILE = click.Path(path_type=Path)
KINDS = ("matrix", "edges", "pairs", "colmap", "h5ad", "points")

GROUPS = {"--groups": Option(FILE, "The image, source, ... of each item, if FILE has none.")}
AS_TEXT = "What FILE is. Default: by its content and ending."
AS_ANY = {"--as": Option(Choice(*KINDS), AS_TEXT, argument="kind")}
AS_GROUPED = {"--as": Option(Choice(*KINDS[:-1]), AS_TEXT, argument="kind")}
READING = {
    "--columns": Option(Names(), "pairs: columns of source,id,source,id,score or of id,id,score."),
    "--table": Option(
        Choice("two_view_geometries", "matches"),
        "colmap: table of the matches. Default: the verified ones, if there are any.",
    ),
}
DUPLICATE_FREE = {
    "--duplicate-free": Option(
        Names(),
        "pairs: sources that hold each thing once. Default: those without pairs of their own.",
    )
}
JSON = {
    "--json": Option(bool, "A summary as JSON on standard output, for scripts.", argument="as_json")
}
WRITING = {
    "--out": Option(
        FILE,
        "Where the labels go: .csv, .tsv, .parquet, .json (summary), .npz (whole result), .h5ad "
        "(copy of such a FILE). Default: -, standard output as CSV.",
    ),
    **JSON,
    "--report": Option(FILE, "Where a page about the answer goes: .html."),
    "--plot": Option(FILE, "Where a picture of the sweep goes: .png, .svg, .pdf, ..."),
}
IMAGES = {"--images": Option(FILE, "Folder of the images of a database, for the report.")}
DATABASE = {
    "--write-database": Option(FILE, "colmap: where a copy with the matches in tracks goes: .db."),
    "--add-missing": Option(bool, "colmap: add matches that follow from tracks to that copy."),
}
# What is not given is not passed on: the defaults are those of `solve`, told here in words.
STEP = {
    "--n-labels": Option(int, "Take the step of the sweep with this number of labels."),
}


def _solver_settings() -> dict[str, Option]:
    """Make an option of every setting of a solver, with the solver that has it and the default."""
    owners: dict[str, list[str]] = {}
    found: dict[str, Any] = {}
    for solver in SOLVERS.values():
        for setting in fields(solver):
            owners.setdefault(setting.name, []).append(solver.name)
            found.setdefault(setting.name, setting)
    options = {}
    for name, setting in found.items():
        text = str(setting.metadata["text"])
        if len(owners[name]) < len(SOLVERS):
            text = f"{owners[name][0]} only: {text}"
        defaults = {getattr(SOLVERS[owner](), name): owner for owner in owners[name]}
        if None not in defaults:
            told = [f"{value:g}" for value in defaults]
            others = [f"with {owner} {value:g}" for value, owner in [*defaults.items()][1:]]
            text += f" Default: {', '.join([told[0], *others])}."
        kind = int if setting.metadata["legal"].integer else float
        options[spelled(name)] = Option(kind, text)
    return options


def spelled(name: str) -> str:
    """Return how an argument of Python is written on the command line."""
    return f"--{name.replace('_', '-')}"


DEFAULTS = [solver.picks[0] for solver in SOLVERS.values()]
PICK_TEXT = (
    "Which step the labels come from: by a rule, or by its resolution, where more is finer. "
    f"Default: {DEFAULTS[0]}, with power {DEFAULTS[1]}"
)
VALLEYS = Coordinate.picks[-1]  # between points, which have no groups
SOLVING = {
    "--solver": Option(
        Choice(*SOLVERS), "How to sweep; power is the paper's method. Default: coordinate."
    ),
    "--pick": Option(
        Choice(*Coordinate.picks, or_number=True), f"{PICK_TEXT}, for points {VALLEYS}."
    ),
    "--n-jobs": Option(int, "Number of threads. Default: all processors."),
    **_solver_settings(),
}
PICK_GROUPED = {"--pick": Option(Choice(*Coordinate.picks[:-1], or_number=True), f"{PICK_TEXT}.")}


def with_options(*tables: Mapping[str, Option]) -> Callable[[Command], Command]:
    """Give a command the argument FILE and the options of several tables."""

    def decorate(command: Command) -> Command:
        options = {name: option for table in tables for name, option in table.items()}
        for name, option in reversed(options.items()):
            names = (name, option.argument) if option.argument else (name,)
            kind = {"is_flag": True} if option.kind is bool else {"type": option.kind}
            command = click.option(*names, **kind, help=option.text)(command)
        return click.argument("file", type=FILE)(command)

    return decorate


def taken(given: dict[str, Any], *tables: Mapping[str, Option]) -> dict[str, Any]:
    """Take what was given for the options of some tables out of all that was given."""
    names = [
        option.argument or name.removeprefix("--").replace("-", "_")
        for table in tables
        for name, option in table.items()
    ]
    return {name: given.pop(name) for name in names if name in given}
