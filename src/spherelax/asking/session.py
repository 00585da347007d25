"""What is asked next: questions in batches, each found with the answers to those before.

An answer is kept in a store before anything follows from it. Labels follow from all answers at
once. The next batch is found in a second thread while the last questions of a batch are answered.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from threading import RLock
from typing import NamedTuple, Protocol

import numpy as np

from spherelax.errors import InvalidInputError
from spherelax.io.items import Items
from spherelax.io.readers.judgements import Verdict
from spherelax.judgements import WORDS, Judgements
from spherelax.labels import Labels, count_pairs
from spherelax.result import Result

# Questions of a batch, and how many of them are left when the next one is looked for.
BATCH, AHEAD = 10, 5

Pair = tuple[int, int]
Rows = tuple[Verdict, ...]


class Answers(Protocol):
    """Answers while nobody else can change them."""

    def rows(self) -> list[Verdict]:
        """Return all answers, in the order of their giving."""

    def add(self, pair: Pair, same: bool | None) -> None:
        """Add an answer; None: nobody can tell."""

    def undo(self) -> None:
        """Remove the last answer."""


class Store(Protocol):
    """Where answers are kept; its text names the file."""

    def changing(self) -> AbstractContextManager[Answers]:
        """Return the answers, which nobody else can change; what is changed is kept at the end."""


class Question(NamedTuple):
    """Two items and, if known, how likely they are the same and pairs that the answer changes."""

    pair: Pair
    same: float | None = None
    changes: float | None = None


class State(NamedTuple):
    """What a page shows: the next question, if any, all answers, and labels before and now."""

    question: Question | None
    rows: Rows
    before: Result
    now: Result

    @property
    def n_changed(self) -> int:
        """Number of pairs that share a label before or now, but not both."""
        return count_changed(self.before.labels, self.now.labels)


class Session:
    """Questions about a result, and the answers that are given to them.

    Parameters
    ----------
    items : Items
        What is asked about.
    result : Result
        Their labels, without any judgement.
    store : Store
        Where answers are kept; those that are there count.
    judged : Judgements
        What is known besides.
    asked : set of pairs of int
        Pairs that are not asked about again, besides those that have an answer.

    Raises
    ------
    InvalidInputError
        If answers that were kept contradict each other or what is known besides.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import spherelax as sl
    >>> from spherelax.io.readers.answered import AnswerFile
    >>> W = np.array([[0, 3, 0.5], [3, 0, 0], [0.5, 0, 0]])
    >>> people = Items(W, ["ann", "anna", "bob"], kind="odds")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = AnswerFile(Path(folder, "answers.sqlite"), people)
    ...     session = Session(people, sl.solve(people.problem), store, sl.Judgements.of(None))
    ...     first = session.state().question.pair
    ...     session.answer(first, False)
    ...     first, session.state().question.pair, len(session.state().rows)
    ((0, 2), (0, 1), 1)
    """

    def __init__(
        self,
        items: Items,
        result: Result,
        store: Store,
        judged: Judgements,
        asked: AbstractSet[Pair] = frozenset(),
    ) -> None:
        self.items, self.store = items, store
        self._result, self._judged, self._not_again = result, judged, asked
        self._lock, self._pool = RLock(), ThreadPoolExecutor(1)
        with store.changing() as answers:
            self._rows: Rows = tuple(answers.rows())
        self._check(self._rows)
        self._before = result.judge(judged)
        self._now = self._rows, self._judge(self._rows)
        self._batch: list[Question] = []
        self._asked: dict[Pair, Question] = {}
        # The answers that the batch was found with, and the batch that is being looked for.
        self._found_with: Rows | None = None
        self._ahead: tuple[Rows, Future[list[Question]]] | None = None

    @property
    def n_answers(self) -> int:
        """Number of answers that are kept."""
        return len(self._rows)

    def answer(self, pair: Pair, same: bool | None) -> None:
        """Keep an answer; refuse one that contradicts what is known."""
        with self._lock:
            with self.store.changing() as answers:
                rows: Rows = tuple(answers.rows())
                given = {frozenset(row[:2]): row[2] for row in rows}
                if (key := frozenset(pair)) not in given:
                    rows = (*rows, (*pair, same, 1.0))
                    self._check(rows)
                    answers.add(pair, same)
                elif given[key] is not same:
                    raise InvalidInputError(
                        f"this pair was answered before: {WORDS[given[key]]}; undo that first"
                    )
            self._rows = rows

    def undo(self) -> None:
        """Remove the last answer, and ask its question again."""
        with self._lock:
            with self.store.changing() as answers:
                rows: Rows = tuple(answers.rows())
                if rows:
                    answers.undo()
            self._rows = rows[:-1]
            for one, other, *_ in rows[-1:]:
                self._batch.insert(0, self._asked.get((one, other), Question((one, other))))

    def state(self) -> State:
        """Return what a page shows."""
        with self._lock:
            question = self._next()
            if question is not None:
                self._asked[question.pair] = question
            if self._now[0] != self._rows:
                self._now = self._rows, self._judge(self._rows)
            return State(question, self._rows, self._before, self._now[1])

    def close(self) -> None:
        """Look for no more questions."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _next(self) -> Question | None:
        """Return the next question; None: nothing else is in doubt."""
        while True:
            while self._batch and not self._is_open(self._batch[0].pair):
                del self._batch[0]
            if self._batch:
                if len(self._batch) <= AHEAD and self._ahead is None:
                    self._ahead = self._look_ahead()
                return self._batch[0]
            if self._found_with == self._rows:
                return None
            self._ahead = self._ahead or self._look_ahead()
            (rows, found), self._ahead = self._ahead, None
            self._batch, self._found_with = found.result(), rows

    def _look_ahead(self) -> tuple[Rows, Future[list[Question]]]:
        """Begin to look for the next batch, with the answers so far."""
        return self._rows, self._pool.submit(self._find, self._rows)

    def _find(self, answers: Rows) -> list[Question]:
        """Return questions that were not answered, with what follows from the answers so far."""
        asked = {(min(row[:2]), max(row[:2])) for row in answers} | self._not_again
        found = self._judge(answers).questions(BATCH + len(asked)).but(asked, at_most=BATCH)
        columns = found.items.tolist(), found.same.tolist(), found.changes.tolist()
        rows = zip(*columns, strict=True)
        return [Question((one, other), *about) for (one, other), *about in rows]

    def _judge(self, rows: Rows) -> Result:
        """Return the result that keeps all answers."""
        return self._result.judge(self._known(rows))

    def _known(self, rows: Rows) -> Judgements:
        """Return all that is known, with some answers."""
        return self._judged.with_more(Judgements.of(rows))

    def _check(self, rows: Rows) -> None:
        """Refuse answers that contradict each other, or what is known besides."""
        groups, names = self.items.problem.groups, self.items.names
        try:
            self._known(rows).check(self.items.n_items, groups, names)
        except InvalidInputError as error:
            raise InvalidInputError(f"{self.store}: {error}") from None

    def _is_open(self, pair: Pair) -> bool:
        """Tell whether the answer to a question does not follow from those that were given."""
        if any({*pair} == {*row[:2]} for row in self._rows):
            return False
        known, groups = self._known(self._rows), self.items.problem.groups
        return all(
            known.with_more(Judgements.of([(*pair, same)])).find_contradiction(groups) is None
            for same in (True, False)
        )


def count_changed(before: Labels, now: Labels) -> int:
    """Return the number of pairs that share a label in one of two answers only.

    Examples
    --------
    >>> count_changed(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))
    3
    """
    both = np.unique(np.column_stack([before, now]), axis=0, return_counts=True)[1]
    one, other, shared = (
        int(count_pairs(sizes).sum()) for sizes in (np.bincount(before), np.bincount(now), both)
    )
    return one + other - 2 * shared
