"""The files to write; a file that cannot be written is refused before anything is solved."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import click

import spherelax
from spherelax import io
from spherelax.changes.ids import register_beside
from spherelax.cli.options import STANDARD
from spherelax.io.answers.answers import ENDINGS, TABLES
from spherelax.io.readers.cells import ENDING as CELLS

PAGES = (".html", ".htm")


@dataclass(frozen=True)
class Targets:
    """The files to write, from the options of a command."""

    out: Path | None
    entities: Path | None
    pairs: Path | None
    escape_formulas: bool
    as_json: bool
    report: Path | None
    plot: Path | None
    ids_like: Path | None = None
    images: Path | None = None
    write_database: Path | None = None
    write_matches: Path | None = None
    add_missing: bool = False

    @property
    def prints_labels(self) -> bool:
        """Whether labels go to standard output."""
        return self.out == STANDARD or (self.out is None and not self.as_json)

    @property
    def tables(self) -> dict[str, Path]:
        """The files of labels and of pairs, by what their rows are."""
        files = {"entities": self.entities, "pairs": self.pairs}
        return {name: file for name, file in files.items() if file}

    @property
    def copies(self) -> dict[str, Path | None]:
        """The files of cleaned matches, by the options that name them."""
        return {"--write-database": self.write_database, "--write-matches": self.write_matches}

    @property
    def register(self) -> Path | None:
        """The file of all ids that were ever given, if ids are kept."""
        return register_beside(self.out) if self.ids_like and self.out else None

    def _check_printed(self) -> None:
        """Refuse two things on standard output, and any if it is closed."""
        printed = {
            "labels": self.prints_labels,
            "--json": self.as_json,
            "--report": self.report == STANDARD,
        }
        if sum(printed.values()) > 1:
            found = " and ".join(name for name, is_printed in printed.items() if is_printed)
            raise click.UsageError(f"standard output can take only one of {found}")
        if any(printed.values()) and not sys.stdout.writable():
            raise click.UsageError("standard output is closed; name a file with --out")

    def check(self, *sources: Path | None) -> None:
        """Refuse files that cannot be written, and options that do not fit together."""
        self._check_printed()
        if self.add_missing and not any(self.copies.values()):
            raise click.UsageError(f"--add-missing needs {' or '.join(self.copies)}")
        if self.images and not self.report:
            raise click.UsageError("--images needs --report")
        tables = {f"--{name}": table for name, table in self.tables.items()}
        for name, file in (self.copies | tables).items():
            if file == STANDARD:
                raise click.UsageError(f"{name} needs a file; found -")
        if self.ids_like and (not self.out or self.out.suffix.lower() not in TABLES):
            raise click.UsageError(f"--ids-like needs --out with one of {', '.join(TABLES)}")
        files = [self.out, *self.tables.values(), self.plot, self.report, *self.copies.values()]
        files.append(self.register)
        check_files(files, sources)
        if self.out:
            check_ending(self.out, "labels", (*ENDINGS, CELLS))
        for name, table in self.tables.items():
            check_ending(table, name, TABLES)
        for file in (self.out, *self.tables.values()):
            if file and file.suffix.lower() == ".parquet" and find_spec("pyarrow") is None:
                raise click.ClickException(f"{file}: .parquet needs pyarrow: pip install pyarrow")
        if self.report:
            check_ending(self.report, "a report", PAGES)
        if self.plot:
            _check_picture(self.plot)

    def check_kind(self, kind: str) -> None:
        """Refuse options that do not fit the kind of FILE, once that is known."""
        if self.write_database and kind != "colmap":
            raise click.UsageError("--write-database needs a FILE that is a COLMAP database")
        if self.write_matches and kind != "hloc":
            raise click.UsageError("--write-matches needs a FILE with matches of hloc")
        if self.out and self.out.suffix.lower() == CELLS and kind != "h5ad":
            raise click.UsageError(f"--out {self.out} needs a FILE of kind h5ad; found {kind}")


def check_files(targets: list[Path | None], sources: tuple[Path | None, ...]) -> None:
    """Refuse files that cannot be written, or that are also an input or another output."""
    taken = [os.path.realpath(source) for source in sources if source and source != STANDARD]
    for target in targets:
        if target is None or target == STANDARD:
            continue
        if os.path.realpath(target) in taken:
            raise click.UsageError(f"{target} would be overwritten")
        io.check_target(target)
        taken.append(os.path.realpath(target))


def check_ending(target: Path, what: str, endings: tuple[str, ...]) -> None:
    """Refuse a file with an unknown ending; standard output, pipes and devices need none."""
    if target == STANDARD or io.is_device(target):
        return
    if target.suffix.lower() not in endings:
        raise click.ClickException(f"{target}: {what} must end in one of {', '.join(endings)}")


def picture(result: spherelax.Result, plot: Path) -> bytes:
    """Return a picture of the sweep as bytes; without pyplot, which may need a display."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    spherelax.plot.sweep(result, ax=figure.subplots())
    content = BytesIO()
    try:
        figure.savefig(content, format=plot.suffix.lower().removeprefix("."), dpi=150)
    except RuntimeError as error:  # .pgf without LaTeX
        raise click.ClickException(f"{plot}: {error}") from None
    return content.getvalue()


def _check_picture(plot: Path) -> None:
    """Refuse an ending that matplotlib cannot write, and any if matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise click.ClickException(
            '--plot needs matplotlib; install it with: pip install "spherelax[plot]"'
        ) from None
    known = Figure().canvas.get_supported_filetypes()
    if plot.suffix.lower().removeprefix(".") not in known:
        raise click.ClickException(f"{plot}: a picture must end in one of .{', .'.join(known)}")
