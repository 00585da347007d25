"""Find which items are the same thing, when the number of things is not known.

The main names are ``solve`` and the two scikit-learn estimators. Similarities, metrics, data sets,
other methods, files, pairs that do not fit into memory, pictures and reports are in modules of
their own. A name is loaded when it is first used, so that ``import spherelax`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from spherelax._version import __version__

if TYPE_CHECKING:
    from spherelax import baselines, cells, datasets, io, metrics, plot, report, scale, similarity
    from spherelax._solve import solve
    from spherelax.changes import Diff, Ids, diff, keep_ids
    from spherelax.errors import InvalidInputError, SphereWarning
    from spherelax.estimators import SphereClustering, SphereMatching
    from spherelax.project import Project
    from spherelax.quality import Evaluation, evaluate, sample
    from spherelax.result import (
        Duplicates,
        EntityProbability,
        Explanation,
        Pairs,
        Questions,
        Reading,
        Result,
        Status,
        Step,
        SweepPath,
    )
    from spherelax.settings import Coordinate, Power

__all__ = [
    "Coordinate",
    "Diff",
    "Duplicates",
    "EntityProbability",
    "Evaluation",
    "Explanation",
    "Ids",
    "InvalidInputError",
    "Judgements",
    "Pairs",
    "Power",
    "Project",
    "Questions",
    "Reading",
    "Result",
    "SphereClustering",
    "SphereMatching",
    "SphereWarning",
    "Status",
    "Step",
    "SweepPath",
    "__version__",
    "baselines",
    "cells",
    "datasets",
    "diff",
    "evaluate",
    "io",
    "keep_ids",
    "metrics",
    "plot",
    "report",
    "sample",
    "scale",
    "similarity",
    "solve",
]

_MODULES = (
    *("baselines", "cells", "datasets", "io", "metrics", "plot", "report", "scale", "similarity"),
)
_HOMES = {
    "Coordinate": "settings",
    "Diff": "changes",
    "Duplicates": "result",
    "EntityProbability": "result",
    "Evaluation": "quality",
    "Explanation": "result",
    "Ids": "changes",
    "InvalidInputError": "errors",
    "Judgements": "judgements",
    "Pairs": "result",
    "Power": "settings",
    "Project": "project",
    "Questions": "result",
    "Reading": "result",
    "Result": "result",
    "SphereClustering": "estimators",
    "SphereMatching": "estimators",
    "SphereWarning": "errors",
    "Status": "result",
    "Step": "result",
    "SweepPath": "result",
    "diff": "changes",
    "evaluate": "quality",
    "keep_ids": "changes",
    "sample": "quality",
    "solve": "_solve",
}


def __getattr__(name: str) -> object:
    """Load a public name at its first use."""
    if name in _MODULES:
        return import_module(f"spherelax.{name}")
    if name in _HOMES:
        return getattr(import_module(f"spherelax.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'spherelax' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
