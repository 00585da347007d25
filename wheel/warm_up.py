"""Compile what usual calls need, and write the machine code into a folder.

Run as ``python wheel/warm_up.py FOLDER`` with the package and its dependencies on the path; the
build of a wheel does so. The problems are of every kind that `solve` treats in its own way, and
some are large, because many items are treated in other ways.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import scipy.sparse as sp
from numba.core import config
from numba.core.dispatcher import Dispatcher

import spherelax as sl
from spherelax.coordinate.graph import build_graph
from spherelax.coordinate.machine import shipped
from spherelax.problem import Problem
from spherelax.scale.components import Forest

# Numbers of items: of small problems, of large problems, and of many points.
FEW, MANY, MANY_POINTS = 300, 33_000, 9_000
# Each group has one item of each entity; few groups list nearly all right pairs, more groups some.
FEW_GROUPS, MORE_GROUPS = 3, 10
# Each item has about this number of pairs, and the share WRONG of them is wrong; if groups differ,
# the share MORE_WRONG of the pairs of the last group.
N_PAIRS = 14
WRONG, MORE_WRONG = 0.2, 0.8


def main(folder: Path) -> None:
    """Make all calls, then write what was compiled meanwhile."""
    config.CPU_NAME, config.CPU_FEATURES = shipped.target(llvm.get_process_triple())
    warnings.simplefilter("ignore", sl.SphereWarning)
    with tempfile.TemporaryDirectory() as config.CACHE_DIR:
        for call in calls():
            call()
        for function in compiled_functions():
            shipped.write(folder, function)


def calls() -> Iterator[Callable[[], Any]]:
    """Yield calls of every kind."""
    plain, scored, groups = pairs_of(FEW, FEW_GROUPS, alike=True)
    for W, kind in ((plain, "graph"), (scored, "graph"), (scored, "pairs")):
        yield partial(answer, W, None, kind)
        yield partial(answer, W, groups, kind)
    for kind in (np.float32, np.float64):
        yield partial(copy, plain.astype(kind))
    for n_items in (FEW, MANY):
        plain, scored, groups = pairs_of(n_items, MORE_GROUPS, alike=False)
        yield partial(answer, plain, None, "graph")
        yield partial(answer, plain, groups, "graph")
        yield partial(answer, scored, groups, "graph")
    yield partial(cluster, FEW)
    yield partial(cluster, MANY_POINTS)
    yield hub
    yield connect


def answer(W: sp.csr_array, groups: np.ndarray | None, kind: str) -> None:
    """Solve a problem, ask how sure the answer is, and add an item to it."""
    n_known = W.shape[0] - 1
    known = sl.solve(W[:n_known, :n_known], None if groups is None else groups[:n_known], kind=kind)
    assert len(known.confidence) == n_known
    known.extend(W, groups)
    known.assign(W, groups)


def copy(W: Any) -> None:
    """Copy similarities whose indices have 32 and 64 bits."""
    for bits in (np.int32, np.int64):
        W.indices = W.indices.astype(bits)
        build_graph(Problem(W, None))


def cluster(n_points: int) -> None:
    """Find clusters of points, and ask how sure they are."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_points, 2)) + 4 * rng.integers(3, size=(n_points, 2))
    assert len(sl.SphereClustering().fit(X).result_.confidence) == n_points


def hub() -> None:
    """Solve a star: one item is similar to all other items, which have no other similarity."""
    star = np.zeros((FEW, FEW))
    star[0, 1:] = star[1:, 0] = 1.0
    sl.solve(star, kind="graph")


def connect() -> None:
    """Find components of pairs, as is done with pairs that do not fit into memory."""
    forest = Forest.of(3)
    forest.add(np.array([0]), np.array([2]))
    assert forest.components().of_item.tolist() == [0, 1, 0]


def pairs_of(
    n_items: int, n_groups: int, *, alike: bool
) -> tuple[sp.csr_array, sp.csr_array, np.ndarray]:
    """Draw pairs, some of them wrong; return them without and with scores, and the groups.

    Unless groups are alike, the pairs of one are worse, and there are also pairs inside groups.
    """
    rng = np.random.default_rng(0)
    n_entities = n_items // n_groups
    groups = np.arange(n_items) // n_entities
    one = rng.integers(n_items, size=n_items * N_PAIRS // 2)
    right = (one + n_entities * rng.integers(1, n_groups, size=len(one))) % n_items
    is_worse = (groups[one] == n_groups - 1) & (not alike)
    is_wrong = rng.random(len(one)) < np.where(is_worse, MORE_WRONG, WRONG)
    other = np.where(is_wrong, rng.integers(n_items, size=len(one)), right)
    is_pair = groups[one] != groups[other] if alike else one != other
    low, high = np.unique(np.sort([one, other], axis=0)[:, is_pair], axis=1)
    is_right = low % n_entities == high % n_entities
    score = np.clip(rng.normal(0.4 + 0.4 * is_right, 0.1), 0.01, 1.0)
    upper = sp.coo_array((score, (low, high)), shape=(n_items, n_items))
    scored = sp.csr_array(upper + upper.T)
    return (scored > 0).astype(float), scored, groups


def compiled_functions() -> list[Any]:
    """Return the compiled functions of the package."""
    modules = [module for name, module in sys.modules.items() if name.startswith("spherelax.")]
    found = {
        id(value): value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, Dispatcher)
    }
    return list(found.values())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
