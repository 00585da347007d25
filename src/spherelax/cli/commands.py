"""The commands: their arguments, and the functions of ``work`` that they call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from spherelax._version import __version__
from spherelax.cli import manual, options
from spherelax.cli.options import Given, Option, taken, with_options
from spherelax.cli.terminal import PROGRAM, OneLineErrors
from spherelax.memory import address_space

FORMATS = "formats"
SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}
COMPLETION_VARIABLE = "_SPHERELAX_COMPLETE"
WITHOUT_FILE = ("help", "completion")
# Addresses that libraries and compiling take: measured with an empty cache (0.7 GB), and some more.
ADDRESSES, ADDRESSES_PER_THREAD = 3 << 28, 1 << 26
READING = (options.AS_ANY, options.READING, options.DUPLICATE_FREE)


def _command(
    epilog: str,
    *tables: Mapping[str, Option],
    are_many: bool = False,
    files: tuple[str, ...] = ("file",),
    is_optional: bool = False,
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a command that reads a file, or several, and has the options of several tables."""

    def decorate(command: Callable[..., None]) -> click.Command:
        taking = with_options(*tables, are_many=are_many, files=files, is_optional=is_optional)
        return main.command(epilog=epilog)(taking(command))

    return decorate


@click.group(cls=OneLineErrors, invoke_without_command=True, epilog=manual.OVERVIEW)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Find which items are the same thing, when the number of things is not known."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
    elif ctx.invoked_subcommand not in WITHOUT_FILE:
        _check_addresses()


def _check_addresses() -> None:
    """Refuse a limit of memory in which compiled libraries cannot even be loaded: they abort."""
    needed = ADDRESSES + ADDRESSES_PER_THREAD * (os.cpu_count() or 1)
    free = address_space()
    if free < needed:
        raise click.ClickException(
            f"ulimit -v leaves {free / 2**30:.1f} GiB of memory; {needed / 2**30:.1f} GiB are "
            "needed to begin. Raise it, or limit memory by a control group instead"
        )


@_command(
    manual.MATCH,
    options.GROUPS,
    options.AS_GROUPED,
    options.READING,
    options.DUPLICATE_FREE,
    options.GROUPS_HOLD,
    options.WRITING,
    options.IMAGES,
    options.DATABASE,
    options.JUDGED,
    options.PROJECT,
    options.STEP,
    options.VERBOSE,
    options.SOLVING,
    is_optional=True,
)
def match(file: Path | None, **given: Any) -> None:
    """Match items of different groups.

    Items that are the same thing get the same label; two items of one group never do, unless
    --one-per-group unless_copies finds some. The number of labels is found, not given.
    """
    lasting = taken(given, options.PROJECT)
    asked = next((name for name, value in lasting.items() if value), None)
    if lasting["project"]:
        _continue(file, given, **lasting)
    elif file is None:
        raise click.UsageError("Missing argument 'FILE'")
    elif asked:
        raise click.UsageError(f"{options.spelled(asked)} needs --project")
    else:
        _label(file, given, is_matching=True)


def _continue(
    file: Path | None, given: Given, *, project: Path, anew: bool, forget: Path | None
) -> None:
    """Go on with a project."""
    from spherelax.cli import projects, solving
    from spherelax.cli.targets import Targets

    reading = {"groups": given.pop("groups"), **taken(given, *READING)}
    targets = Targets(**taken(given, options.WRITING, options.IMAGES, options.DATABASE))
    step, is_verbose = taken(given, options.STEP), given.pop("verbose")
    judged = taken(given, options.JUDGED)
    settings = solving.checked(step, given, kind=reading["kind"])
    targets.check(file, project, judged["judgements"], forget, *(reading["records"] or ()))
    projects.check(file, reading, targets, settings)
    if forget:
        projects.check_alone({"FILE": file, "anew": anew or None, **judged, **step, **given})
    projects.label(
        file,
        project,
        reading,
        targets,
        judged=judged,
        settings={**settings, **step, "anew": anew},
        forget=forget,
        is_verbose=is_verbose,
    )


@_command(
    manual.CLUSTER,
    options.AS_ANY,
    options.READING,
    options.WRITING,
    options.JUDGED,
    options.STEP,
    options.VERBOSE,
    options.SOLVING,
)
def cluster(file: Path, **given: Any) -> None:
    """Cluster items by their similarities.

    Similar items get the same label. The number of labels is found, not given. If FILE has groups,
    they are ignored.
    """
    _label(file, given, is_matching=False)


