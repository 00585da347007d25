"""An alternative: another answer that is about as good, of which a result names how many labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spherelax.labels import Labels, count_labels
from spherelax.metrics import pairwise_scores

# Labels with this share of the most evidence are about as good.
NEARLY = 0.98
# An alternative differs from the answer by at least the factor TIMES in its number of labels, and
# agrees with it in the pairs that share a label by an F-score of at most ALIKE.
TIMES = 1.1
ALIKE = 0.9


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
    n_labels = np.array([count_labels(one) for one in labelings])
    ratio = np.abs(np.log(n_labels / count_labels(labels)))
    is_other = (evidence >= NEARLY * evidence.max()) & (ratio >= np.log(TIMES))
    if evidence.max() <= 0 or not is_other.any():
        return None
    best = int(np.where(is_other, evidence, -np.inf).argmax())
    is_alike = pairwise_scores(labels, labelings[best]).f_score > ALIKE
    return None if is_alike else int(n_labels[best])


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
