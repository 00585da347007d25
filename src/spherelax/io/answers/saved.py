"""Results in files, without pickle: labels, confidence, the whole path, and what extends it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from spherelax._solve import extend_result, forget_items
from spherelax._version import __version__
from spherelax.errors import InvalidInputError, shown
from spherelax.io.answers.loaded import KNOWN, Loaded
from spherelax.io.files.faults import about
from spherelax.io.files.mapped import Array
from spherelax.io.files.writing import replace_file
from spherelax.io.items import Named
from spherelax.io.tables.arrays import BROKEN, read_arrays, unpack_arrays
from spherelax.labels import are_in_order
from spherelax.result import TAKEN_FOR, EntityProbability, Reading, Result, Status, SweepPath

NONE = -1  # stands for None among the integers of a file
MARKS = ("joined", "right", "left")  # steps that may be None
# The arrays of a saved result: the kinds of their dtype and their number of dimensions.
SAVED = {
    "version": ("U", 0),
    "labels": ("i", 1),
    "confidence": ("f", 1),
    "is_probability": ("b", 0),
    **dict.fromkeys(("status", "kind", "reading"), ("U", 0)),
    "alternative": ("i", 0),
    "picked": ("i", 0),
    **dict.fromkeys(MARKS, ("i", 0)),
    "max_labels": ("i", 0),
    "path_alphas": ("f", 1),
    "path_etas": ("f", 1),
    "path_objectives": ("f", 1),
    "path_steps": ("i", 1),
    "path_labels": ("i", 2),
    "path_is_complete": ("b", 0),
}
# What every version of such a file holds, by which it is recognised.
RECOGNISED = ("version", "labels", "path_labels")
# The texts of a file and the values that each may have.
NAMES = {"status": tuple(Status), "reading": tuple(Reading), "kind": tuple(TAKEN_FOR)}
LIKELY = ("pure", "whole")
LARGEST = 1e100  # of numbers that have no bound of their own
BELOW_ONE = float(np.nextafter(1.0, 0.0))
# The arrays of numbers with the least and the largest value that they may hold.
RANGES = (
    ("path_alphas", 0.0, BELOW_ONE),
    ("path_etas", 0.0, LARGEST),
    ("path_objectives", -LARGEST, LARGEST),
    ("path_savings", -LARGEST, LARGEST),
    ("confidence", 0.0, 1.0),
    ("pure", 0.0, 1.0),
    ("whole", 0.0, 1.0),
    ("max_labels", 1, np.iinfo(np.int64).max),
)
CURVES = ("path_alphas", "path_etas", "path_objectives", "path_savings")


def save_result(path: str | Path, result: Result, items: Named | None = None) -> None:
    """Save a result with its whole path as ``.npz``, without pickle.

    Parameters
    ----------
    path : str or Path
        ``.npz``. It holds ``labels``, ``confidence``, the numbers and labels of the path, if it is
        known how likely labels are right, ``pure`` and ``whole`` of each, and, if items are given,
        their ``ids``: integers as they are, other ids as the text of ``items.names``.
        ``numpy.load`` can read each of them by name. What ``extend`` and ``assign`` need is in it
        too, but for points: what was learnt of the similarities, in a few kB, and 8 bytes per item
        that tell whether its similarities have changed. The similarities themselves are not.
    result : Result
        The result to save.
    items : Items or Points, optional
        The items whose ids are saved.

    Examples
    --------
    See :func:`load_result`.

    >>> save_result("result.txt", None)
    Traceback (most recent call last):
        ...
    spherelax.errors.InvalidInputError: result.txt: a saved result must end in .npz
    """
    path = Path(path)
    if path.suffix.lower() != ".npz":
        raise InvalidInputError(f"{path}: a saved result must end in .npz")
    replace_file(path, dump_result(result, items))


def dump_result(result: Result, items: Named | None = None) -> bytes:
    """Return what :func:`save_result` saves, as bytes."""
    sweep = result.path
    # Steps may share an array; each is saved once.
    shared = {id(labels): labels for labels in sweep.labels}
    place = {key: number for number, key in enumerate(shared)}
    marks = dict(zip(MARKS, (sweep.joined, *sweep.maxima), strict=True))
    arrays: dict[str, Any] = {
        "version": __version__,
        "labels": result.labels,
        "confidence": result.confidence,
        "is_probability": result.is_probability,
        "status": str(result.status),
        "kind": result.kind,
        "reading": str(result.reading),
        "alternative": NONE if result.alternative is None else result.alternative,
        "picked": sweep.picked,
        **{name: NONE if step is None else step for name, step in marks.items()},
        "max_labels": sweep.max_labels,
        "path_alphas": sweep.alphas,
        "path_etas": sweep.etas,
        "path_objectives": sweep.objectives,
        "path_steps": [place[id(labels)] for labels in sweep.labels],
        "path_labels": np.stack(list(shared.values())),
        "path_is_complete": sweep.is_complete,
    }
    if sweep.savings is not None:
        arrays["path_savings"] = sweep.savings
    likely = result.entities()
    if likely is not None:
        arrays |= {"pure": likely.pure, "whole": likely.whole}
    if items is not None:
        arrays["ids"] = _saved_ids(items)
    known = result._solved.known()
    if known is not None and known.is_plain:
        from spherelax.io.answers.packed import pack

        arrays[KNOWN] = np.frombuffer(pack({"known": known}), dtype=np.uint8)
    content = BytesIO()
    np.savez_compressed(content, **arrays)
    return content.getvalue()


def load_result(path: str | Path) -> Result:
    """Load a result that :func:`save_result` saved; nothing in the file is executed.

    The result is extended, by ``extend`` and ``assign``, as the one that was saved, unless it is of
    points. But the similarities are not in the file. So ``at`` and ``with_n_labels`` return labels,
    but the confidence is NaN at all steps except the saved one. ``embedding``,
    ``listed_probability`` and the probability of ``pairs`` raise `InvalidInputError`, and so does
    ``entities`` at all other steps; ``duplicates`` returns None.

    Parameters
    ----------
    path : str or Path
        ``.npz``.

    Returns
    -------
    Result
        With the saved labels, confidence and path.

    Raises
    ------
    InvalidInputError
        If the file is missing or damaged, or holds something else.

    Examples
    --------
    >>> import tempfile
    >>> import spherelax as sl
    >>> result = sl.solve(np.kron(np.eye(3), np.full((4, 4), 5.0)) + 0.5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "result.npz")
    ...     save_result(path, result)
    ...     loaded = load_result(path)
    >>> loaded.n_labels, loaded.with_n_labels(1).n_labels
    (3, 1)
    """
    return _parse(path, read_arrays(path, *RECOGNISED))


def parse_result(name: str, content: bytes) -> Result:
    """Return the result that :func:`dump_result` returned as bytes; messages have the name.

    Examples
    --------
    >>> import spherelax as sl
    >>> parse_result("lesson", dump_result(sl.solve(np.kron(np.eye(3), np.ones((4, 4)))))).n_labels
    3
    """
    with about(name, *BROKEN):
        arrays = unpack_arrays(BytesIO(content))
    return _parse(name, arrays)


def _parse(path: str | Path, saved: Mapping[str, Array]) -> Result:
    """Return the result of the arrays of a file; refuse arrays of anything else."""
    if not SAVED.keys() <= saved.keys():
        version = shown(str(saved["version"]))
        raise InvalidInputError(
            f"{path}: must be saved by this version of spherelax; found {version}, solve again"
        )
    fault = next(_faults(saved), None)
    if fault:
        raise InvalidInputError(f"{path}: not a saved result; {fault}")
    steps = list(saved["path_labels"])  # so that equal steps share an array again
    joined, right, left = (None if saved[name] == NONE else int(saved[name]) for name in MARKS)
    sweep = SweepPath(
        alphas=saved["path_alphas"],
        etas=saved["path_etas"],
        objectives=saved["path_objectives"],
        labels=tuple(steps[step] for step in saved["path_steps"]),
        savings=saved.get("path_savings"),
        is_complete=bool(saved["path_is_complete"]),
        picked=int(saved["picked"]),
        joined=joined,
        maxima=(right, left),
        max_labels=int(saved["max_labels"]),
    )
    alternative = int(saved["alternative"])
    likely = EntityProbability(saved["pure"], saved["whole"]) if {*LIKELY} <= saved.keys() else None
    return Result(
        status=Status(str(saved["status"])),
        kind=str(saved["kind"]),
        reading=Reading(str(saved["reading"])),
        path=sweep,
        alternative=alternative if alternative > 0 else None,
        _solved=Loaded(
            str(path),
            saved["labels"],
            sweep.alpha,
            saved["confidence"],
            bool(saved["is_probability"]),
            likely,
            int(saved["max_labels"]),
            saved.get(KNOWN),
        ),
        _extend=extend_result if KNOWN in saved else None,
        _forget=forget_items,
    )


def _saved_ids(items: Named) -> Array:
    """Return ids as integers if all are integers that fit, otherwise names as text."""
    names = items.names
    ids = range(len(names)) if items.ids is None else items.ids
    if all(isinstance(name, Integral) for name in ids):
        numbers = np.array(ids)
        # Larger integers would become Python objects, which NumPy pickles, or lose digits.
        if numbers.dtype.kind in "iu" and list(map(str, numbers.tolist())) == names:
            return numbers
    return np.array(names, dtype=np.str_)


def _faults(saved: Mapping[str, Array]) -> Iterator[str]:
    """Yield what is wrong with the arrays of a saved result; only the first one is certain."""
    for name, (kind, n_dimensions) in SAVED.items():
        array = saved[name]
        if array.dtype.kind != kind or array.ndim != n_dimensions:
            yield f"{name} has dtype {array.dtype} and shape {array.shape}"
    for name, known in NAMES.items():
        if str(saved[name]) not in known:
            yield f"{name} {shown(str(saved[name]))} is not known"
    yield from _wrong_shapes(saved)
    yield from _wrong_numbers(saved)


def _wrong_shapes(saved: Mapping[str, Array]) -> Iterator[str]:
    """Yield which arrays are longer or shorter than others, or have none of their numbers."""
    labels, steps = saved["path_labels"], saved["path_steps"]
    n_labels = int(saved["labels"].max(initial=-1)) + 1
    shapes = {
        **dict.fromkeys(CURVES, steps.shape),
        **dict.fromkeys(("labels", "confidence", "ids"), labels.shape[1:]),
        **dict.fromkeys(LIKELY, (n_labels,)),
    }
    for name, shape in shapes.items():
        if name in saved and saved[name].shape != shape:
            yield f"{name} must have shape {shape}; found {saved[name].shape}"
    if "ids" in saved and saved["ids"].dtype.kind not in "iuU":
        yield f"ids must be integers or text; found dtype {saved['ids'].dtype}"
    known = saved.get(KNOWN, np.empty(0, dtype=np.uint8))
    if known.dtype != np.uint8 or known.ndim != 1:
        yield f"{KNOWN} has dtype {known.dtype} and shape {known.shape}"
    if not labels.size or not steps.size:
        yield "it has no items or no steps"


def _wrong_numbers(saved: Mapping[str, Array]) -> Iterator[str]:
    """Yield which arrays hold numbers that they cannot hold."""
    labels, n_steps = saved["path_labels"], len(saved["path_steps"])
    for name, first, end in (
        ("path_steps", 0, len(labels)),
        ("path_labels", 0, labels.shape[1]),
        ("labels", 0, labels.shape[1]),
        ("picked", 0, n_steps),
        *((name, NONE, n_steps) for name in MARKS),
    ):
        if not np.all((saved[name] >= first) & (saved[name] < end)):
            yield f"{name} must be at least {first} and below {end}"
    for name, low, high in RANGES:
        if name in saved and not _are_within(saved[name], low, high, may_miss=name == "confidence"):
            yield f"{name} must hold numbers from {low:g} to {high:g}"
    if np.any(np.diff(saved["path_alphas"]) > 0):
        yield "path_alphas must not rise"
    if not all(map(are_in_order, (saved["labels"], *labels))):
        yield "labels must be numbered in order of first appearance"
    step = int(saved["picked"])
    if not np.array_equal(saved["labels"], labels[saved["path_steps"][step]]):
        yield f"labels are not those of step {step}"


def _are_within(values: Array, low: float, high: float, *, may_miss: bool) -> bool | np.bool_:
    """Tell whether numbers are inside a range; those that may miss may be NaN."""
    if values.dtype.kind not in "fi":
        return False
    return np.all((values >= low) & (values <= high) | (np.isnan(values) & may_miss))
