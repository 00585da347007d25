"""How the command line talks to a terminal: faults in one line, progress as a bar, Ctrl-C."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

import click

import spherelax

if TYPE_CHECKING:
    from spherelax.result import Step

PROGRAM = "spherelax"
INTERRUPTED = 130  # what shells report for Ctrl-C
STAGE, WRITTEN, CUT = "spherelax.stage", "spherelax.written", "spherelax.cut"
ASIDE = "spherelax.aside"

Found = TypeVar("Found")


class OneLineErrors(click.Group):
    """A group of commands whose every fault is one line on standard error and exit code 2."""

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run a command and exit."""
        extra.update(standalone_mode=False, prog_name=PROGRAM)
        try:
            _leave(super().main(*args, **extra) or 0)
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx else PROGRAM
            message = f"{path}: {error.format_message().rstrip('.')} (see {path} --help)"
        except click.ClickException as error:
            message = f"{PROGRAM}: {error.format_message()}"
        except click.Abort:  # Ctrl-C before there was a command
            sys.exit(INTERRUPTED)
        except MemoryError as error:
            message = f"{PROGRAM}: not enough memory; {error}"
        except ImportError as error:
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
        """Run a command; Ctrl-C and a full disk end it with one line that says how far it came."""
        try:
            super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.meta[CUT] = _how_far(ctx)
        except BrokenPipeError:
            raise  # whoever reads standard output has enough; click ends quietly
        except OSError as error:
            reason = error.strerror or error
            raise click.ClickException(f"stopped {_how_far(ctx)}; {reason}") from None
        if CUT in ctx.meta:
            click.echo(f"{PROGRAM}: interrupted {ctx.meta[CUT]}", err=True)
            ctx.exit(INTERRUPTED)


def begin(stage: str) -> None:
    """Note what is done from now on, for the one who interrupts it."""
    click.get_current_context().meta[STAGE] = f"while {stage}"


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Note what is written now, and then that it is there."""
    begin(f"writing {name}")
    yield
    click.get_current_context().meta.setdefault(WRITTEN, []).append(name)


def cut_short(how_far: str) -> None:
    """Note how far the sweep came before Ctrl-C, to be said when all is written."""
    click.get_current_context().meta[CUT] = how_far


def aside(work: Callable[[], Found], stop: Callable[[], None] | None = None) -> Found:
    """Do work in a second thread and wait for it.

    Python tells its first thread alone of Ctrl-C. In a thread that runs compiled code it would
    strike when Numba makes objects of the outcome, which ends in a crash. The first Ctrl-C calls
    ``stop``, which is to end the work soon; without it, or at the second one, the wait is over.
    """
    outcome: Future[Found] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # raised again where it is awaited
            outcome.set_exception(error)

    try:
        threading.Thread(target=run, name=ASIDE, daemon=True).start()
        return outcome.result()
    except KeyboardInterrupt:
        if stop is None:
            raise
    stop()
    return outcome.result()


class Progress:
    """A bar for each sweep, where somebody sees it; a context that tidies up behind itself."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._n_sweeps = 0
        self.is_stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.render_finish()

    def stop(self) -> None:
        """End the sweep with its next step."""
        self.is_stopped = True
        if _is_seen():
            click.echo("\nstopping after this step; Ctrl-C again stops at once", err=True)

    def callback(self, step: Step) -> None:
        """Show a step that is done, and end the sweep if it is to stop: for `solve`."""
        if self.is_stopped:
            raise KeyboardInterrupt
        if _is_seen():
            self._show(step)

    def complete(self) -> None:
        """Fill the bar: a sweep may need fewer steps than it might have."""
        if self._bar is not None:
            self._bar.finish()
            self._bar.render_progress()

    def _show(self, step: Step) -> None:
        """Move the bar to a step; with the first one of another sweep, begin another bar."""
        if step.index == 0:
            if self._bar is not None:
                self.complete()
                self._bar.render_finish()
            self._n_sweeps += 1
            label = "sweep" if self._n_sweeps == 1 else f"pass {self._n_sweeps}"
            self._bar = click.progressbar(length=step.n_steps, label=label, file=sys.stderr)
            self._bar.__enter__()
        self._bar.update(step.index + 1 - self._bar.pos)


def _is_seen() -> bool:
    """Tell whether somebody looks at standard error, which may even be closed."""
    return sys.stderr is not None and sys.stderr.isatty()


def _how_far(ctx: click.Context) -> str:
    """Say what was done when a command ended early, and what it has written."""
    stage = ctx.meta.get(STAGE, "before anything was read")
    written = ", ".join(ctx.meta.get(WRITTEN, ()))
    return f"{stage} (written before: {written})" if written else stage


def _leave(code: int) -> NoReturn:
    """Exit; after Ctrl-C at once, where the interpreter would wait for the threads of work."""
    if code == INTERRUPTED and any(thread.name == ASIDE for thread in threading.enumerate()):
        os._exit(code)
    sys.exit(code)
