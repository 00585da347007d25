"""Files that are to be written: refused before the work if they cannot be."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import click

import spherelax
from spherelax import io
from spherelax.cli.options import STANDARD
from spherelax.io.answers import ENDINGS
from spherelax.io.cells import ENDING as CELLS

PAGES = (".html", ".htm")


@dataclass(frozen=True)
class Targets:
    """What is to be written about labels, and where."""

    out: Path | None
    as_json: bool
    report: Path | None
    plot: Path | None
    images: Path | None = None
    write_database: Path | None = None
    add_missing: bool = False

    @property
    def prints_labels(self) -> bool:
        """Whether labels go to standard output."""
        return self.out == STANDARD or (self.out is None and not self.as_json)

    def check(self, *sources: Path | None) -> None:
        """Refuse what cannot be written, or cannot be meant."""
        printed = {
            "labels": self.prints_labels,
            "--json": self.as_json,
            "--report": self.report == STANDARD,
        }
        if sum(printed.values()) > 1:
            found = " and ".join(name for name, is_printed in printed.items() if is_printed)
            raise click.UsageError(f"standard output takes one thing; found {found}")
        if self.write_database == STANDARD:
            raise click.UsageError("--write-database needs a file; found -")
        if self.add_missing and not self.write_database:
            raise click.UsageError("--add-missing needs --write-database")
        if self.images and not self.report:
            raise click.UsageError("--images needs --report")
        check_files([self.out, self.plot, self.report, self.write_database], sources)
        if self.out:
            check_ending(self.out, "labels", (*ENDINGS, CELLS))
            if self.out.suffix.lower() == ".parquet" and find_spec("pyarrow") is None:
                raise click.ClickException(
                    f"{self.out}: .parquet needs pyarrow: pip install pyarrow"
                )
        if self.report:
            check_ending(self.report, "a report", PAGES)
        if self.plot:
            _check_picture(self.plot)

    def check_kind(self, kind: str) -> None:
        """Refuse what is not for files of a kind, once it is known."""
        if self.write_database and kind != "colmap":
            raise click.UsageError("--write-database is for databases of COLMAP")
        if self.out and self.out.suffix.lower() == CELLS and kind != "h5ad":
            raise click.UsageError(f"--out {self.out} needs a FILE of cells, {CELLS}; found {kind}")


def check_files(targets: list[Path | None], sources: tuple[Path | None, ...]) -> None:
    """Refuse files that cannot be written, or that are read or written already."""
    taken = [source.resolve() for source in sources if source and source != STANDARD]
    for target in targets:
        if target is None or target == STANDARD:
            continue
        if target.resolve() in taken:
            raise click.UsageError(f"{target} would be overwritten")
        io.check_target(target)
        taken.append(target.resolve())


def check_ending(target: Path, what: str, endings: tuple[str, ...]) -> None:
    """Refuse a file whose ending does not say how to write it; pipes and devices need none."""
    if target == STANDARD or io.is_device(target):
        return
    if target.suffix.lower() not in endings:
        raise click.ClickException(f"{target}: {what} must end in one of {', '.join(endings)}")


def picture(result: spherelax.Result, plot: Path) -> bytes:
    """Draw the sweep without pyplot, so that neither a display nor a backend is needed."""
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
    """Refuse a picture that matplotlib cannot draw, or that there is no matplotlib for."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise click.ClickException(
            '--plot needs matplotlib; install it with: pip install "spherelax[plot]"'
        ) from None
    known = Figure().canvas.get_supported_filetypes()
    if plot.suffix.lower().removeprefix(".") not in known:
        raise click.ClickException(f"{plot}: a picture must end in one of .{', .'.join(known)}")
