"""Checkpoints: what a long run has done so far, in one file that is always whole.

It is an ``.npz`` without pickle, which is replaced by the next one when that is complete. Arrays
that stay are copied from file to file, so that they need no memory.
"""

from __future__ import annotations

import shutil
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax._version import __version__
from spherelax.errors import InvalidInputError, SphereWarning, brief, shown
from spherelax.io.files.faults import first_line
from spherelax.io.files.writing import check_target, drafted, is_device, remove_left
from spherelax.io.tables.arrays import read_some
from spherelax.problem import CHECK_ROWS, Problem

ENDING = ".npz"
# Seconds from one writing to the next, at least; and the share of the time that it takes, at most.
EVERY = 30.0
SHARE = 0.02
# How the names of arrays begin that say what the run is, and of those that are soon out of date.
RUN, PASSING = "run/", "now"
FINGERPRINT = f"{RUN}fingerprint"
COPIED = 1 << 20  # bytes of an array that are copied at a time


class Checkpoint:
    """The checkpoint of a run; one of another run is refused.

    Parameters
    ----------
    path : str or Path
        ``.npz``.
    fingerprint : str
        What the run is, from `fingerprint`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "run.npz")
    ...     Checkpoint(path, "one").write({"walk1/etas": np.ones(2)})
    ...     Checkpoint(path, "one").read("walk1/")
    {'etas': array([1., 1.])}
    """

    def __init__(self, path: str | Path, fingerprint: str) -> None:
        self.path, self._fingerprint = Path(path), fingerprint
        if self.path.suffix.lower() != ENDING:
            raise InvalidInputError(f"{path}: a checkpoint must end in {ENDING}")
        check_target(path)
        if is_device(path):
            raise InvalidInputError(f"{path}: a checkpoint must be a file")
        remove_left(path)
        self._names = self._checked_names() if self.path.exists() else set()
        self._next = monotonic() + EVERY

    def read(self, start: str) -> dict[str, NDArray[Any]]:
        """Return the arrays whose names begin so, by the rest of their names."""
        if not any(name.startswith(start) for name in self._names):
            return {}
        found = read_some(self.path, start)
        return {name.removeprefix(start): array for name, array in found.items()}

    def is_due(self) -> bool:
        """Tell whether it is time to write again."""
        return monotonic() >= self._next

    def write(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write arrays; those that were written before stay, but for the passing ones.

        If that fails, there is a warning, and nothing is written any more: the run is worth more.
        """
        if self._next == inf:
            return
        begin = monotonic()
        lasting = {name for name in self._names if not name.startswith((PASSING, RUN))}
        run = {f"{RUN}version": np.array(__version__), FINGERPRINT: np.array(self._fingerprint)}
        try:
            if lasting:
                self._checked_names()
            with drafted(self.path) as draft, zipfile.ZipFile(draft, "w") as archive:
                _copy(self.path, sorted(lasting), archive)
                for name, array in {**run, **arrays}.items():
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                        np.lib.format.write_array(member, array, allow_pickle=False)
        except (OSError, KeyError, zipfile.BadZipFile, InvalidInputError) as error:
            self._next = inf
            said = f"{self.path}: no longer written; {first_line(error)}. The run goes on without."
            warnings.warn(brief(said), SphereWarning, stacklevel=2)
            return
        self._names = lasting | run.keys() | arrays.keys()
        end = monotonic()
        self._next = end + max(EVERY, (end - begin) / SHARE)

    def fault(self, found: str) -> InvalidInputError:
        """Return an error about what was found in it."""
        return InvalidInputError(f"{self.path}: damaged; {found}. Delete it to begin anew")

    def _checked_names(self) -> set[str]:
        """Return the names of the arrays; refuse the file of another run."""
        run = read_some(self.path, RUN)
        if not {f"{RUN}version", FINGERPRINT} <= run.keys():
            raise InvalidInputError(f"{self.path}: not a checkpoint; choose another file")
        version = str(run[f"{RUN}version"])
        if version != __version__:
            raise InvalidInputError(
                f"{self.path}: a checkpoint of spherelax {shown(version)}, and this is "
                f"{__version__}; choose another file, or delete this one"
            )
        if str(run[FINGERPRINT]) != self._fingerprint:
            raise InvalidInputError(
                f"{self.path}: a checkpoint of another problem or of other settings; choose "
                "another file, or delete this one"
            )
        with zipfile.ZipFile(self.path) as archive:
            return {name.removesuffix(".npy") for name in archive.namelist()}


def _copy(path: Path, names: Sequence[str], archive: zipfile.ZipFile) -> None:
    """Copy arrays from a file into an archive, a piece at a time."""
    if not names:
        return
    with zipfile.ZipFile(path) as old:
        for name in names:
            with (
                old.open(f"{name}.npy") as source,
                archive.open(f"{name}.npy", "w", force_zip64=True) as target,
            ):
                shutil.copyfileobj(source, target, COPIED)


def fingerprint(problem: Problem, scales: NDArray[np.float64] | None, *settings: object) -> str:
    """Return a text that another problem, other settings or another version do not have.

    Examples
    --------
    >>> one, other = (fingerprint(Problem.check([[0, w], [w, 0]]), None) for w in (1, 2))
    >>> len(one), one == other
    (64, False)
    """
    W = problem.similarity
    found = sha256(repr((__version__, problem.kind, W.shape, sp.issparse(W), settings)).encode())
    for array in _arrays(problem, scales):
        found.update(f"{array.dtype.str} {array.shape} ".encode())
        found.update(np.ravel(array).data)
    return found.hexdigest()


def _arrays(problem: Problem, scales: NDArray[np.float64] | None) -> Iterator[NDArray[Any]]:
    """Yield the arrays of a problem; a dense matrix in blocks of rows, which saves memory."""
    W = problem.similarity
    if sp.issparse(W):
        yield from (W.indptr, W.indices, W.data)
    else:
        yield from (W[first : first + CHECK_ROWS] for first in range(0, len(W), CHECK_ROWS))
    yield from (one for one in (problem.groups, scales) if one is not None)
