"""The command line: arguments -> io -> solve -> io and plot. NumPy is loaded only to work."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

import spherelax
from spherelax._terminal import OneLineErrors, Progress, end_interrupted

if TYPE_CHECKING:
    from spherelax.io import Items

STDOUT = Path("-")
UNSURE = 0.1  # items of less confidence are counted in the summary

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


class Option(NamedTuple):
    """What an option takes, what it says, and the only solver that has a use for it."""

    kind: Any
    text: str
    solver: str | None = None

    @property
    def help(self) -> str:
        """The text of the help."""
        return f"{self.solver} only: {self.text}" if self.solver else self.text


FILE = click.Path(path_type=Path)
SOLVER = Choice("coordinate", "power")  # the first one is the default
PICK = Choice("description", "eta", "stability", "interfaces", or_number=True)
# What is not given is not passed on: the defaults are those of `solve`, told here in words.
OPTIONS = {
    "--out": Option(FILE, "Where the labels go, as CSV. Default: -, standard output."),
    "--plot": Option(FILE, "Where a picture of the sweep goes: .png, .svg, .pdf, ..."),
    "--alpha": Option(float, "Take the labels at this alpha: larger is finer."),
    "--n-labels": Option(int, "Take the labels of the step with so many labels."),
    "--solver": Option(SOLVER, "How to sweep; power is the paper's method. Default: coordinate."),
    "--pick": Option(
        PICK,
        "Which step the labels come from, or its resolution. Default: description, with power eta.",
    ),
    "--n-inner": Option(int, "Iterations at each step. Default: 2, with power 20."),
    "--eta-floor": Option(float, "Share of the largest eta that is zero. Default: 1e-9."),
    "--n-steps": Option(
        int,
        "Steps down to the average. Default: 40, from 4096 items on one for each factor of two.",
        "coordinate",
    ),
    "--row-entries": Option(
        int, "Entries in a row of U. Default: 4, from 4096 items on 2.", "coordinate"
    ),
    "--n-jobs": Option(int, "Number of threads. Default: all processors.", "coordinate"),
    "--alpha-step": Option(float, "Distance of the alphas. Default: 0.01.", "power"),
    "--delta-margin": Option(float, "Added to the smallest delta. Default: 0.", "power"),
    "--kappa": Option(float, "Added to the rebalanced similarities. Default: 0.01.", "power"),
}
BOUND = Option(int, "Upper bound on the number of labels. Default: a loose one.", "power")
EXAMPLES = """
\b
Examples
  spherelax cluster edges.csv
  spherelax match edges.csv --groups groups.csv --out labels.csv"""
FORMATS = """
\b
FILE is
  edges.csv, .tsv, .txt   one edge per row: item_a,item_b,similarity
                          (or item_a,item_b: every similarity is 1);
                          of an edge listed twice the larger counts
  matrix.npz, .npy, .mtx  scipy.sparse.save_npz, numpy.save, MatrixMarket
Matrices are symmetric and non-negative; their items are numbered from 0."""


def _command(bound: str, epilog: str) -> Callable[[Command], click.Command]:
    """Make a command with the arguments that both have."""

    def decorate(command: Command) -> click.Command:
        for name, option in reversed({**OPTIONS, bound: BOUND}.items()):
            default = STDOUT if name == "--out" else None
            add = click.option(name, type=option.kind, default=default, help=option.help)
            command = add(command)
        command = click.argument("file", type=FILE)(command)
        return main.command(epilog=epilog + FORMATS)(command)

    return decorate


@click.group(cls=OneLineErrors, invoke_without_command=True, epilog=EXAMPLES)
@click.version_option(spherelax.__version__, message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Find which things are the same, when nobody knows how many things there are."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@_command(
    "--max-clusters",
    """
\b
Examples
  spherelax cluster edges.csv
  spherelax cluster edges.csv --out labels.csv --plot sweep.png
  spherelax cluster matrix.npz --n-labels 12 --out twelve.csv

\b
edges.csv           labels.csv
  ann,anna,0.9        item,label,confidence
  bob,rob,0.8         ann,0,1.0000
  anna,rob,0.1        anna,0,1.0000
                      ...
""",
)
def cluster(file: Path, **options: Any) -> None:
    """Cluster items by their similarities.

    Similar items get the same label; the number of clusters is found.
    """
    _run(file, None, **options)


@_command(
    "--max-universe",
    """
\b
Examples
  spherelax match edges.csv --groups groups.csv --out labels.csv
  spherelax match matrix.npz --groups images.txt --plot sweep.png

\b
edges.csv           groups.csv       labels.csv
  p1,q1,0.9           item,group       item,group,label,confidence
  p2,q2,0.8           p1,left          p1,left,0,1.0000
  p1,q2,0.2           p2,left          q1,right,0,1.0000
                      q1,right         ...
                      q2,right

