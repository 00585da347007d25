"""Sentences that explain why two items share a label or do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from spherelax.result.explanation import Change, Cut, Explanation, Reason

Items = NDArray[np.intp]

# Pairs and items that a sentence names.
MOST_NAMED = 5
# Words for how likely a pair is right, from the probability on that is beside them.
WORDS = ((0.99, "nearly certain"), (0.9, "very likely"), (0.5, "likely"), (0.1, "unlikely"))
LEAST = "very unlikely"

# Reasons, in sentences about items that are named by number: the two of the explanation first.
SENTENCES = {
    "judged same": "Judgements say that they are the same.",
    "judged different": "A judgement says that they are different.",
    "group": "They are of one group, which holds each thing once.",
    "taken": "{2} is of the same group as {0} and has its place in the label of {1}: there, {2} is "
    "worth {w0}, and {0} would be worth {w1}.",
    "blocked": "{2} and {3} are of one group, so that their labels cannot be joined.",
    "better": "{0} is worth more in its own label ({w0}) than it would be in that of {1} ({w1}).",
    "weak": "Too little speaks for joining their labels: all pairs between them are worth {w0} "
    "together.",
    "nothing": "No pair is listed between their labels.",
    "level": "The pairs between their labels speak for one label. They are apart all the same: "
    "labels are chosen as a whole, and a judgement changes only the labels that it names.",
    "untold": "Scores do not tell right pairs from wrong ones, so that nothing is joined.",
    "valley": "Between their labels, points are less dense.",
}

# Why it was not looked for what would have to change.
WALLS = {
    "judged": "No change of pairs makes them {0}: judgements are kept, whatever pairs say.",
    "group": "No change of pairs makes them {0}: items of one group never share a label.",
    "points": "What makes them {0} was not looked for: labels of points end where points are less "
    "dense, and no single pair decides that.",
    "size": "What makes them {0} was not looked for: the search is for labels of up to 10,000 "
    "items.",
}


class Speaker:
    """Says an explanation in the words of a user; ``call`` returns the name of an item."""

    def __init__(
        self,
        about: Explanation,
        call: Callable[[int], object] | None,
        speak: Callable[[str], str],
        scores: Callable[[Any], Any],
    ) -> None:
        self.about, self.call, self.speak, self.scores = about, call, speak, scores
        pairs = about.pairs
        keys = (tuple(sorted(pair)) for pair in pairs.items.tolist())
        self.listed = dict(zip(keys, range(len(pairs.items)), strict=True))

    def sentences(self) -> list[str]:
        """Return all sentences."""
        about = self.about
        said = [self.state(), *map(self.reason, about.reasons)]
        if len(about.path) > 2:
            steps = " - ".join(map(self.name, about.path))
            said.append(f"The strongest path: {steps}.")
        said += self._evidence()
        if about.cut is not None:
            said.append(self.cut(about.cut))
        if len(about.items) == 2:
            said.append(self._change(about.change))
        return said

    def state(self) -> str:
        """Say whether they share a label."""
        about, names = self.about, [self.name(item) for item in self.about.items]
        sizes = [_count(len(items), "item") for items in about.labels]
        if len(names) == 1:
            return self.speak("{0} is alone and similar to no other.").format(*names)
        if about.are_together:
            said = self.speak(f"{{0}} and {{1}} are together, in a label of {sizes[0]}.")
        else:
            said = self.speak(f"{{0}} and {{1}} are apart, in labels of {' and '.join(sizes)}.")
        if about.probability is not None:
            likely = f"with probability {about.probability:.2f}."
            alone = "By its score alone, their pair is right"
            said += f" {'They are the same' if about.are_together else alone} {likely}"
        return said.format(*names)

    def reason(self, reason: Reason) -> str:
        """Say a reason."""
        worth = {f"w{k}": self._worth(value) for k, value in enumerate(reason.worth)}
        names = [self.name(item) for item in reason.items]
        return self.speak(SENTENCES[reason.why]).format(*names, **worth)

    def _evidence(self) -> list[str]:
        """Say which pairs speak for one label and which against it."""
        pairs, said = self.about.pairs, []
        for rows, side in (
            (np.flatnonzero(pairs.worth > 0.0), "For"),
            (np.flatnonzero(pairs.worth <= 0.0)[::-1], "Against"),
        ):
            if len(rows):
                named = "; ".join(self._listed_pair(row) for row in rows[:MOST_NAMED].tolist())
                more = "; and others" if len(rows) > MOST_NAMED else ""
                total = self._worth(float(pairs.worth[rows].sum()))
                n_pairs = _count(len(rows), "pair")
                begin = self.speak(f"{side} one label: {n_pairs}, worth {total}: ")
                said.append(f"{begin}{named}{more}.")
        if pairs.n_absent and pairs.absent < 0.0:
            are = "pair that is" if pairs.n_absent == 1 else "pairs that are"
            total = self._worth(pairs.absent)
            said.append(f"Also against: {pairs.n_absent:,} {are} not listed, worth {total}.")
        return said

    def _listed_pair(self, row: int) -> str:
        """Say a listed pair: score, how likely it is right, what it is worth."""
        score, word, right, worth = self.columns(row)
        return f"{self.pair(row)} (score {score}, {word} right: {right}, worth {worth})"

    def pair(self, row: int) -> str:
        """Name the items of a listed pair."""
        a, b = self.about.pairs.items[row].tolist()
        return f"{self.name(a)} with {self.name(b)}"

    def columns(self, row: int) -> tuple[str, str, str, str]:
        """Say the score of a listed pair, how likely it is right, twice, and what it is worth."""
        pairs = self.about.pairs
        right = float(pairs.probability[row])
        word = next((word for least, word in WORDS if right >= least), LEAST)
        worth = self._worth(float(pairs.worth[row]))
        return self._score(float(pairs.score[row])), word, f"{right:.2f}", worth

    def cut(self, cut: Cut) -> str:
        """Say what the weakest cut is."""
        one, other = map(self._several, cut.sides)
        worth = self._worth(cut.worth)
        said = f"The weakest cut: {one} | {other}. The pairs across are worth {worth} together"
        if cut.probability is None:
            return f"{said}."
        return f"{said}; both sides are the same with probability {cut.probability:.2f}."

    def _change(self, change: Change | None) -> str:
        """Say what would have to change."""
        verb = "part" if self.about.are_together else "join"
        if self.about.wall is not None:
            return self.speak(WALLS[self.about.wall]).format(verb)
        if change is None:
            return f"No change of pairs was found that would make them {verb}."
        said = []
        if len(change.removed):
            n_pairs = _count(len(change.removed), "pair")
            said.append(f"without {n_pairs} ({self._named(change.removed)})")
        if len(change.raised):
            least, named = self._score(change.score), self._named(change.raised, is_raised=True)
            score = "scores" if len(change.raised) == 1 else "score"
            n_pairs = _count(len(change.raised), "pair")
            said.append(f"if {n_pairs} {score} {least} or more ({named})")
        return f"They {verb} {', and '.join(said)}."

    def _named(self, pairs: Items, *, is_raised: bool = False) -> str:
        """Name the pairs of a change; those to be raised with their scores so far."""
        named = []
        for a, b in pairs[: 2 * MOST_NAMED].tolist():
            row = self.listed.get((min(a, b), max(a, b)))
            now = ", not listed"
            if row is not None:
                now = f", now {self._score(float(self.about.pairs.score[row]))}"
            named.append(f"{self.name(a)} with {self.name(b)}{now if is_raised else ''}")
        more = len(pairs) - len(named)
        return "; ".join(named + [f"and {more:,} more"] * (more > 0))

    def _several(self, items: Items) -> str:
        """Name some items."""
        named = ", ".join(map(self.name, items[:MOST_NAMED].tolist()))
        more = len(items) - MOST_NAMED
        return f"{named} and {more:,} more" if more > 0 else named

    def name(self, item: int) -> str:
        """Return the name of an item."""
        return self.speak(f"item {item}") if self.call is None else str(self.call(item))

    def _score(self, score: float) -> str:
        """Return a score as users know it."""
        return f"{float(self.scores(score)):.4g}"

    def _worth(self, worth: float) -> str:
        """Return what something is worth."""
        return f"{worth:+.2g}{self.about.unit and ' '}{self.about.unit}"


def _count(n: int, word: str) -> str:
    """Return a number of things."""
    return f"{n:,} {word}" if n == 1 else f"{n:,} {word}s"
