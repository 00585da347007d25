"""Tuples and readings of the solver as bytes: an archive of arrays, and a tree of their places."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from io import BytesIO
from typing import Any

import numpy as np

from spherelax.coordinate.graph import Account, Draw, Totals
from spherelax.coordinate.known import Known
from spherelax.coordinate.lists import ByScore, Foretold, Matching, Ranks, Scores
from spherelax.coordinate.points import Unseen
from spherelax.coordinate.readings import Learnt, Listed, Measured, Plain, Ranked, Stated
from spherelax.coordinate.trail import Route
from spherelax.coordinate.worth import Blocks, Curve, SizeRanks, Worth
from spherelax.io.files.apart import Arrays
from spherelax.io.tables.arrays import unpack_arrays
from spherelax.judgements import Judgements
from spherelax.result import Duplicates
from spherelax.settings import Coordinate

TREE = "tree"
# Classes that one array makes, and its name.
SINGLE = {"Curve": "cuts", "Ranks": "sorted"}
TUPLES = {
    each.__name__: each
    for each in (
        *(Account, Blocks, ByScore, Draw, Foretold, Known, Matching, Route, Scores, SizeRanks),
        *(Totals, Worth),
    )
}
MAKERS = {**TUPLES, "Curve": Curve.from_cuts, "Ranks": Ranks}
RECORDS = {
    each.__name__: each
    for each in (
        *(Learnt, Listed, Measured, Plain, Ranked, Stated),
        *(Coordinate, Duplicates, Judgements, Unseen),
    )
}

# Named values: numbers, text, arrays, lists and the tuples of the solver.
Values = dict[str, Any]


def pack(value: Mapping[str, Any]) -> bytes:
    """Return named values as bytes: numbers, text, arrays, lists, tuples, readings; no pickle.

    Examples
    --------
    >>> draw = Draw(np.arange(2), np.ones(2), np.ones(2))
    >>> found = unpack(pack({"draw": draw, "n": [3]}))
    >>> found["draw"].items, found["n"]
    (array([0, 1]), [3])
    """
    arrays: Values = {}
    tree = json.dumps(_pack_value(dict(value), arrays)).encode()
    content = BytesIO()
    arrays[TREE] = np.frombuffer(tree, dtype=np.uint8)
    np.savez(content, **arrays)
    return content.getvalue()


def unpack(content: bytes | memoryview) -> Values:
    """Return what `pack` packed."""
    arrays = unpack_arrays(BytesIO(content))
    found: Values = _unpack_value(json.loads(arrays[TREE].tobytes()), arrays)
    return found


def _pack_value(value: Any, arrays: Values) -> object:
    """Return a value as JSON has it; its arrays are put aside."""
    name = type(value).__name__
    if isinstance(value, np.ndarray):
        arrays[f"a{len(arrays)}"] = value
        return {"array": f"a{len(arrays) - 1}"}
    if type(value) in (list, tuple):
        return [_pack_value(each, arrays) for each in value]
    if isinstance(value, dict):
        return {"dict": {name: _pack_value(each, arrays) for name, each in value.items()}}
    if name in RECORDS:
        return {
            name: _pack_value(
                {field.name: getattr(value, field.name) for field in fields(value)}, arrays
            )
        }
    if name in TUPLES or name in SINGLE:
        parts = [getattr(value, SINGLE[name])] if name in SINGLE else list(value)
        return {name: _pack_value(parts, arrays)}
    return value.item() if isinstance(value, np.generic) else value


def _unpack_value(value: Any, arrays: Arrays) -> Any:
    """Return a value from JSON and arrays."""
    if isinstance(value, list):
        return [_unpack_value(each, arrays) for each in value]
    if not isinstance(value, dict):
        return value
    ((name, content),) = value.items()
    if name == "dict":
        return {key: _unpack_value(each, arrays) for key, each in content.items()}
    if name == "array":
        return arrays[content]
    if name in RECORDS:
        return RECORDS[name](**_unpack_value(content, arrays))
    return MAKERS[name](*_unpack_value(content, arrays))