\b
Groups of a matrix may also be one label per line, or a .npy of labels.
""",
)
@click.option("--groups", type=FILE, required=True, help="The image, source, ... of each item.")
def match(file: Path, groups: Path, **options: Any) -> None:
    """Match items of different groups.

    The same things get the same label, no two items of one group do; the number is found.
    """
    _run(file, groups, **options)


def _run(
    file: Path,
    groups: Path | None,
    *,
    out: Path,
    plot: Path | None,
    alpha: float | None,
    n_labels: int | None,
    **settings: str | float | None,
) -> None:
    """Read, solve, write and summarise."""
    if alpha is not None and n_labels is not None:
        raise click.UsageError("--alpha and --n-labels exclude each other")
    _check_settings(alpha=alpha, n_labels=n_labels, **settings)
    from spherelax import io

    try:
        _check_targets(out, plot, sources=(file, groups))
        items = io.read_similarity(file)
        n_similar = len(items.names)
        if groups is not None:
            items = io.read_groups(groups, items)
        result = _solve(items, **settings)
        if alpha is not None:
            result = result.at(alpha)
        if n_labels is not None:
            result = result.with_n_labels(n_labels)
        labels = io.labels_csv(items, result).encode()
        if out == STDOUT:
            click.echo(labels, nl=False)
        else:
            io.replace_file(out, labels)
        if plot:
            io.replace_file(plot, _picture(result, plot))
    except spherelax.InvalidInputError as error:
        raise click.ClickException(str(error)) from None
    _summarise(items, result, n_alone=len(items.names) - n_similar)
    click.echo(f"labels: {'standard output' if out == STDOUT else out}", err=True)
    click.echo(f"sweep: {plot}" if plot else "sweep: see it with --plot sweep.png", err=True)
    if not result.path.is_whole:
        end_interrupted(click.get_current_context())


def _check_settings(**settings: str | float | None) -> None:
    """Refuse what cannot be before any file is read, by the names of the options."""
    from spherelax.problem import check_settings

    solver = settings["solver"] or SOLVER.choices[0]
    for name, value in settings.items():
        if value is None:
            continue
        option = f"--{name.replace('_', '-')}"
        only = OPTIONS.get(option, BOUND).solver
        if only not in (None, solver):
            raise click.UsageError(f"{option} needs --solver {only}")
        try:
            check_settings(**({} if isinstance(value, str) else {name: value}))
        except spherelax.InvalidInputError as error:
            raise click.UsageError(option + str(error).removeprefix(name)) from None


def _check_targets(out: Path, plot: Path | None, sources: tuple[Path | None, ...]) -> None:
    """Refuse files that cannot be written before the work starts."""
    from spherelax import io

    taken = [source.resolve() for source in sources if source]
    for target in [path for path in (out, plot) if path and path != STDOUT]:
        if target.resolve() in taken:
            raise click.UsageError(f"{target} would be overwritten")
        io.check_target(target)
        taken.append(target.resolve())
    if plot:
        _check_picture(plot)


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


def _picture(result: spherelax.Result, plot: Path) -> bytes:
    """Draw the sweep without pyplot, so that neither a display nor a backend is needed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    spherelax.plot.sweep(result, ax=figure.subplots())
    picture = BytesIO()
    try:
        figure.savefig(picture, format=plot.suffix.lower().removeprefix("."), dpi=150)
    except RuntimeError as error:  # .pgf without LaTeX
        raise click.ClickException(f"{plot}: {error}") from None
    return picture.getvalue()


def _solve(items: Items, **settings: Any) -> spherelax.Result:
    """Solve with the settings that were given; warnings are one line each."""
    given = {name: value for name, value in settings.items() if value is not None}
    if "max_clusters" in given:
        given["max_universe"] = given.pop("max_clusters")
    with Progress() as progress, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", spherelax.SphereWarning)
        result = spherelax.solve(
            items.similarity, items.groups, callback=progress.callback, **given
        )
        if result.path.is_whole:
            progress.complete()
    for message in (str(warning.message) for warning in caught):
        if message not in set(spherelax.Status):  # the summary has the status
            click.echo(f"warning: {message}", err=True)
    return result


def _summarise(items: Items, result: spherelax.Result, n_alone: int) -> None:
    """Say on standard error what was found."""
    groups = f" in {len(set(items.groups))} groups" if items.groups else ""
    alone = f" ({n_alone} without an edge)" if n_alone else ""
    n_unsure = int((result.confidence < UNSURE).sum())
    bound = ""
    if result.max_universe < len(items.names):
        bound = f" (max_{'universe' if items.groups else 'clusters'} {result.max_universe})"
    click.echo(
        f"{len(items.names)} items{groups}{alone}: {result.n_labels} labels at alpha "
        f"{result.alpha:g}{bound}\n{result.status}\n"
        f"confidence: {result.confidence.mean():.2f} on average, below {UNSURE} for "
        f"{n_unsure} items",
        err=True,
    )
