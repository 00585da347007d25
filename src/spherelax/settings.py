"""Settings of both solvers: their defaults, allowed values and meanings.

``solve`` and the estimators take :class:`Coordinate` or :class:`Power` as ``solver``. The options
of the command line are made from them. Nothing that is slow to import is imported here, so that
``spherelax --help`` is quick.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from inspect import cleandoc
from math import inf
from numbers import Integral, Real
from typing import Any, ClassVar, TypeVar

from spherelax.errors import InvalidInputError, shown


@dataclass(frozen=True)
class Range:
    """Allowed values of a number: an interval, and whether only integers are allowed."""

    low: float
    high: float = inf
    low_open: bool = False
    high_open: bool = True
    integer: bool = False

    def __contains__(self, value: object) -> bool:
        """Tell whether ``value`` is a number of the right type inside the interval."""
        kind = Integral if self.integer else Real
        if isinstance(value, bool) or not isinstance(value, kind):
            return False
        try:
            number = int(value) if self.integer else float(value)  # type: ignore[call-overload]
        except OverflowError:  # an integer of hundreds of digits
            return False
        above = self.low < number if self.low_open else self.low <= number
        below = number < self.high if self.high_open else number <= self.high
        return above and below

    def __str__(self) -> str:
        """Describe the interval as in ``an integer >= 1`` or ``a number in (0, 0.5]``."""
        noun = "an integer" if self.integer else "a number"
        if self.high == inf:
            kind = noun if self.integer else "a finite number"
            return f"{kind} {'>' if self.low_open else '>='} {self.low:g}"
        left, right = "(" if self.low_open else "[", ")" if self.high_open else "]"
        return f"{noun} in {left}{self.low:g}, {self.high:g}{right}"


# Steps of a sweep, and passes and labels at each, at most: far beyond any use, but they end.
MOST = 10_000
HIGHEST = 1e15  # resolutions above it are as good as it: alpha would be rounded to 1

# Whether every group holds each thing once.
ONE_PER_GROUP = ("always", "unless_copies")

POSITIVE_INTEGER = Range(1, integer=True)
RESOLUTION = Range(0, low_open=True)
NOT_NEGATIVE = Range(0)

AnySolver = TypeVar("AnySolver", bound="type[Coordinate | Power]")


def check_range(legal: Range, **values: object) -> None:
    """Raise :class:`InvalidInputError` for the first value outside a range."""
    for name, value in values.items():
        if value not in legal:
            raise InvalidInputError(f"{name} must be {legal}; found {shown(value)}")


def _setting(default: Any, legal: Range, text: str) -> Any:
    """Declare a setting with its default, its allowed values and its meaning."""
    return field(default=default, metadata={"legal": legal, "text": text})


def _documented(cls: AnySolver) -> AnySolver:
    """Add the settings of a class to its docstring, before the examples."""
    parameters = "\n".join(
        f"{setting.name} : {'int' if setting.metadata['legal'].integer else 'float'}"
        f"{', optional' if setting.default is None else ''}\n    {setting.metadata['text']}"
        for setting in fields(cls)
    )
    head, found, examples = cleandoc(cls.__doc__ or "").partition("Examples\n")
    if found:  # not with python -OO
        cls.__doc__ = f"{head}Parameters\n----------\n{parameters}\n\nExamples\n{examples}\n"
    return cls


class _Checked:
    """Settings that are checked when an instance is created."""

    def __post_init__(self) -> None:
        for setting in fields(self):  # type: ignore[arg-type]
            value = getattr(self, setting.name)
            if value is not None or setting.default is not None:
                check_range(setting.metadata["legal"], **{setting.name: value})


PASSES = Range(1, MOST, high_open=False, integer=True)
PASSES_TEXT = "Number of passes over all items at each step of the sweep, N of the paper."
ETA_FLOOR_TEXT = (
    "For the pick eta: values of eta below this share of the largest one count as zero. 0 is the "
    "algorithm as printed in the paper."
)


@_documented
@dataclass(frozen=True, kw_only=True)
class Coordinate(_Checked):
    """Settings of the default solver, which has no bound on the number of labels.

    It goes from high to low resolutions, each lower by the same factor, and improves the labels at
    each of them. It can solve millions of items. ``solver="coordinate"`` means
    ``solver=Coordinate()``.

    Examples
    --------
    >>> import numpy as np
    >>> import spherelax as sl
    >>> W = np.kron(np.eye(2), np.ones((4, 4)))
    >>> sl.solve(W, solver=sl.Coordinate(n_steps=20)).n_labels
    2
    """

    name: ClassVar[str] = "coordinate"
    picks: ClassVar[tuple[str, ...]] = ("description", "eta", "stability")

    n_steps: int | None = _setting(
        None,
        Range(2, MOST, high_open=False, integer=True),
        "Number of resolutions, from the largest similarity to just below the average one. "
        "Default: 40; for 4096 items or more, one for each factor of two.",
    )
    row_entries: int | None = _setting(
        None,
        Range(2, MOST, high_open=False, integer=True),
        "Largest number of labels that an item may belong to in part during the sweep. "
        "Default: 4; for 4096 items or more, 2.",
    )
    n_inner: int = _setting(2, PASSES, PASSES_TEXT)
    eta_floor: float = _setting(1e-9, Range(0, 1), ETA_FLOOR_TEXT)


@_documented
@dataclass(frozen=True, kw_only=True)
class Power(_Checked):
    """Settings of the paper's solver: power iterations on a dense U while alpha falls from 1 to 0.

    It needs memory for two arrays of ``n_items`` x ``max_labels`` numbers and can solve thousands
    of items. ``solver="power"`` means ``solver=Power()``.

    Examples
    --------
    >>> import numpy as np
    >>> import spherelax as sl
    >>> W = np.kron(np.eye(2), np.ones((4, 4)))
    >>> sl.solve(W, solver=sl.Power(alpha_step=0.05)).n_labels
    2
    """

    name: ClassVar[str] = "power"
    picks: ClassVar[tuple[str, ...]] = ("eta", "description", "stability")

    max_labels: int | None = _setting(
        None,
        POSITIVE_INTEGER,
        "Upper bound on the number of labels, k of the paper; items that are similar to no other "
        "do not count. Default: a generous bound for the input, path.max_labels of the result.",
    )
    alpha_step: float = _setting(
        0.01,
        Range(1 / MOST, 0.5, high_open=False),
        "Difference of alpha from step to step, epsilon_alpha of the paper; "
        "resolution = alpha / (1 - alpha).",
    )
    n_inner: int = _setting(20, PASSES, PASSES_TEXT)
    delta_margin: float = _setting(
        0.0,
        NOT_NEGATIVE,
        "Added to the smallest delta that makes V positive semidefinite, epsilon_eta of the paper.",
    )
    kappa: float = _setting(
        0.01,
        NOT_NEGATIVE,
        "A number that is added to every normalised similarity. Where the resolution is below it, "
        "even items with similarity 0 attract each other.",
    )
    eta_floor: float = _setting(1e-9, Range(0, 1), ETA_FLOOR_TEXT)


SOLVERS: dict[str, type[Coordinate | Power]] = {
    solver.name: solver for solver in (Coordinate, Power)
}


def solver_settings(solver: object) -> Coordinate | Power:
    """Return the default settings for the name of a solver; settings are returned as they are.

    Examples
    --------
    >>> solver_settings("coordinate") == Coordinate()
    True
    """
    if isinstance(solver, Coordinate | Power):
        return solver
    if isinstance(solver, str) and solver in SOLVERS:
        return SOLVERS[solver]()
    names = ", ".join(map(repr, SOLVERS))
    raise InvalidInputError(
        f"solver must be one of {names}, or an instance of Coordinate or Power; "
        f"found {shown(solver)}"
    )


def checked_pick(pick: object, solver: Coordinate | Power) -> str | float:
    """Return a pick that the solver has: a name or a resolution; for None, the default name.

    Examples
    --------
    >>> checked_pick(None, Power()), checked_pick(2.5, Coordinate())
    ('eta', 2.5)
    """
    if pick is None:
        return solver.picks[0]
    if isinstance(pick, str):
        if pick in solver.picks:
            return pick
        raise InvalidInputError(
            f"pick must be one of {', '.join(solver.picks)} or a resolution; found {shown(pick)}"
        )
    check_range(RESOLUTION, pick=pick)
    return min(float(pick), HIGHEST)  # type: ignore[arg-type]
