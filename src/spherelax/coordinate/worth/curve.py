"""How likely pairs are to be right, by their score: a rising curve."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

# Pairs in a bin of scores, and bins at most.
PAIRS_A_BIN = 25
MAX_BINS = 400
# Pairs that are added to each bin, right as often as all pairs are on average, so that a bin of a
# few pairs is not taken for sure.
PRIOR_PAIRS = 0.25
# No probability is nearer to 0 or to 1 than this.
SUREST = 1e-6
# Before anything is learnt: the share of the pairs whose odds are above even, and how fast odds
# fall with the rank of the score.
FIRST_SHARE = 0.15
FIRST_SLOPE = 4.0

Floats = NDArray[np.float64]


def fit_shares(
    codes: NDArray[np.intp],
    values: Floats,
    n_codes: int,
    *,
    prior: float = 0.0,
    increasing: bool = True,
) -> Floats:
    """Return for each of n codes the mean of its values, which never falls, or never rises.

    That is a weighted isotonic regression in which equal codes are ties. ``prior`` values, equal to
    the mean of all, are added to each code.

    Examples
    --------
    >>> fit_shares(np.array([0, 1, 1, 2]), np.array([0.0, 1.0, 1.0, 0.0]), 3)
    array([0.        , 0.66666667, 0.66666667])
    """
    weight = np.bincount(codes, minlength=n_codes) + prior
    sums = np.bincount(codes, weights=values, minlength=n_codes) + prior * values.mean()
    return np.asarray(isotonic_regression(sums / weight, weights=weight, increasing=increasing).x)


class Curve:
    """Bins of scores, for shares of right pairs that never fall as scores rise.

    Only the order of the scores counts. Equal scores are in one bin.

    Examples
    --------
    >>> scores = np.array([0.1, 0.2, 0.8, 0.9] * 25)
    >>> curve = Curve(scores)
    >>> curve.shares(scores, right=np.array([0.0, 0.0, 1.0, 1.0] * 25)).round(2)
    array([0., 0., 1., 1.])
    """

    def __init__(self, scores: NDArray[np.floating]) -> None:
        n_bins = int(np.clip(len(scores) // PAIRS_A_BIN, 2, MAX_BINS))
        shares = np.linspace(0.0, 1.0, n_bins + 1)[1:-1]
        self.cuts = np.unique(np.quantile(scores, shares, method="higher"))

    @classmethod
    def from_cuts(cls, cuts: NDArray[np.floating]) -> Curve:
        """Return a curve with known bins."""
        found = cls.__new__(cls)
        found.cuts = cuts
        return found

    def bins(self, scores: NDArray[np.floating]) -> NDArray[np.intp]:
        """Return the bin of each score."""
        return np.searchsorted(self.cuts, scores, side="right")

    def shares(self, scores: NDArray[np.floating], right: Floats) -> Floats:
        """Return how likely the pairs of each bin are right, given how likely each pair is."""
        found = fit_shares(self.bins(scores), right, len(self.cuts) + 1, prior=PRIOR_PAIRS)
        return np.asarray(np.clip(found, SUREST, 1.0 - SUREST))


def first_odds(scores: NDArray[np.floating]) -> Floats:
    """Return odds to begin with, which fall with the rank of the score.

    Odds of the best-scored share of the pairs are above even.

    Examples
    --------
    >>> first_odds(np.array([0.1, 0.9, 0.5])).round(3)
    array([0.001, 0.656, 0.008])
    """
    rank = np.argsort(np.argsort(scores, kind="stable"), kind="stable")
    from_top = 1.0 - (rank + 0.5) / len(rank)
    return np.asarray((from_top / FIRST_SHARE) ** -FIRST_SLOPE)
