"""The words of each kind of input: what its items, groups and labels are called.

Texts for people are written once, about items, groups and labels; `Words.speak` says them in the
language of the input: keypoints, photographs and tracks, or records, sources and entities.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from spherelax.result import (
    Result,
    Status,
    say_alternative,
    say_duplicates,
    say_reading,
    say_status,
    say_tied,
)

PLURALS = {"entity": "entities", "match": "matches"}
VOWELS = "aeio"  # nouns here that begin with one of them have the article "an"
# Generic words in texts; names of HTML elements and attributes are none.
GENERIC = re.compile(r"""(?<![<="/#-])\b(?:(an?|An?) )?([Ii]tem|[Gg]roup|[Ll]abel)(s?)\b""")


def plural(noun: str) -> str:
    """Return the plural of a noun.

    Examples
    --------
    >>> plural("entity"), plural("cell")
    ('entities', 'cells')
    """
    return PLURALS.get(noun, f"{noun}s")


def count(n: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> count(1, "label"), count(1234, "entity")
    ('1 label', '1,234 entities')
    """
    return f"{n:,} {noun if n == 1 else plural(noun)}"


@dataclass(frozen=True)
class Words:
    """What an item, a group and a label are called, and what is said of an item without others.

    Attributes
    ----------
    item, group, label : str
        The nouns, in the singular.
    alone, are_alone : str
        What is said of one item, and of several, that share their labels with no other.
    counts_single : bool
        Whether the label of a single item is counted as one.

    Examples
    --------
    >>> KEYPOINTS.speak("An item of a group has a label. Labels have numbers.")
    'A keypoint of a photograph has a track. Tracks have numbers.'
    >>> KEYPOINTS.found(n_items=14129, n_groups=11, n_labels=3464, n_single=27)
    '3,437 tracks from 14,129 keypoints in 11 photographs; 27 keypoints match nothing'
    """

    item: str = "item"
    group: str = "group"
    label: str = "label"
    alone: str = "has a label of its own"
    are_alone: str = "have labels of their own"
    counts_single: bool = True

    def speak(self, text: str) -> str:
        """Say a text about items, groups and labels in the words of the input."""
        return GENERIC.sub(self._said, text)

    def found(self, *, n_items: int, n_groups: int | None, n_labels: int, n_single: int) -> str:
        """Say what was found: the labels, from how many items and groups, and items without any."""
        shown = n_labels if self.counts_single else n_labels - n_single
        where = f" in {count(n_groups, self.group)}" if n_groups else ""
        single = f"; {self.single(n_single)}" if n_single else ""
        return f"{count(shown, self.label)} from {count(n_items, self.item)}{where}{single}"

    def single(self, n_single: int) -> str:
        """Say that items share their labels with no other."""
        return f"{count(n_single, self.item)} {self.alone if n_single == 1 else self.are_alone}"

    def chosen(self, result: Result) -> str:
        """Say how the labels were chosen.

        Where numbers of labels are compared with one that was asked for, labels of single items
        count, too, so that this sentence speaks of labels.
        """
        said = say_status(result)
        return said if result.status is Status.NEAREST else self.speak(said)

    def reading(self, result: Result) -> str:
        """Say what the similarities were taken for, and what was done with them."""
        return self.speak(say_reading(result))

    def alternative(self, result: Result) -> str | None:
        """Say which other answer is about as good; None: no other is.

        Labels of single items count, too, so that this speaks of labels where they do not else.
        """
        said = say_alternative(result)
        return said if said is None or not self.counts_single else self.speak(said)

    def tied(self, result: Result) -> str | None:
        """Say that nearly all right pairs have the same score; None: they do not."""
        said = say_tied(result)
        return None if said is None else self.speak(said)

    def copies(
        self, result: Result, names: list[str], groups: Sequence[Hashable] | None
    ) -> str | None:
        """Say which group seems to hold copies; None: no group clearly does."""
        return say_duplicates(result.duplicates(), names, groups, item=self.item, group=self.group)

    def _said(self, found: re.Match[str]) -> str:
        """Return a noun of the input for a generic one, with its article and number."""
        article, generic, several = found.groups()
        noun: str = getattr(self, generic.lower())
        said = plural(noun) if several else noun
        if generic[0].isupper():
            said = said.capitalize()
        if article is None:
            return said
        an = "an" if noun[0] in VOWELS else "a"
        return f"{an.capitalize() if article[0] == 'A' else an} {said}"


ITEMS = Words()
KEYPOINTS = Words(
    "keypoint", "photograph", "track", "matches nothing", "match nothing", counts_single=False
)
RECORDS = Words("record", "source", "entity", "matches no other", "match no other")
CELLS = Words("cell", "group", "cluster", "stands alone", "stand alone")
POINTS = Words("point", "group", "cluster", "stands alone", "stand alone")
