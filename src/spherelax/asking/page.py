"""The page of a question: both items side by side, what differs, and three answers.

It is a form that works without scripts; the script adds keys.
"""

from __future__ import annotations

import base64
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from string import Template

import numpy as np
from numpy.typing import NDArray

from spherelax.asking.session import Pair, Question, State, Store
from spherelax.io.items import Items
from spherelax.io.readers.pairs import Records
from spherelax.io.words import count
from spherelax.judgements import WORDS
from spherelax.report.layout import script_hash
from spherelax.report.markup import facts, name, packaged, shortened, text
from spherelax.report.pictures import make_crops, make_thumbnail
from spherelax.result import percent

# Longest value of a field, in characters, and items of a label that are named.
MAX_VALUE, MAX_NAMED = 300, 4
# Values that share less than that are marked as a whole.
ALIKE = 0.5
KEYS = {"same": "s", "different": "d", "cannot tell": "c", "undo": "u"}
SCRIPT = packaged("question.js", __name__)
POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    f"script-src '{script_hash(SCRIPT)}'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)


@dataclass(frozen=True)
class Shown:
    """What a page shows besides questions.

    Attributes
    ----------
    items : Items
        With names and, of records, their own columns.
    about : str
        Name of the file.
    next_step : str
        What to do with the answers.
    images : mapping of group to bytes, or None
        As in :func:`spherelax.report.report_html`.
    positions : ndarray or None
        As there.
    """

    items: Items
    about: str
    next_step: str
    images: Mapping[Hashable, bytes] | None = None
    positions: NDArray[np.float64] | None = None

    def page(self, state: State, store: Store, said: str = "") -> str:
        """Return the page; ``said`` is what went wrong before."""
        title, body = "Nothing else is in doubt", f"<p>{text(self.next_step)}</p>"
        if state.question is not None:
            title = self._say("Do these two items belong to one label?")
            body = self._question(state.question, state)
        return Template(packaged("question.html", __name__)).substitute(
            title=text(title),
            about=text(self.about),
            style=packaged("page.css") + packaged("question.css", __name__),
            body=(f'<p class="said" role="alert">{text(said)}</p>' if said else "")
            + body
            + self._last(state)
            + self._progress(state),
            store=text(store),
            script=SCRIPT,
        )

    @cached_property
    def _names(self) -> list[str]:
        """Name of each item."""
        return self.items.names

    def _say(self, said: str) -> str:
        """Say a text about items, groups and labels in the words of the input."""
        return self.items.words.speak(said)

    def _question(self, question: Question, state: State) -> str:
        """Return both items, and the form with the answers."""
        one, other = question.pair
        buttons = "".join(
            f'<button name="verdict" value="{verdict}" class="{verdict.split()[-1]}" '
            f'data-key="{KEYS[verdict]}">{verdict.capitalize()}<kbd>{KEYS[verdict]}</kbd></button>'
            for verdict in WORDS.values()
        )
        return (
            f"{self._table(question.pair, state)}"
            f'<form class="answers" method="post">'
            f'<input type="hidden" name="a" value="{one}">'
            f'<input type="hidden" name="b" value="{other}">{buttons}</form>'
            f"{self._known(question)}"
        )

    def _table(self, pair: Pair, state: State) -> str:
        """Return what is known of both items, side by side."""
        heads = "".join(f'<th scope="col">{name(self._names[item])}</th>' for item in pair)
        rows = [
            _compared(field, *(column[item] for item in pair))
            for field, column in (self.items.details or {}).items()
        ]
        if self.images is not None:
            rows.insert(0, _row(self.items.words.group, map(self._on_image, pair)))
        elif self.items.groups is not None and not isinstance(self.items, Records):
            rows.append(_row(self.items.words.group, (name(self.items.groups[at]) for at in pair)))
        label = self._say("now in one label with")
        rows.append(_row(label, (self._mates(item, state) for item in pair), "faint"))
        return (
            f'<table class="pair-of"><thead><tr><th scope="col"></th>{heads}</tr></thead>'
            f"<tbody>{''.join(rows)}</tbody></table>"
        )

    def _mates(self, item: int, state: State) -> str:
        """Name some of the items that share the label of an item."""
        labels = state.now.labels
        others = [at for at in np.flatnonzero(labels == labels[item]).tolist() if at != item]
        if not others:
            return self._say("no other item")
        more = len(others) - MAX_NAMED
        said = [name(self._names[at]) for at in others[:MAX_NAMED]]
        return ", ".join(said) + (f" and {count(more, 'other')}" if more > 0 else "")

    def _on_image(self, item: int) -> str:
        """Show the place of an item: near, and on its whole image."""
        groups, images, positions = self.items.groups or [], self.images or {}, self.positions
        near = {} if positions is None else make_crops(groups, images, positions, [item])
        if positions is None or item not in near:
            return "no image"
        image = make_thumbnail(str(groups[item]), images[groups[item]])
        x, y = 100 * (positions[item] + 0.5) * image.scale / (image.width, image.height)
        return (
            f'<div class="crop">{_picture("close", near[item])}</div>'
            f'<div class="crop whole-image" style="--x:{x:.2f}%;--y:{y:.2f}%">'
            f"{_picture('in its surroundings', image.content)}</div>"
        )

    def _known(self, question: Question) -> str:
        """Say what is known of the pair, for those who want to know before they answer."""
        if question.same is None or question.changes is None:
            return ""
        one, other = question.pair
        similarity = self.items.problem.similarity[one, other]
        score = float(self.items.scores(np.array([similarity], dtype=float))[0])
        said = (
            f"Similarity {score:.3g}. Without you, the probability of one label is "
            f"{percent(question.same)}. The answer is expected to change "
            f"{question.changes:.3g} pairs of items."
        )
        return (
            '<details class="more"><summary>What the similarities say</summary>'
            f"<p>{self._say(said)}</p></details>"
        )

    def _last(self, state: State) -> str:
        """Return the last answer, which can be undone."""
        if not state.rows:
            return ""
        one, other, same, _ = state.rows[-1]
        names = " and ".join(name(self._names[item]) for item in (one, other))
        return (
            f'<form class="last" method="post"><p>Last answer: {names}, {WORDS[same]}</p>'
            f'<button name="undo" value="1" data-key="{KEYS["undo"]}">Undo'
            f"<kbd>{KEYS['undo']}</kbd></button></form>"
        )

    def _progress(self, state: State) -> str:
        """Return how many answers there are, and what they have changed."""
        given = [row[2] for row in state.rows]
        kinds = ", ".join(f"{given.count(same):,} {said}" for same, said in WORDS.items())
        before, now = (
            _count_labels(result.labels, self.items) for result in (state.before, state.now)
        )
        return (
            '<section aria-label="Progress">'
            + facts(
                [
                    ("Answers", f"{len(given):,}", kinds),
                    (self._say("Labels"), f"{now:,}", f"{before:,} before the first answer"),
                    (
                        "Pairs changed",
                        f"{state.n_changed:,}",
                        self._say("pairs of items that now share a label, or no longer do"),
                    ),
                ]
            )
            + "</section>"
        )


