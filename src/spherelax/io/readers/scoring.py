"""What the scores of a column are: which ones are legal, and what similarities they become."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from spherelax.errors import shown

# The scores of splink: a probability, and log odds to the base 2.
PROBABILITY, WEIGHT = "match_probability", "match_weight"
# No probability counts as surer than that: it would be worth infinitely much.
SUREST = 1e-9


@dataclass(frozen=True)
class Scoring:
    """A column of scores and the kind of similarities that they become.

    Attributes
    ----------
    column : str or None
        Name of the column; two names of splink say what a score is.
    kind : {"graph", "pairs", "odds", "information"} or None
        As in :func:`spherelax.io.read_pairs`.

    Examples
    --------
    >>> scoring = Scoring.of("match_probability", None)
    >>> scoring.kind, scoring.similarities(np.array([0.5, 0.9])).round(3)
    ('information', array([0.693, 2.303]))
    """

    column: str | None
    kind: str | None

    @classmethod
    def of(cls, column: str, kind: str | None) -> Scoring:
        """Return the scores of a column; the kind, if not given, may be known from the name."""
        is_known = column in (PROBABILITY, WEIGHT)
        return cls(column, "information" if kind is None and is_known else kind)

    def kind_of(self, *, has_groups: bool) -> str | None:
        """Return the kind of a table of pairs: with groups, labels tell if it is a list.

        Examples
        --------
        >>> Scoring.of("score", None).kind_of(has_groups=False)
        'pairs'
        """
        return self.kind or (None if has_groups else "pairs")

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest legal score."""
        if self.column == PROBABILITY:
            return 0.0, 1.0
        return (-inf if self.column == WEIGHT or self.kind == "odds" else 0.0), inf

    def illegal(self, value: object) -> str:
        """Return what is wrong with a value that is not a legal score."""
        low, high = self.bounds
        legal = "a number from 0 to 1" if high == 1.0 else "a finite number"
        hint = ""
        if low == 0.0 and high > 1.0:
            legal += ", not negative"
            if -inf < number(value) < 0.0:
                hint = " (log odds may be negative: kind='odds' or --kind odds, or splink's "
                hint += f"{WEIGHT})"
        return f"{self.column} must be {legal}; found {quoted(value)}{hint}"

    def similarities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return legal scores as similarities."""
        if self.column == PROBABILITY:
            if self.kind == "odds":
                return np.asarray(logit(np.clip(scores, SUREST, 1.0 - SUREST)))
            return -np.log1p(-np.minimum(scores, 1.0 - SUREST))
        if self.column == WEIGHT:
            log_odds = scores * np.log(2.0)
            return log_odds if self.kind == "odds" else np.asarray(np.logaddexp(0.0, log_odds))
        return scores

    def scores(self, similarity: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return similarities as the scores that they come from."""
        if self.column not in (PROBABILITY, WEIGHT):
            return similarity
        log_odds = similarity
        if self.kind != "odds":
            with np.errstate(divide="ignore"):  # a similarity of 0 is a probability of 0
                log_odds = similarity + np.log(-np.expm1(-similarity))
        if self.column == WEIGHT:
            return np.asarray(log_odds / np.log(2.0))
        return np.asarray(expit(log_odds))


def number(value: Any) -> float:
    """Return a value as a number; NaN if it is none.

    Examples
    --------
    >>> number("0.5"), number("high")
    (0.5, nan)
    """
    try:
        return float(value)
    except (TypeError, ValueError):
        return nan


def quoted(*values: object) -> str:
    """Return values as text for a message.

    Examples
    --------
    >>> print(quoted("shop", 7))
    'shop' 7
    """
    return " ".join(map(shown, values))
