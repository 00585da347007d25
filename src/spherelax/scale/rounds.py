"""The rounds: what is asked of all shards, and what follows from the sums of their answers.

It is `spherelax.solve` for a large problem, with shards instead of one graph: the same functions
draw a part, learn from it, count, choose a step and finish. A problem that is not large is solved
as one.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterable
from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax._solve import solve
from spherelax.coordinate.finish import best_beyond, first_nearly
from spherelax.coordinate.graph.account import Totals, together
from spherelax.coordinate.graph.graph import build_graph
from spherelax.coordinate.graph.part import LEARN_FROM, LEAST_ITEMS, Draw
from spherelax.coordinate.learn import taught_by
from spherelax.coordinate.lesson import Facts, Lesson
from spherelax.coordinate.model import Model
from spherelax.coordinate.noise import beyond_noise_of, is_doubtful
from spherelax.coordinate.sampling.posterior import Judged
from spherelax.coordinate.walk import Route, is_at_rest
from spherelax.coordinate.worth.reliability import factors, is_open, of_several, weighted
from spherelax.coordinate.worth.strata import Strata
from spherelax.errors import SphereWarning
from spherelax.pick import pick_description
from spherelax.problem import NATS, Problem
from spherelax.result import Status
from spherelax.scale.kept import once
from spherelax.scale.shards import FREE, Plan, codes_of
from spherelax.settings import Coordinate

# What takes time is done once, and kept in the folder of the plan: what was learnt, the labels of a
# problem that is not large, and which steps are beyond noise.
LESSON, SOLVED, NOISE = "lesson.npz", "solved.npz", "noise.npz"
# So many times as many items are drawn from all shards as are needed.
SPARE = 8

Answers = Iterable[dict[str, Any]]


class Order(NamedTuple):
    """What all shards are to do, and what they need for it."""

    what: str
    content: dict[str, Any]


Rounds = Generator[Order, Answers, dict[str, Any]]


def program(plan: Plan, settings: Coordinate) -> Generator[Order, Answers, dict[str, Any]]:
    """Yield orders, get the answers of all shards, and return what was found."""
    measured = list((yield Order("measure", {})))
    has_several = sum(found["sizes"] for found in measured) > 1
    largest = max(found["largest"] for found in measured)
    how = {
        "unit": 1.0 if plan.kind in NATS else largest or 1.0,
        "is_grouped": bool(has_several.any()),
    }
    some, facts = yield from _drawn(plan, how)
    if facts.n_entries <= LEARN_FROM or facts.n_present <= LEAST_ITEMS:
        return (yield from _solved_as_one(plan, settings, how))
    run = _Run(plan, settings, has_several=has_several, how=how, facts=facts, some=some)
    return (yield from run.rounds())


def _drawn(plan: Plan, how: dict[str, Any]) -> Generator[Order, Answers, tuple[_Some, Facts]]:
    """Draw a part from all shards: more of them until there are enough."""
    limit = SPARE * LEARN_FROM / max(2 * plan.n_pairs, 1)
    while True:
        answers = list((yield Order("draw", {**how, "limit": min(limit, 1.0)})))
        some = _Some.of(answers)
        facts = Facts(
            reduce(together, (found["degrees"] for found in answers)),
            sum(found["n_entries"] for found in answers),
        )
        assert some.draw is not None
        if limit >= 1.0 or some.draw.is_enough():
            return some, facts
        limit *= SPARE


def _solved_as_one(plan: Plan, settings: Coordinate, how: dict[str, Any]) -> Rounds:
    """Solve a problem that is not large."""
    every = _Some.of((yield Order("sample", {**how, "start": 2**64 - 1})))

    def solved() -> dict[str, Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SphereWarning)
            found = solve(every.problem(every.numbers, plan.kind), solver=settings)
        at = found.index
        return {
            "labels": found.labels,
            "confidence": found.confidence,
            "status": str(found.status),
            "resolution": float(found.path.resolutions[at or 0]),
            "saving": None if at is None else float(np.asarray(found.path.savings)[at]),
        }

    found = once(plan.folder / SOLVED, solved)
    order = {name: found[name] for name in ("labels", "confidence")}
    yield Order("take", {**order, "numbers": every.numbers})
    return _outcome(found["status"], found["resolution"], found["saving"], [])


class _Some(NamedTuple):
    """Items of all shards, by their numbers, and the similarities among them."""

    numbers: NDArray[np.int64]
    groups: NDArray[np.int32]
    one: NDArray[np.int64]
    other: NDArray[np.int64]
    similarity: NDArray[np.float64]
    draw: Draw | None = None

    @classmethod
    def of(cls, answers: Answers) -> _Some:
        """Put the items of all shards together, in the order of their numbers."""
        answers = list(answers)
        columns = [np.concatenate([found[name] for found in answers]) for name in cls._fields[:5]]
        by_number = np.argsort(columns[0])
        columns[:2] = (column[by_number] for column in columns[:2])
        draw = None
        if "draw" in answers[0]:
            every = [
                np.concatenate(each) for each in zip(*(a["draw"] for a in answers), strict=True)
            ]
            by_start = np.argsort(every[1], kind="stable")
            draw = Draw(*(each[by_start] for each in every))
        numbers, groups, one, other, similarity = columns
        return cls(numbers, groups, one, other, similarity, draw)

    def problem(self, numbers: NDArray[np.int64], kind: str | None) -> Problem:
        """Return the problem of some of the items, in the order of their numbers."""
        kept = np.isin(self.one, numbers) & np.isin(self.other, numbers)
        one, other = (np.searchsorted(numbers, each[kept]) for each in (self.one, self.other))
        half = sp.coo_array((self.similarity[kept], (one, other)), shape=(len(numbers),) * 2)
        W: Any = (half + half.T).tocsr()
        return Problem(W, codes_of(self.groups[np.searchsorted(self.numbers, numbers)]), kind)


class _Run:
    """A large problem in shards."""

    def __init__(
        self,
        plan: Plan,
        settings: Coordinate,
        *,
        has_several: NDArray[np.bool_],
        how: dict[str, Any],
        facts: Facts,
        some: _Some,
    ) -> None:
        self.plan, self.has_several, self.how, self.facts = plan, has_several, how, facts
        self.is_grouped: bool = how["is_grouped"]
        self.route = Route(settings, n_threads=1)
        assert some.draw is not None
        drawn = some.draw.enough()
        items = np.sort(drawn.items)
        self.start = int(drawn.start[-1])

        def taught() -> dict[str, Any]:
            problem = some.problem(items, plan.kind)
            part = taught_by(problem, np.arange(len(items)), how["unit"], self.route)
            return {"lesson": Lesson.of(part, facts)}

        self.lesson: Lesson = once(plan.folder / LESSON, taught)["lesson"]
        self.is_likelihood = self.lesson.stated is not None or self.lesson.scores is not None
        self.order: dict[str, Any] = {"lesson": self.lesson, "is_grouped": self.is_grouped}

    def rounds(self) -> Rounds:
        """Learn, walk, choose a step and finish."""
        yield from self._learn()
        yield from self._walk()
        yield from self._compare_groups()
        at, status = pick_description(self.savings).index, Status.DESCRIBED
        if self.is_likelihood:
            yield from self._polish(at, 0.0)
            return (yield from self._finish(at, "polished", Status.LIKELIEST))
        beyond = yield from self._beyond_noise(at)
        if beyond is None and not self.is_grouped:
            return (yield from self._finish(len(self.savings) - 1, "joined", Status.NOISE))
        at, status = (at, Status.NOISE) if beyond is None else (beyond, status)
        if self.model.learns_worth and not self.is_grouped:
            return (yield from self._finish(at, "step", status))
        nearly = first_nearly(self.savings, at) if status is Status.DESCRIBED else at
        saving = yield from self._polish(at, self.gammas[nearly])
        is_better = status is Status.NOISE or saving >= self.savings[at]
        return (yield from self._finish(at, "polished" if is_better else "step", status))

    def _learn(self) -> Generator[Order, Answers, None]:
        """Let all shards apply what was learnt, and add their totals."""
        self.order.pop("totals", None)
        answers = list((yield Order("learn", dict(self.order))))
        totals = reduce(Totals.plus, (found["totals"] for found in answers))
        n_pairs = sum(found["n_pairs"] for found in answers)
        self.order |= {"totals": totals, "n_pairs": n_pairs}
        self.model = self._empty(totals, n_pairs)

    def _empty(self, totals: Totals, n_pairs: NDArray[np.float64]) -> Model:
        """Return a model without items of its own, which knows what all shards amount to."""
        lesson, graph = self.lesson, build_graph(Problem(sp.csr_array((2, 2)), None), 1.0)
        if self.is_grouped:
            graph = graph._replace(group=np.zeros(2, dtype=np.int32))
        strata = None
        if lesson.floors is not None:
            strata = Strata(np.empty(0, dtype=np.uint8), n_pairs, lesson.floors)
        model = Model(
            graph, graph, lesson.unit, lesson.is_corrected, lesson.worth, strata, lesson.floor
        )
        if self.is_likelihood:
            model = replace(model, judged=Judged(np.empty(0), None))
        return model.within(totals)

    def _walk(self) -> Generator[Order, Answers, None]:
        """Let all shards walk; add what their labels amount to, up to where all rest."""
        answers = list((yield Order("walk", dict(self.order))))
        accounts = [
            reduce(lambda one, other: one.plus(other), of_step)
            for of_step in zip(*(found["accounts"] for found in answers), strict=True)
        ]
        changed = np.sum([found["changed"] for found in answers], axis=0).tolist()
        savings = [self.model.saving(account) for account in accounts]
        n_present = self.model.totals.n_present
        n_steps = next(
            (
                n
                for n in range(1, len(savings))
                if savings[n - 1] > 0 and is_at_rest(changed[:n], n_present)
            ),
            len(savings),
        )
        self.accounts, self.savings = accounts[:n_steps], np.array(savings[:n_steps])
        self.resolutions = np.array(answers[0]["resolutions"][:n_steps])
        self.gammas = (self.model.average * self.resolutions).tolist()

    def _compare_groups(self) -> Generator[Order, Answers, None]:
        """Learn how reliable pairs of groups are; if they differ, walk once more."""
        n_groups = self.model.totals.n_groups
        is_plain = self.is_grouped and not self.is_likelihood
        if not (is_plain and is_open(self.facts.n_entries, n_groups)):
            return
        at = pick_description(self.savings).index
        order = {**self.order, "at": at, "has_several": self.has_several}
        both = sum(found["both"] for found in (yield Order("compare groups", order)))
        factor = factors(*both)
        if factor is not None:
            self.order |= {"factor": factor, "has_several": self.has_several}
            yield from self._learn()
            yield from self._walk()

    def _beyond_noise(self, at: int) -> Generator[Order, Answers, int | None]:
        """Return the best step that is beyond noise; None: there is none."""
        totals, savings = self.model.totals, self.savings
        if not is_doubtful(savings, totals.n_present, totals.n_groups):
            return at
        if not self.is_grouped and savings.max() <= 0.0:
            return None
        some = _Some.of((yield Order("sample", {**self.how, "start": self.start})))

        def compared() -> dict[str, Any]:
            model = self._of_some(some)
            return {"is_beyond": beyond_noise_of(model, np.array(self.gammas), self.route)}

        is_beyond = once(self.plan.folder / NOISE, compared)["is_beyond"]
        return best_beyond(is_beyond, savings, at)

    def _of_some(self, some: _Some) -> Model:
        """Return the model of some components with what was learnt."""
        graph = build_graph(some.problem(some.numbers, self.plan.kind), self.lesson.unit)
        model = self.lesson.applied(graph, some.numbers[graph.given])
        if "factor" not in self.order:
            return model
        named = some.groups[graph.given]
        shared = np.where(named == FREE, FREE, of_several(named, self.has_several))
        return model.with_weights(
            weighted(model.graph, shared.astype(np.int32), self.order["factor"])
        )

    def _polish(self, at: int, gamma: float) -> Generator[Order, Answers, float]:
        """Polish the labels of a step, and return what they save."""
        answers = yield Order("polish", {**self.order, "at": at, "gamma": gamma})
        account = reduce(lambda one, other: one.plus(other), (each["account"] for each in answers))
        return self.model.saving(account)

    def _finish(self, at: int, which: str, status: Status) -> Rounds:
        """Let all shards write labels of a kind, and return what was found."""
        resolution = float(self.resolutions[at])
        alpha = resolution / (1.0 + resolution)
        yield Order("finish", {**self.order, "at": at, "which": which, "alpha": alpha})
        steps = [
            {"resolution": r, "saving": s, "n_labels": int(account.of_size[1:].sum())}
            for r, s, account in zip(
                self.resolutions.tolist(), self.savings.tolist(), self.accounts, strict=True
            )
        ]
        return _outcome(status, resolution, float(self.savings[at]), steps)


def _outcome(
    status: str, resolution: float, saving: float | None, steps: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return what was found, as JSON has it."""
    return {"status": status, "resolution": resolution, "saving": saving, "steps": steps}
