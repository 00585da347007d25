"""How the command line talks to a terminal: faults in one line, progress as a bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from spherelax.result import Step

INTERRUPTED = 130  # what shells report for Ctrl-C


class OneLineErrors(click.Group):
    """A group of commands whose every fault is one line on standard error and exit code 2."""

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run a command and exit."""
        extra.update(standalone_mode=False, prog_name="spherelax")
        try:
            sys.exit(super().main(*args, **extra))
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx else "spherelax"
            message = f"{path}: {error.format_message().rstrip('.')} (see {path} --help)"
        except click.ClickException as error:
            message = f"spherelax: {error.format_message()}"
        except MemoryError as error:
            message = f"spherelax: not enough memory; {error}"
        except OSError as error:
            message = f"spherelax: {error}"
        click.echo(" ".join(message.splitlines()), err=True)
        sys.exit(2)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; Ctrl-C ends it with one line."""
        try:
            super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("spherelax: interrupted", err=True)
            ctx.exit(INTERRUPTED)


@contextmanager
def progress() -> Iterator[Callable[[Step], None] | None]:
    """Give a callback that shows a progress bar, or none where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as stack:
        bars: list[Any] = []

        def show(step: Step) -> None:
            if not bars:
                bars.append(click.progressbar(length=step.n_steps, label="sweep", file=sys.stderr))
                stack.callback(bars[0].render_finish)  # even if Ctrl-C comes while it opens
                bars[0].__enter__()
            bars[0].update(1)

        yield show