def _label(file: Path, given: Given, *, is_matching: bool) -> None:
    """Find labels and write them."""
    from spherelax.cli import solving, work
    from spherelax.cli.targets import Targets

    groups = given.pop("groups", None)
    reading = taken(given, *READING)
    targets = Targets(**taken(given, options.WRITING, options.IMAGES, options.DATABASE))
    step, is_verbose = taken(given, options.STEP), given.pop("verbose")
    judged = taken(given, options.JUDGED)
    settings = solving.checked(step, given, kind=reading["kind"])
    inputs = (file, groups, judged["judgements"], targets.ids_like, reading["features"])
    sources = (*inputs, *(reading["records"] or ()))
    targets.check(*sources)
    work.label(
        file,
        groups,
        reading,
        targets,
        step=step,
        judged=judged,
        settings=settings,
        is_matching=is_matching,
        is_verbose=is_verbose,
    )


@_command(
    manual.PATH,
    options.GROUPS,
    *READING,
    {"--out": Option(options.FILE, "File of the steps: .csv, .tsv, .json, or - (default).")},
    {"--json": Option(bool, "The steps as JSON.", argument="as_json")},
    options.VERBOSE,
    options.SOLVING,
)
def path(file: Path, groups: Path | None, out: Path | None, as_json: bool, **given: Any) -> None:
    """Show every step of the sweep.

    One row per step, from high to low resolution. FILE is an input of match or cluster, or a
    result that they saved as .npz.
    """
    from spherelax.cli import solving, work

    reading, is_verbose = taken(given, *READING), given.pop("verbose")
    settings = solving.checked({}, given, kind=reading["kind"])
    form = work.Form(out, as_json, is_verbose)
    work.path(file, groups, reading, settings, given=given, form=form)


@_command(
    manual.REPORT,
    options.GROUPS,
    *READING,
    {"--out": Option(options.FILE, "File of the report: .html, or -. Default: report.html.")},
    {"--result": Option(options.FILE, "A result for FILE, saved as .npz: FILE is not solved.")},
    options.IMAGES,
    options.STEP,
    options.VERBOSE,
    options.SOLVING,
)
def report(
    file: Path, groups: Path | None, result: Path | None, images: Path | None, **given: Any
) -> None:
    """Write a report: an HTML page that shows the labels and how far to trust them.

    Items are matched if there are groups, and clustered if there are none.
    """
    from spherelax.cli import solving, work

    out, is_verbose = given.pop("out") or Path("report.html"), given.pop("verbose")
    reading, step = taken(given, *READING), taken(given, options.STEP)
    settings = solving.checked(step, given, kind=reading["kind"])
    if result:
        solving.check_unused("--result", {**step, **given})
    work.report(
        file,
        groups,
        reading,
        step=step,
        settings=settings,
        out=out,
        saved_in=result,
        images=images,
        is_verbose=is_verbose,
    )


@_command(
    manual.EXPLAIN,
    options.GROUPS,
    *READING,
    {
        "--pair": Option((str, str), "Names of two items: why they share a label or do not."),
        "--entity": Option(int, "Number of a label: what holds it together, and how weakly."),
    },
    options.GROUPS_HOLD,
    options.JUDGED,
    options.STEP,
    options.SOLVING,
)
def explain(
    file: Path,
    groups: Path | None,
    pair: tuple[str, str] | None,
    entity: int | None,
    **given: Any,
) -> None:
    """Explain why two items share a label or do not, and what would change that.

    FILE is an input of match or cluster, or a folder that scale wrote. Items are matched if there
    are groups, and clustered if there are none.
    """
    from spherelax.cli import explaining, scaling, solving

    if (pair is None) == (entity is None):
        raise click.UsageError("explain needs one of --pair and --entity")
    if file.is_dir():
        solving.check_unused(str(file), {"groups": groups, **given})
        scaling.explain(file, pair, entity)
        return
    reading, step = taken(given, *READING), taken(given, options.STEP)
    judged = taken(given, options.JUDGED)
    explaining.explain(
        file,
        groups,
        reading,
        step=step,
        judged=judged,
        settings=solving.checked(step, given, kind=reading["kind"]),
        pair=pair,
        entity=entity,
    )


