"""Messages on the terminal: errors in one line, a progress bar, and what Ctrl-C does."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from io import TextIOBase
from time import monotonic
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

import click

import spherelax
from spherelax.errors import brief

if TYPE_CHECKING:
    from spherelax.result import Step

PROGRAM = "spherelax"
INTERRUPTED = 130  # what shells report for Ctrl-C
STAGE, WRITTEN, CUT = "spherelax.stage", "spherelax.written", "spherelax.cut"
THREAD = "spherelax.work"
BAR_STEPS = 1000  # of the progress bar
MINUTE, HOUR = 60, 3600  # in seconds

Found = TypeVar("Found")


class Closed(TextIOBase):
    """A standard output that nobody reads, which Python leaves out: writing there is an error."""

    def write(self, _: str) -> NoReturn:
        """Refuse any text."""
        raise click.ClickException("standard output is closed")


class OneLineErrors(click.Group):
    """A group of commands; every error is one line on standard error and exit code 2."""

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run a command and exit."""
        extra.update(standalone_mode=False, prog_name=PROGRAM)
        if sys.stdout is None:
            sys.stdout = Closed()
        try:
            _exit(super().main(*args, **extra) or 0)
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx else PROGRAM
            message = f"{path}: {error.format_message().rstrip('.')} (see {path} --help)"
        except click.ClickException as error:
            message = f"{PROGRAM}: {error.format_message()}"
        except click.Abort:  # Ctrl-C before a command was running
            sys.exit(INTERRUPTED)
        except MemoryError as error:
            message = f"{PROGRAM}: not enough memory; {error}"
        except ImportError as error:
            message = f"{PROGRAM}: {error}"
        except OSError as error:  # before a command was running
            message = f"{PROGRAM}: standard output: {error.strerror or error}"
        except ValueError as error:
            if not isinstance(error, spherelax.InvalidInputError):
                raise
            message = f"{PROGRAM}: {error}"
        click.echo(brief(message), err=True)
        sys.exit(2)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """Return the names of the commands in the order in which they were defined."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; Ctrl-C or a full disk ends it with one line that says what was done."""
        try:
            super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.meta[CUT] = _how_far(ctx)
        except BrokenPipeError:
            raise  # standard output was closed by its reader; click exits without a message
        except OSError as error:
            reason = error.strerror or error
            raise click.ClickException(f"stopped {_how_far(ctx)}; {reason}") from None
        if CUT in ctx.meta:
            click.echo(f"{PROGRAM}: interrupted {ctx.meta[CUT]}", err=True)
            ctx.exit(INTERRUPTED)


def begin(stage: str) -> None:
    """Keep what the command is doing now, for the message after Ctrl-C."""
    click.get_current_context().meta[STAGE] = f"while {stage}"


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Keep what is being written and, afterwards, that it was written, for messages."""
    begin(f"writing {name}")
    yield
    click.get_current_context().meta.setdefault(WRITTEN, []).append(name)


def cut_short(how_far: str) -> None:
    """Keep how far the sweep came before Ctrl-C; the message follows when all is written."""
    click.get_current_context().meta[CUT] = how_far


def is_cut_short() -> bool:
    """Tell whether Ctrl-C has cut the sweep short."""
    return CUT in click.get_current_context().meta


def in_thread(work: Callable[[], Found], stop: Callable[[], None] | None = None) -> Found:
    """Call ``work`` in a second thread, wait for it, and return what it returns.

    Python raises KeyboardInterrupt in the main thread only. If that thread ran the compiled code,
    the exception could come while Numba turns results into Python objects, and Python would crash.
    The first Ctrl-C calls ``stop``, which should make ``work`` end soon. Without ``stop``, or after
    the second Ctrl-C, KeyboardInterrupt is raised at once.
    """
    outcome: Future[Found] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # `outcome.result` raises it again
            outcome.set_exception(error)

    try:
        threading.Thread(target=run, name=THREAD, daemon=True).start()
        return outcome.result()
    except KeyboardInterrupt:
        if stop is None:
            raise
    stop()
    return outcome.result()


def leave() -> NoReturn:
    """Exit at once: the interpreter would wait for threads that still work for nobody."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(0)


class Progress:
    """One bar for the whole work, if standard error is a terminal; used in ``with``.

    A solver may sweep several times, and nobody knows how often. ``n_ahead`` more sweeps are always
    expected after the current one, so that the bar never goes back.
    """

    def __init__(self, n_ahead: int = 1) -> None:
        self._bar: Any = None
        self._n_ahead = n_ahead
        self._n_sweeps = 0
        self._begin = monotonic()
        self.is_stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.render_finish()

    def stop(self) -> None:
        """Ask the sweep to end after its current step."""
        self.is_stopped = True
        if _is_terminal():
            click.echo("\nstopping after this step; Ctrl-C again stops at once", err=True)

    def callback(self, step: Step) -> None:
        """Show a step that is done; raise KeyboardInterrupt after `stop`. For `solve`."""
        if self.is_stopped:
            raise KeyboardInterrupt
        if _is_terminal():
            self._show(step)

    def complete(self) -> None:
        """Fill the bar when the work is done."""
        if self._bar is not None:
            self._bar.update(BAR_STEPS - self._bar.pos, "")

    def _show(self, step: Step) -> None:
        """Move the bar to a step of the current or of a new sweep."""
        if self._bar is None:
            self._bar = click.progressbar(
                length=BAR_STEPS,
                label="solving",
                show_eta=False,
                item_show_func=lambda said: said,
                file=sys.stderr,
            )
            self._bar.__enter__()
        self._n_sweeps += step.index == 0
        done = self._n_sweeps - 1 + (step.index + 1) / step.n_steps
        left = max(1.0 - done, 0.0) + self._n_ahead * min(done, 1.0)
        seconds = (monotonic() - self._begin) * left / done
        at = int(BAR_STEPS * done / (done + left))
        self._bar.update(max(at - self._bar.pos, 0), f"about {duration(seconds)} left")


@contextmanager
def saying_that_it_compiles() -> Iterator[None]:
    """Say so on a terminal if code is compiled, which happens at its first use only."""
    if not _is_terminal():
        yield
        return
    from numba.core import event

    class Say(event.Listener):
        is_said = False

        def on_start(self, _: object) -> None:
            if not self.is_said:
                self.is_said = True
                click.echo("compiling once, which takes about half a minute", err=True)

        def on_end(self, _: object) -> None:
            pass

    with event.install_listener("numba:compile", Say()):
        yield


def duration(seconds: float) -> str:
    """Return a time in the largest unit that fits.

    Examples
    --------
    >>> duration(7.2), duration(190), duration(9000)
    ('7 s', '3 min', '2.5 h')
    """
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    if seconds < HOUR:
        return f"{seconds / MINUTE:.0f} min"
    return f"{seconds / HOUR:.1f} h"


def _is_terminal() -> bool:
    """Tell whether standard error is a terminal; it may also be closed."""
    return sys.stderr is not None and sys.stderr.isatty()


def _how_far(ctx: click.Context) -> str:
    """Return what a command was doing when it ended early, and what it had written."""
    stage = ctx.meta.get(STAGE, "before anything was read")
    written = ", ".join(ctx.meta.get(WRITTEN, ()))
    return f"{stage} (written before: {written})" if written else stage


def _exit(code: int) -> NoReturn:
    """Exit; after Ctrl-C at once, because the interpreter would wait for a working thread."""
    if code == INTERRUPTED and any(thread.name == THREAD for thread in threading.enumerate()):
        os._exit(code)
    sys.exit(code)
