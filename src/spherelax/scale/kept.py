"""Tuples and readings in files: one archive of arrays, and a tree in JSON of where they belong."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from spherelax.coordinate.graph import Account, Draw, Totals
from spherelax.coordinate.lists import Foretold, Matching, Ranks, Scores
from spherelax.coordinate.readings import Learnt, Listed, Plain, Ranked, Stated
from spherelax.coordinate.worth import Blocks, Curve, SizeRanks, Worth
from spherelax.errors import InvalidInputError
from spherelax.io.files.apart import Arrays
from spherelax.io.files.writing import replace_file
from spherelax.io.tables.arrays import read_arrays

TREE = "tree"
# Classes that one array makes, and its name.
SINGLE = {"Curve": "cuts", "Ranks": "sorted"}
TUPLES = {
    each.__name__: each
    for each in (Account, Blocks, Draw, Foretold, Matching, Scores, SizeRanks, Totals, Worth)
}
MAKERS = {**TUPLES, "Curve": Curve.from_cuts, "Ranks": Ranks}
READINGS = {each.__name__: each for each in (Learnt, Listed, Plain, Ranked, Stated)}

# Named values: numbers, text, arrays, lists and the tuples of the solver.
Values = dict[str, Any]


def keep(path: Path, value: Mapping[str, Any]) -> None:
    """Write named values: numbers, text, arrays, lists, and the tuples and readings of the solver.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "kept.npz")
    ...     keep(path, {"draw": Draw(np.arange(2), np.ones(2), np.ones(2)), "n": [3]})
    ...     found = kept(path)
    >>> found["draw"].items, found["n"]
    (array([0, 1]), [3])
    """
    arrays: Values = {}
    tree = json.dumps(_packed(dict(value), arrays)).encode()
    content = io.BytesIO()
    arrays[TREE] = np.frombuffer(tree, dtype=np.uint8)
    np.savez(content, **arrays)
    replace_file(path, content.getvalue())


def kept(path: Path) -> Values:
    """Read what `keep` wrote."""
    arrays = read_arrays(path)
    try:
        found: Values = _unpacked(json.loads(arrays[TREE].tobytes()), arrays)
    except (ValueError, KeyError, TypeError) as error:
        reason = f"{path}: cannot be read; delete it and run again ({error})"
        raise InvalidInputError(reason) from None
    return found


def once(path: Path, compute: Callable[[], Mapping[str, object]]) -> Values:
    """Return named values that are kept; if they are not, compute and keep them."""
    if not path.exists():
        keep(path, compute())
    return kept(path)


def _packed(value: Any, arrays: Values) -> object:
    """Return a value as JSON has it; its arrays are put aside."""
    name = type(value).__name__
    if isinstance(value, np.ndarray):
        arrays[f"a{len(arrays)}"] = value
        return {"array": f"a{len(arrays) - 1}"}
    if isinstance(value, list):
        return [_packed(each, arrays) for each in value]
    if isinstance(value, dict):
        return {"dict": {name: _packed(each, arrays) for name, each in value.items()}}
    if name in READINGS:
        return {
            name: _packed(
                {field.name: getattr(value, field.name) for field in fields(value)}, arrays
            )
        }
    if name in TUPLES or name in SINGLE:
        parts = [getattr(value, SINGLE[name])] if name in SINGLE else list(value)
        return {name: _packed(parts, arrays)}
    return value.item() if isinstance(value, np.generic) else value


def _unpacked(value: Any, arrays: Arrays) -> Any:
    """Return a value from JSON and arrays."""
    if isinstance(value, list):
        return [_unpacked(each, arrays) for each in value]
    if not isinstance(value, dict):
        return value
    ((name, content),) = value.items()
    if name == "dict":
        return {key: _unpacked(each, arrays) for key, each in content.items()}
    if name == "array":
        return arrays[content]
    if name in READINGS:
        return READINGS[name](**_unpacked(content, arrays))
    return MAKERS[name](*_unpacked(content, arrays))
