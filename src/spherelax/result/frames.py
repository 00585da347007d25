"""Columns as a data frame of the user's favourite package."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from spherelax.errors import InvalidInputError

# The function of each package that turns a dictionary of columns into a data frame.
FRAMES = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}


def make_frame(columns: Mapping[str, Any], like: str, what: str = "columns") -> Any:
    """Return columns as a data frame of a package, which must be installed.

    Examples
    --------
    >>> make_frame({"item": ["a"], "label": [0]}, "pandas").shape
    (1, 2)
    """
    if like not in FRAMES:
        raise InvalidInputError(f"like must be one of {', '.join(FRAMES)}; found {like!r}")
    try:
        package = import_module(like)
    except ImportError:
        raise ImportError(f"to_frame needs {like}: pip install {like}") from None
    try:
        return getattr(package, FRAMES[like])(dict(columns))
    except (TypeError, ValueError, OverflowError) as error:
        reason = str(error).partition("\n")[0]
        raise InvalidInputError(f"{what} must be of types that {like} has; {reason}") from None
