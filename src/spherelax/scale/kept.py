"""Named values in sealed files: numbers, text, arrays, tuples and readings of the solver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from spherelax.io.answers.packed import Values, pack, unpack
from spherelax.io.files.seals import check_bytes, seal_bytes


def keep(path: Path, value: Mapping[str, Any]) -> None:
    """Write named values.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "kept.npz")
    ...     keep(path, {"n": [3], "name": "x"})
    ...     kept(path)
    {'n': [3], 'name': 'x'}
    """
    seal_bytes(path, pack(value))


def kept(path: Path) -> Values:
    """Read what `keep` wrote."""
    return unpack(check_bytes(path))


def once(path: Path, compute: Callable[[], Mapping[str, object]]) -> Values:
    """Return named values that are kept; if they are not, compute and keep them."""
    if not path.exists():
        keep(path, compute())
    return kept(path)
