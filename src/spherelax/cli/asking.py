"""The command ask: the next questions as a table, or on a page that keeps the answers."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import click

import spherelax
from spherelax import io
from spherelax.asking.page import Shown
from spherelax.asking.server import Server
from spherelax.asking.session import Session, Store
from spherelax.cli.options import STANDARD, Given, spelled
from spherelax.cli.solving import judgements, solve
from spherelax.cli.sources import format_of, name_of, pictures, read, readable
from spherelax.cli.targets import check_ending, check_files
from spherelax.cli.terminal import begin, in_thread, is_cut_short, leave, writing
from spherelax.io.answers.answers import TABLES
from spherelax.io.readers.answered import AnswerFile
from spherelax.io.readers.judgements import ENDING, read_asked
from spherelax.io.words import count
from spherelax.judgements import Judgements
from spherelax.project.answering import ProjectAnswers
from spherelax.settings import POSITIVE_INTEGER

N_QUESTIONS = 20  # if nothing else is said
ANSWERS = Path(f"answers{ENDING}")


class Asked(NamedTuple):
    """What is asked about: items, their result without judgements, and how they are shown.

    ``known`` is what was judged, ``told`` are the pairs of which nobody needs to be asked, and
    ``store`` is where answers are kept, if that is asked for. ``again`` solves with all answers.
    """

    about: str
    items: io.Items
    result: spherelax.Result
    known: Judgements
    told: set[tuple[int, int]]
    store: Store | None
    again: str
    shown: Given


def ask(
    file: Path | None,
    reading: Given,
    *,
    asked: Given,
    judged: Given,
    step: Given,
    settings: Given,
) -> None:
    """Write the next questions, or ask them on a page."""
    groups, project = reading.pop("groups"), asked["project"]
    answers = (asked["answers"] or ANSWERS) if asked["serve"] and not project else None
    sources = (file, groups, project, judged["judgements"], reading["features"])
    sources = (*sources, *(reading["records"] or ()))
    check_files([asked["out"], answers], sources)
    if file is None:
        found = _open_project(project, serves=asked["serve"])
    else:
        with readable(file) as source:
            if format_of(source, reading) == "result":
                io.load_result(source.path).questions(1)  # says what is missing
            items, _ = read(source, groups, reading)
            shown = pictures(asked["images"], items)
            known, table = judgements(judged, items), judged["judgements"]
            told = read_asked(table, items) if table else set()
            begin(f"reading {answers}")
            store = AnswerFile(answers, items) if answers else None
            items, result = solve(items, settings, step)
        about = name_of(file) if file == STANDARD else file.name
        is_matching = items.groups is not None or isinstance(items, io.Records)
        again = f"{'match' if is_matching else 'cluster'} {name_of(file)} --judgements {answers}"
        found = Asked(about, items, result, known, told, store, again, shown)
    if is_cut_short():
        raise KeyboardInterrupt
    if found.store is None:
        _write(found, asked["n"] or N_QUESTIONS, asked["out"])
    else:
        _serve(found, found.store)


def check(file: Path | None, asked: Given, others: Given) -> None:
    """Refuse options that do not fit together, before anything is read."""
    project, serves = asked["project"], asked["serve"]
    if project:
        for name, value in {**others, **{of: asked[of] for of in ("images", "answers")}}.items():
            if value is not None:
                raise click.UsageError(f"{spelled(name)} does not go with --project")
        if file:
            raise click.UsageError("--project asks about the project; add FILE with match first")
        if not project.exists():
            raise click.UsageError(f"{project}: there is no such project")
    elif file is None:
        raise click.UsageError("Missing argument 'FILE'")
    for name in ("n", "out") if serves else ("answers", "images"):
        if asked[name] is not None:
            verb = "does not go with" if serves else "needs"
            raise click.UsageError(f"{spelled(name)} {verb} --serve")
    if asked["n"] is not None and asked["n"] not in POSITIVE_INTEGER:
        raise click.UsageError(f"--n must be {POSITIVE_INTEGER}; found {asked['n']}")
    for name, endings in {"out": TABLES, "answers": (ENDING,)}.items():
        if asked[name]:
            check_ending(asked[name], f"a file of --{name}", endings)


def _open_project(project: Path, *, serves: bool) -> Asked:
    """Read a project: where its next run begins, and what was judged before the first answer."""
    begin(f"reading {project}")
    with spherelax.Project(project) as kept:
        records, result = in_thread(kept.unjudged)
        known = kept.judgements(until=kept.runs()["run"][-1] if serves else None)
    with ProjectAnswers(project, records, since=0).changing() as answers:
        told = {(min(a, b), max(a, b)) for a, b, *_ in answers.rows()}
    store = ProjectAnswers(project, records) if serves else None
    again = f"match --project {project}"
    return Asked(project.name, records, result, known, told, store, again, {})


def _write(found: Asked, n: int, out: Path | None) -> None:
    """Write the questions as a table, or print them."""
    items, known, told = found.items, found.known, found.told
    begin("looking for questions")
    asked = in_thread(
        lambda: found.result.judge(known).questions(n + len(told)).but(told, at_most=n)
    )
    if out is None:
        click.echo(asked.text(items.names))
        return
    columns = items.questions(asked)
    with writing(name_of(out, "output")):
        if out == STANDARD:
            click.echo(io.columns_csv(columns), nl=False)
            return
        io.write_columns(out, columns)
    click.echo(f"{count(len(asked), 'question')}: {out}", err=True)
    click.echo(f"next: fill in verdict, and give it as --judgements {out}", err=True)


def _serve(found: Asked, store: Store) -> None:
    """Ask on a page until Ctrl-C."""
    begin(f"asking; answers are kept in {store}")
    session = in_thread(lambda: Session(found.items, found.result, store, found.known, found.told))
    next_step = f"next: spherelax {found.again}"
    with Server(session, Shown(found.items, found.about, next_step, **found.shown)) as server:
        click.echo(server.address)
        click.echo("open this address in a browser on this machine; Ctrl-C ends", err=True)
        with suppress(KeyboardInterrupt):
            in_thread(server.serve_forever)
    kept = count(session.n_answers, "answer")
    click.echo(f"{kept} kept in {store}; {next_step}", err=True)
    leave()
