"""Errors about files: one line that begins with the name of the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spherelax.errors import InvalidInputError


@contextmanager
def about(path: str | Path, *broken: type[Exception]) -> Iterator[None]:
    """Turn errors while a file is read into errors that name the file.

    Parameters
    ----------
    path : str or Path
        The file.
    *broken : type of Exception
        Errors that a reader raises for a file whose content does not fit its ending.

    Raises
    ------
    InvalidInputError
        For errors without the name of the file, errors of the system, and those of the reader.

    Examples
    --------
    >>> with about("similarity.npy", EOFError):
    ...     raise EOFError("No data left in file")
    Traceback (most recent call last):
        ...
    spherelax.errors.InvalidInputError: similarity.npy: not a readable .npy file; No data left \
in file
    """
    if "\0" in str(path):
        raise InvalidInputError(f"{path}: the name of a file must not have a zero byte")
    damage: tuple[type[Exception], ...] = (OSError, *broken)
    try:
        yield
    except InvalidInputError as error:
        said = str(error)
        is_named = said.startswith(f"{path}: ")
        raise InvalidInputError(said if is_named else f"{path}: {said}") from None
    except ImportError:
        raise
    except damage as error:
        # Libraries raise OSError for damaged files too, but then without a number.
        number = error.errno if isinstance(error, OSError) else None
        unreadable = f"not a readable {Path(path).suffix.lower()} file; {first_line(error)}"
        reason = os.strerror(number) if number else unreadable
        raise InvalidInputError(f"{path}: {reason}") from None


def first_line(error: Exception) -> str:
    r"""Return the first line of the message of an error.

    Examples
    --------
    >>> first_line(ValueError("Magic bytes not found\nsee the log"))
    'Magic bytes not found'
    """
    return next(iter(str(error).splitlines()), "") or type(error).__name__
