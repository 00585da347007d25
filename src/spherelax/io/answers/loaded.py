"""What a loaded result answers: all that was saved; the rest needs similarities, and is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError
from spherelax.io.files.faults import about
from spherelax.io.files.mapped import Array
from spherelax.io.tables.arrays import BROKEN
from spherelax.labels import Labels
from spherelax.result import EntityProbability

# What must be known to extend the result, packed, if it is in the file. Its number is that of the
# form: files with another one are loaded, but not extended.
KNOWN = "known_2"


@dataclass(frozen=True, eq=False)
class Loaded:
    """The source of a loaded result, which has no similarities."""

    path: str
    labels: Labels
    alpha: float
    saved: NDArray[np.float64]
    is_probability: bool
    likely: EntityProbability | None
    max_labels: int
    packed: Array | None

    def confidence(self, labels: NDArray[np.int32], alpha: float) -> NDArray[np.float64]:
        """Return the confidence of the saved labels; for other labels it is NaN."""
        is_saved = alpha == self.alpha and np.array_equal(labels, self.labels)
        return self.saved if is_saved else np.full(len(labels), np.nan)

    def entity_probability(self, labels: NDArray[np.int32]) -> EntityProbability | None:
        """Return that of the saved labels; for other labels raise an error."""
        if self.likely is None or np.array_equal(labels, self.labels):
            return self.likely
        raise self._without_similarities("the probabilities of other labels")

    def pair_probability(self, labels: NDArray[np.int32]) -> None:  # noqa: ARG002 (of the face)
        """Raise an error if probabilities are known: those of pairs are not in the file."""
        if self.likely is not None:
            raise self._without_similarities("the probabilities of pairs")

    def match_probability(self) -> NoReturn:
        """Raise an error: there are no scores to learn probabilities from."""
        raise self._without_similarities("the probabilities of pairs")

    def tied(self) -> None:
        """Return None: there are no scores."""

    def link(self, labels: Labels, n_labels: int) -> None:
        """Return None: there are no similarities to merge labels by."""

    def duplicates(self) -> None:
        """Return None: there are no similarities to find copies by."""

    def keep_judgements(self, *_: object) -> NoReturn:
        """Refuse judgements: they need the similarities."""
        raise InvalidInputError(
            "judgements need the similarities; found a result that was loaded from a file"
        )

    def similarities(self, kind: str) -> NoReturn:  # noqa: ARG002 (of the face)
        """Raise an error: there are no similarities."""
        raise InvalidInputError(
            f"{self.path}: holds no similarities, which forget needs; solve the rest of them with "
            "like= this result"
        )

    def explain(self, *_: object) -> NoReturn:
        """Raise an error: there are no pairs to explain labels by."""
        raise self._without_similarities("an explanation", verb="needs")

    def draw(self, *_: object) -> NoReturn:
        """Refuse questions: they need the similarities."""
        raise InvalidInputError(
            "questions need the similarities; found a result that was loaded from a file"
        )

    def known(self) -> Any:
        """Return what must be known to extend the result; None: it is not in the file."""
        if self.packed is None:
            return None
        from spherelax.io.answers.packed import unpack

        with about(self.path, *BROKEN):
            known = unpack(self.packed.tobytes())["known"]
            n_known = len(known.keys)
        if n_known != len(self.labels):
            raise InvalidInputError(
                f"{self.path}: not a saved result; {KNOWN} must be of {len(self.labels)} items; "
                f"found {n_known}"
            )
        return known

    def embedding(self, index: int) -> NoReturn:
        """Raise an error: there are no similarities to compute U from."""
        raise self._without_similarities(f"the embedding of step {index}", verb="needs")

    def _without_similarities(self, what: str, verb: str = "need") -> InvalidInputError:
        """Return the error that what is asked for is not in the file."""
        return InvalidInputError(
            f"{self.path}: holds no similarities, which {what} {verb}; solve again"
        )
