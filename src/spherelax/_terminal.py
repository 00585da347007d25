"""How the command line talks to a terminal: faults in one line, progress as a bar."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, Self

import click

import spherelax

if TYPE_CHECKING:
    from spherelax.result import Step

PROGRAM = "spherelax"
INTERRUPTED = 130  # what shells report for Ctrl-C
STAGE = "spherelax.stage"


class OneLineErrors(click.Group):
    """A group of commands whose every fault is one line on standard error and exit code 2."""

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run a command and exit."""
        extra.update(standalone_mode=False, prog_name=PROGRAM)
        try:
            sys.exit(super().main(*args, **extra))
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx else PROGRAM
            message = f"{path}: {error.format_message().rstrip('.')} (see {path} --help)"
        except click.ClickException as error:
            message = f"{PROGRAM}: {error.format_message()}"
        except MemoryError as error:
            message = f"{PROGRAM}: not enough memory; {error}"
        except (OSError, ImportError) as error:
            message = f"{PROGRAM}: {error}"
        except ValueError as error:
            if not isinstance(error, spherelax.InvalidInputError):
                raise
            message = f"{PROGRAM}: {error}"
        click.echo(" ".join(message.splitlines()), err=True)
        sys.exit(2)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """Name the commands in the order in which they were made."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; Ctrl-C ends it with one line."""
        try:
            super().invoke(ctx)
        except KeyboardInterrupt:
            end_interrupted(ctx)


def begin(stage: str) -> None:
    """Note what is done from now on, for the one who interrupts it."""
    click.get_current_context().meta[STAGE] = f"while {stage}"


def end_interrupted(ctx: click.Context, how_far: str | None = None) -> NoReturn:
    """Say how far the work came when Ctrl-C was hit, and exit as shells expect."""
    said = (f"{PROGRAM}: interrupted", how_far or ctx.meta.get(STAGE))
    click.echo(" ".join(filter(None, said)), err=True)
    ctx.exit(INTERRUPTED)


class Progress:
    """A bar for each sweep, where somebody sees it; a context that tidies up behind itself."""

    def __init__(self) -> None:
        self._bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.render_finish()

    @property
    def callback(self) -> Callable[[Step], None] | None:
        """What `solve` is to call after each step; None where nobody would see a bar."""
        return self._show if sys.stderr.isatty() else None

    def complete(self) -> None:
        """Fill the bar: a sweep may need fewer steps than it might have."""
        if self._bar is not None:
            self._bar.finish()
            self._bar.render_progress()

    def _show(self, step: Step) -> None:
        """Move the bar to a step; with the first one of another sweep, begin another bar."""
        if step.index == 0:
            again = self._bar is not None
            if again:
                self.complete()
                self._bar.render_finish()
            label = "sweep again" if again else "sweep"
            # Kept before it opens, so that it is closed even if Ctrl-C comes meanwhile.
            self._bar = click.progressbar(length=step.n_steps, label=label, file=sys.stderr)
            self._bar.__enter__()
        self._bar.update(step.index + 1 - self._bar.pos)
