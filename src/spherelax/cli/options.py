"""The options of all commands: their types and help texts. NumPy is not imported here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from spherelax.settings import ONE_PER_GROUP, SOLVERS, Coordinate

STANDARD = Path("-")  # standard input or output

# Values of options by the names of their Python arguments.
Given = dict[str, Any]
Command = TypeVar("Command", bound=Callable[..., None])


class Choice(click.Choice[str]):
    """One of several names; with ``or_number`` also any number."""

    def __init__(self, *names: str, or_number: bool = False) -> None:
        super().__init__(names)
        self.or_number = or_number

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number or the name; refuse other names."""
        if self.or_number:
            with suppress(ValueError):
                return float(value)
        return super().convert(value, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """Return the allowed values as the help shows them."""
        names = super().get_metavar(param, ctx)
        return names.replace("]", "|NUMBER]") if names and self.or_number else names


class Names(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """Several names, separated by commas."""

    name = "NAME,..."

    def convert(
        self,
        value: str,
        param: click.Parameter | None,  # noqa: ARG002 (click's signature)
        ctx: click.Context | None,  # noqa: ARG002
    ) -> list[str]:
        """Return the names as a list; an empty text gives an empty list."""
        return [name.strip() for name in value.split(",") if name.strip()]


class Option(NamedTuple):
    """An option: its type and its help text.

    ``argument`` is the name of the Python argument, if that differs from the name of the option.
    ``is_repeated``: the option may be given several times; its value is a list, or None.
    """

    kind: Any
    text: str
    argument: str | None = None
    is_repeated: bool = False


FILE = click.Path(path_type=Path)
KINDS = ("matrix", "edges", "pairs", "colmap", "hloc", "h5ad", "points")

GROUPS = {"--groups": Option(FILE, "File of the group of each item, if FILE has no groups.")}
AS_TEXT = "Kind of FILE. Default: found from its content and ending."
AS_ANY = {"--as": Option(Choice(*KINDS), AS_TEXT)}
AS_GROUPED = {"--as": Option(Choice(*KINDS[:-1]), AS_TEXT)}
READING = {
    "--kind": Option(
        Choice("graph", "neighbors", "pairs", "odds", "information"),
        "What the similarities are. graph: items without one are not alike. neighbors: each item "
        "is joined to its nearest others. pairs: scores of candidates, whose worth is learnt. "
        "odds: natural log odds, which may be negative. information: -log(1 - p) of a probability "
        "p. Default: graph for edges and points, neighbors for h5ad, information for splink's "
        "columns, else found from the similarities.",
    ),
    "--columns": Option(
        Names(),
        "pairs: names of the columns source,id,source,id,score or id,id,score. With --as points: "
        "names of the features; other columns are left out.",
    ),
    "--records": Option(
        FILE,
        "pairs: table of all records, so that those without a pair come back too; several times "
        "for several tables. Columns: source,id or splink's.",
        is_repeated=True,
    ),
    "--table": Option(
        Choice("two_view_geometries", "matches"),
        "colmap: table of the matches. Default: two_view_geometries (verified), if it has any.",
    ),
    "--features": Option(FILE, "hloc: file of the keypoints whose matches FILE holds: .h5."),
}
DUPLICATE_FREE = {
    "--duplicate-free-sources": Option(
        Names(),
        "pairs: sources that list each thing once. Default: those with no pair inside the source.",
    )
}
GROUPS_HOLD = {
    "--one-per-group": Option(
        Choice(*ONE_PER_GROUP),
        "Whether a group holds each thing once. unless_copies: items of a group that clearly holds "
        "copies may share a label. Default: always.",
    )
}
JSON = {
    "--json": Option(bool, "A summary as JSON on standard output, for scripts.", argument="as_json")
}
VERBOSE = {
    "--verbose": Option(
        bool, "Also say what only readers of the method's pages need: resolution, alpha, steps."
    )
}
WRITING = {
    "--out": Option(
        FILE,
        "File of the labels: .csv, .tsv, .parquet, .json (summary), .npz (whole result), .h5ad "
        "(copy of FILE, if that is .h5ad). Default: -, standard output as CSV.",
    ),
    "--entities": Option(
        FILE,
        "File of a row per label: its size, where that is known how likely it is pure and whole, "
        "the item that represents it and the likeliest values of --records: .csv, .tsv, .parquet.",
    ),
    "--pairs": Option(
        FILE,
        "File of a row per pair that shares a label and, where that is known, how likely it is "
        "right: .csv, .tsv, .parquet.",
    ),
    "--escape-formulas": Option(
        bool, "Put ' before names in .csv and .tsv that a spreadsheet would take for formulas."
    ),
    **JSON,
    "--report": Option(FILE, "File of a report, a page about the labels: .html."),
    "--plot": Option(FILE, "File of a picture of the sweep: .png, .svg, .pdf, ..."),
    "--ids-like": Option(
        FILE,
        "Table that an earlier run wrote: labels keep its numbers by the items that they share; "
        "other labels get numbers that were never used. All numbers ever given are written beside "
        "--out, as labels.ids.csv beside labels.csv.",
    ),
}
IMAGES = {"--images": Option(FILE, "colmap, hloc: folder of the images, to show in the report.")}
DATABASE = {
    "--write-database": Option(
        FILE, "colmap: file of a copy with only the matches in tracks: .db."
    ),
    "--write-matches": Option(FILE, "hloc: file of a copy with only the matches in tracks: .h5."),
    "--add-missing": Option(bool, "Add the matches that follow from tracks to that copy."),
}
JUDGED = {
    "--judgements": Option(
        FILE,
        "Table of judged pairs: columns as --pairs writes them, verdict (same, different or cannot "
        "tell) and, for verdicts that may be wrong, sure: .csv, .tsv, .parquet; or answers that "
        "ask has kept: .sqlite.",
    ),
    "--contradictions": Option(
        Choice("refuse", "drop"),
        "Judgements that contradict each other. drop: later ones correct earlier ones. Default: "
        "refuse.",
    ),
}
EVALUATING = {
    "--judged": Option(FILE, "The sample with its verdicts: .csv, .tsv, .parquet."),
    "--sample": Option(FILE, "File of a sample to judge, to be written: .csv, .tsv, .parquet."),
    "--n": Option(int, "Number of records, entities or pairs of the sample. Default: 200."),
    "--of": Option(
        Choice("records", "entities", "pairs"),
        "What is drawn: single items, whole labels, or pairs by their probability. Default: "
        "records.",
    ),
    "--seed": Option(int, "Another number draws another sample. Default: 0."),
}
ASKING = {
    "--n": Option(int, "Number of questions. Default: 20."),
    "--out": Option(
        FILE,
        "File of the questions, with an empty column verdict: .csv, .tsv, .parquet, or -. Default: "
        "a text on standard output.",
    ),
    "--serve": Option(
        bool,
        "Ask on a page for a browser on this machine; each answer is kept at once, and the next "
        "questions follow from it.",
    ),
    "--answers": Option(
        FILE,
        "With --serve: file of the answers, for --judgements: .sqlite. Default: answers.sqlite.",
    ),
    "--images": Option(FILE, "colmap, hloc: folder of the images, to show on the page."),
    "--project": Option(
        FILE,
        "Ask about the entities of a project instead of FILE; with --serve, answers become its "
        "judgements.",
    ),
}
PROJECT = {
    "--project": Option(
        FILE,
        "DuckDB file that lasts: pairs of FILE, if any, and judgements are added to it, and its "
        "answer is extended with what was learnt before. Numbers of entities stay. It is made if "
        "it is not there.",
    ),
    "--anew": Option(bool, "With --project: learn again from all pairs, instead of extending."),
    "--forget": Option(
        FILE,
        "With --project: table of records, source,id or id, that go with all that is known of "
        "them. The rest is solved like before.",
    ),
}
# Options that are not given are not passed to `solve`, which has the defaults.
STEP = {
    "--n-labels": Option(int, "Take this number of labels, or the nearest number."),
}


def _solver_settings() -> dict[str, Option]:
    """Make an option of every setting of the solvers; its text names the solver and the default."""
    owners: dict[str, list[str]] = {}
    found: dict[str, Field[Any]] = {}
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
            first = f"{next(iter(defaults)):g}"
            others = [f"with {owner} {value:g}" for value, owner in [*defaults.items()][1:]]
            text += f" Default: {', '.join([first, *others])}."
        kind = int if setting.metadata["legal"].integer else float
        options[spelled(name)] = Option(kind, text)
    return options


def spelled(name: str) -> str:
    """Return the name of the option for a Python argument.

    Examples
    --------
    >>> spelled("n_steps")
    '--n-steps'
    """
    return f"--{name.replace('_', '-')}"


def _scale_settings() -> dict[str, Option]:
    """Make options of the settings of the default solver that shards can be solved with."""
    known = {setting.name: setting.metadata["text"] for setting in fields(Coordinate)}
    return {spelled(name): Option(int, known[name]) for name in ("n_steps", "row_entries")}


DEFAULTS = [solver.picks[0] for solver in SOLVERS.values()]
PICK_TEXT = (
    "Which step the labels come from: a rule, or a resolution; a higher one gives more labels. "
    f"Default: {DEFAULTS[0]}, with power {DEFAULTS[1]}; for points, labels are merged, unless the "
    "points between them are less dense."
)
SOLVING = {
    "--solver": Option(
        Choice(*SOLVERS), "The method; power is that of the paper. Default: coordinate."
    ),
    "--pick": Option(Choice(*Coordinate.picks, or_number=True), PICK_TEXT),
    "--n-jobs": Option(int, "Number of threads. Default: all processors."),
    **_solver_settings(),
}

MEMORY = {"--memory": Option(str, "Memory that may be used, such as 500MB. Default: 4GB.")}
PAIRS_TABLE = {
    "--table": Option(
        str,
        "colmap: table of the matches, two_view_geometries or matches. DuckDB database: table of "
        "the pairs.",
    )
}
SCALE = {
    "--out": Option(FILE, "Folder of the entities and of what is kept to go on."),
    "--n-jobs": Option(int, "Number of processes on this machine. Default: all processors."),
    "--dask": Option(
        str,
        "Address of the scheduler of a Dask cluster, such as tcp://10.0.0.1:8786, whose workers "
        "are used instead. They must see the folder of --out, and have spherelax.",
    ),
    **MEMORY,
    **{name: READING[name] for name in ("--kind", "--columns", "--records")},
    **DUPLICATE_FREE,
    "--table": Option(str, "Table of the pairs, if FILE is a DuckDB database."),
    "--floor": Option(float, "Leave out pairs with a lower score, but not their records."),
    "--max-pairs": Option(int, "Pairs of a shard, about. Default: 10000000."),
    **JUDGED,
    "--ids-like": Option(
        FILE,
        "Folder that an earlier run wrote, or a table: entities keep its numbers by the records "
        "that they share; others get numbers that were never used. ids.csv in the folder of --out "
        "has all numbers ever given.",
    ),
    "--write-database": Option(FILE, "DuckDB database that gets a table of the entities, too."),
    "--write-table": Option(str, "Name of that table, which must be new. Default: entities."),
    **JSON,
    **_scale_settings(),
}


def with_options(
    *tables: Mapping[str, Option],
    are_many: bool = False,
    files: tuple[str, ...] = ("file",),
    is_optional: bool = False,
) -> Callable[[Command], Command]:
    """Give a command the argument FILE, or several of them, and the options of several tables."""

    def decorate(command: Command) -> Command:
        options = {name: option for table in tables for name, option in table.items()}
        for name, option in reversed(options.items()):
            names = (name, option.argument) if option.argument else (name,)
            kind: Given = {"type": option.kind}
            if option.kind is bool:
                kind = {"is_flag": True}
            elif option.is_repeated:
                kind |= {"multiple": True, "callback": lambda _, __, given: list(given) or None}
            command = click.option(*names, **kind, help=option.text)(command)
        if are_many:
            return click.argument("files", nargs=-1, required=True, metavar="FILE...")(command)
        for name in reversed(files):
            command = click.argument(name, type=FILE, required=not is_optional)(command)
        return command

    return decorate


def taken(given: Given, *tables: Mapping[str, Option]) -> Given:
    """Remove the values of the options of some tables from ``given``, and return them."""
    names = [
        option.argument or name.removeprefix("--").replace("-", "_")
        for table in tables
        for name, option in table.items()
    ]
    return {name: given.pop(name) for name in names if name in given}