@_command(
    manual.ASK,
    options.GROUPS,
    *READING,
    options.ASKING,
    options.GROUPS_HOLD,
    options.JUDGED,
    options.STEP,
    options.SOLVING,
    is_optional=True,
)
def ask(file: Path | None, **given: Any) -> None:
    """Ask about the pairs whose answers would change the labels most.

    Without --serve, the questions are a table to fill in. With --serve, they are asked one by one
    on a page. Items are matched if there are groups, and clustered if there are none.
    """
    from spherelax.cli import asking, solving

    asked = taken(given, options.ASKING)
    asking.check(file, asked, given)
    reading = {"groups": given.pop("groups"), **taken(given, *READING)}
    judged, step = taken(given, options.JUDGED), taken(given, options.STEP)
    settings = solving.checked(step, given, kind=reading["kind"])
    asking.ask(file, reading, asked=asked, judged=judged, step=step, settings=settings)


@_command(
    manual.DIFF,
    {
        "--out": Option(options.FILE, "File of a row per flow of items: .csv, .tsv, .parquet."),
        "--page": Option(options.FILE, "File of a page about the changes: .html."),
        "--project": Option(options.FILE, "A project: BEFORE and AFTER are numbers of its runs."),
    },
    files=("before", "after"),
)
def diff(before: Path, after: Path, project: Path | None, **targets: Path | None) -> None:
    """Show what has changed between two answers.

    BEFORE and AFTER are tables that match or cluster wrote, or results that they saved as .npz.
    Items are known by their ids; the numbers of labels do not matter.
    """
    from spherelax.cli import answers

    answers.diff(before, after, project, out=targets["out"], page=targets["page"])


@_command(
    manual.EVALUATE,
    options.GROUPS,
    *READING,
    options.EVALUATING,
    options.STEP,
    options.SOLVING,
)
def evaluate(file: Path, groups: Path | None, **given: Any) -> None:
    """Estimate how good labels are: precision and recall of pairs, and B-cubed.

    Without --judged, the model's own probabilities say it. --sample draws cases to judge; --judged
    reads them back and gives 95 % intervals. Items are matched if there are groups, and clustered
    if there are none.
    """
    from spherelax.cli import evaluating, solving

    reading, step = taken(given, *READING), taken(given, options.STEP)
    asked = taken(given, options.EVALUATING)
    settings = solving.checked(step, given, kind=reading["kind"])
    evaluating.evaluate(file, groups, reading, step=step, settings=settings, asked=asked)


@_command(manual.SCALE, options.SCALE, are_many=True)
def scale(files: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Match or cluster records whose pairs do not fit into memory.

    FILE is a file of pairs, a pattern such as 'pairs/*.parquet', or a DuckDB database. The work is
    done in shards, by several processes or a Dask cluster. The same command goes on with what is
    there if it was stopped.
    """
    from spherelax.cli import scaling

    scaling.solve(files, given, as_json=as_json)


@_command(
    manual.INFO,
    options.GROUPS,
    *READING,
    options.PAIRS_TABLE,
    options.MEMORY,
    options.JSON,
    are_many=True,
)
def info(
    files: tuple[str, ...], groups: Path | None, memory: str | None, as_json: bool, **reading: Any
) -> None:
    """Show what a file holds, without solving it.

    Several files, a pattern such as 'pairs/*.parquet', and a DuckDB database hold pairs for the
    command scale: then also what they will cost.
    """
    from spherelax.cli import scaling, work

    if scaling.are_for_scale(files, reading["table"]):
        scaling.info(files, {"groups": groups, **reading}, memory, as_json=as_json)
    else:
        work.info(Path(files[0]), groups, reading, as_json=as_json)


def _topics(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    """Return the help topics that begin with ``start``, for completion in a shell."""
    return [topic for topic in (*main.commands, FORMATS) if topic.startswith(start)]


@main.command(name="help")
@click.argument("topic", required=False, shell_complete=_topics)
@click.pass_context
def help_(ctx: click.Context, topic: str | None) -> None:
    """Show the help of a command, or of formats."""
    parent = ctx.find_root()
    if topic is None:
        click.echo(parent.get_help())
    elif topic == FORMATS:
        click.echo(manual.formats(), nl=False)
    elif (command := main.get_command(parent, topic)) is not None:
        click.echo(command.get_help(click.Context(command, info_name=topic, parent=parent)))
    else:
        known = ", ".join([*main.commands, FORMATS])
        raise click.UsageError(f"topic must be one of {known}; found {topic!r}")


@main.command(epilog=manual.COMPLETION)
@click.argument("shell", type=options.Choice(*SHELLS))
def completion(shell: str) -> None:
    """Print a script with which a shell completes commands, options and files."""
    click.echo(SHELLS[shell](main, {}, PROGRAM, COMPLETION_VARIABLE).source())