def _count_labels(labels: NDArray[np.integer], items: Items) -> int:
    """Return the number of labels; those of single items count if the words say so."""
    sizes = np.bincount(labels)
    return len(sizes) if items.words.counts_single else int(np.count_nonzero(sizes > 1))


def _row(field: str, cells: Iterable[str], kind: str = "") -> str:
    """Return a row of the table; its cells are HTML."""
    said = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr class="{kind}"><th scope="row"><bdi>{text(field)}</bdi></th>{said}</tr>'


def _compared(field: str, *values: object) -> str:
    """Return a field of both items; it is marked if they differ."""
    one, other = (None if value is None else shortened(value, MAX_VALUE) for value in values)
    if one is None or other is None or one == other:
        said = ("<i>not given</i>" if own is None else text(own) for own in (one, other))
        return _row(field, (f"<bdi>{cell}</bdi>" for cell in said))
    marked = (f"<bdi>{_mark(*pair)}</bdi>" for pair in ((one, other), (other, one)))
    return _row(f"≠ {field}", marked, "differs")


def _mark(own: str, other: str) -> str:
    """Mark what a value does not share with another."""
    match = SequenceMatcher(None, own.casefold(), other.casefold(), autojunk=False)
    if match.ratio() < ALIKE or len(own.casefold()) != len(own):
        return f"<mark>{text(own)}</mark>"
    return "".join(
        text(own[start:end]) if tag == "equal" else f"<mark>{text(own[start:end])}</mark>"
        for tag, start, end, *_ in match.get_opcodes()
        if start < end
    )


def _picture(alt: str, content: bytes) -> str:
    """Return an image whose file is in the page."""
    return f'<img alt="{alt}" src="data:image/jpeg;base64,{base64.b64encode(content).decode()}">'
