"""An alternative: another answer that is about as good, of which a result names how many labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax.coordinate.worth.block_model import BlockModel, Blocks
from spherelax.labels import Labels, count_labels, renumber
from spherelax.metrics import pairwise_scores

# Labels with this share of the most evidence are about as good.
NEARLY = 0.98
# An alternative differs from the answer by at least the factor TIMES in its number of labels, and
# agrees with it in the pairs that share a label by an F-score of at most ALIKE.
TIMES = 1.1
ALIKE = 0.9
# Labels of a graph that have fewer nats less than the best are about as good: odds of 1 to 20.
BEHIND = 3.0


def find_alternative(
    labelings: Sequence[Labels], evidence: NDArray[np.float64], labels: Labels
) -> int | None:
    """Return the number of labels of another labeling with nearly the most evidence; None: none.

    Examples
    --------
    >>> coarse = np.repeat(np.int32([0, 1]), 8)
    >>> fine = np.repeat(np.arange(4, dtype=np.int32), 4)
    >>> find_alternative([fine, coarse], np.array([99.9, 100.0]), coarse)
    4
    >>> find_alternative([fine, coarse], np.array([90.0, 100.0]), coarse)
    """
    if evidence.max() <= 0:
        return None
    return _find_other(labelings, evidence, NEARLY * evidence.max(), labels)


def _find_other(
    labelings: Sequence[Labels], evidence: NDArray[np.float64], least: float, labels: Labels
) -> int | None:
    """Return the number of labels of the best labeling that is another, if it has enough."""
    n_labels = np.array([count_labels(one) for one in labelings])
    is_other = (evidence >= least) & _differ(n_labels, count_labels(labels))
    if not is_other.any():
        return None
    best = int(np.where(is_other, evidence, -np.inf).argmax())
    is_alike = pairwise_scores(labels, labelings[best]).f_score > ALIKE
    return None if is_alike else int(n_labels[best])


def _differ(n_labels: NDArray[np.integer] | int, than: int) -> NDArray[np.bool_]:
    """Tell whether numbers of labels differ enough from another."""
    return np.asarray(np.abs(np.log(np.asarray(n_labels) / than)) >= np.log(TIMES))


def find_level(
    labelings: Sequence[Labels],
    evidence: NDArray[np.float64],
    labels: Labels,
    model: BlockModel,
    count: Callable[[Labels], Blocks],
) -> int | None:
    """Return the number of labels of another answer for a graph without groups; None: none.

    That is one label, if it is hardly less likely. Else it is a second level: coarser labels into
    which the labels fall, or finer ones into which they fall apart, if three rates of pairs are
    likelier than two. Else it is another labeling that is hardly less likely. ``count`` returns
    what labels amount to.

    Examples
    --------
    >>> from spherelax.coordinate.readings import read_problem
    >>> from spherelax.problem import Problem
    >>> near = np.kron(np.eye(8), np.ones((8, 8))) + np.kron(np.eye(2), np.eye(32)[::-1] > 0)
    >>> model = read_problem(Problem.check(np.minimum(near, 1.0)))
    >>> steps = [np.arange(64, dtype=np.int32) // n for n in (8, 32)]
    >>> savings = np.array([model.labeling(labels).saving for labels in steps])
    >>> count = lambda labels: model.labeling(labels).account
    >>> find_level(steps, savings, steps[0], model.description, count)
    2
    """
    own = count(labels)
    most = model.saving(own)
    if most < BEHIND:
        return 1
    found, most_gained, n_before = None, 0.0, count_labels(labels)
    tried = set()
    for other in labelings:
        n_labels = count_labels(other)
        if n_labels in tried or not _differ(n_labels, n_before):
            continue
        tried.add(n_labels)
        is_coarser = n_labels < n_before
        level = _coarsen(labels, other) if is_coarser else _refine(labels, other)
        n_labels, amount = count_labels(level), count(level)
        fine, coarse = (own, amount) if is_coarser else (amount, own)
        if not _differ(n_labels, n_before) or min(len(coarse.of_size), len(fine.of_size)) <= 2:
            continue
        of_number = _of_number(labels, level) if is_coarser else _of_number(level, labels)
        gain = model.saving_of_two(fine, coarse, of_number) - most
        if gain > most_gained and pairwise_scores(labels, level).f_score <= ALIKE:
            found, most_gained = n_labels, gain
    return found or _find_other(labelings, evidence, most - BEHIND, labels)


def _coarsen(labels: Labels, other: Labels) -> Labels:
    """Join labels that have most of their items in one and the same other label."""
    table = sp.coo_array((np.ones(len(labels)), (labels, other))).tocsr()
    row = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    is_most = table.data == np.maximum.reduceat(table.data, table.indptr[:-1])[row]
    goes_to = np.empty(table.shape[0], dtype=np.int32)
    goes_to[row[is_most][::-1]] = table.indices[is_most][::-1]
    return renumber(goes_to[labels])


def _refine(labels: Labels, other: Labels) -> Labels:
    """Split labels whose items have several other labels."""
    code = labels.astype(np.int64) * count_labels(other) + other
    return renumber(np.unique(code, return_inverse=True)[1])


def _of_number(fine: Labels, coarse: Labels) -> NDArray[np.int64]:
    """Return how many coarse labels have each number of fine ones."""
    of_fine = np.empty(count_labels(fine), dtype=np.int32)
    of_fine[fine] = coarse
    return np.bincount(np.bincount(of_fine))


def find_frequent_alternative(labelings: Sequence[Labels], labels: Labels) -> int | None:
    """Return the number of labels that is met most often after that of the labels.

    None: it is met less than half as often.

    Examples
    --------
    >>> two, three = np.repeat(np.int32([0, 1]), 3), np.repeat(np.int32([0, 1, 2]), 2)
    >>> find_frequent_alternative([three, two, two, three, two], two)
    3
    >>> find_frequent_alternative([three, two, two, two], two)
    """
    numbers, counts = np.unique([count_labels(one) for one in labelings], return_counts=True)
    is_own = numbers == count_labels(labels)
    others = np.where(is_own, 0, counts)
    return int(numbers[others.argmax()]) if 2 * others.max() >= counts[is_own].max() else None
