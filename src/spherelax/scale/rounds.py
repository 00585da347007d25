"""The road of `spherelax.solve` for a large problem, with shards in files instead of one graph.

The same functions draw a part, learn from it, count, choose a step and finish; what is asked of
all shards are sums of small tables. A problem that is not large is solved as one.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import reduce
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from spherelax._solve import solve
from spherelax.coordinate.finish import (
    choose_beyond_noise,
    judge_list,
    likeliest_step,
    most_evident,
    polish_many,
)
from spherelax.coordinate.graph import (
    LEARN_FROM,
    LEAST_ITEMS,
    Draw,
    Totals,
    add_counts,
    build_graph,
)
from spherelax.coordinate.judging import nearest_level, weigh_counts
from spherelax.coordinate.model import Facts, Model, Reading
from spherelax.coordinate.noise import is_beyond_noise, judge_savings, unpaid_of
from spherelax.coordinate.run import read_whole
from spherelax.coordinate.trail import Route, is_at_rest
from spherelax.coordinate.worth import (
    Description,
    Matches,
    factors,
    is_open,
    renumber_groups,
    weigh_pairs,
    weigh_plain,
)
from spherelax.errors import SphereWarning
from spherelax.labels import Labels
from spherelax.pick import pick_description
from spherelax.problem import NATS, Problem
from spherelax.result import Result, Status
from spherelax.scale.judged import judgements_among
from spherelax.scale.kept import once
from spherelax.scale.shards import FREE, Plan, codes_of
from spherelax.settings import Coordinate

# What takes time is done once, and kept in the folder of the plan: what was learnt, the labels of a
# problem that is not large, and which steps are beyond noise.
READING, SOLVED, NOISE = "reading.npz", "solved.npz", "noise.npz"
# This many times as many items are drawn from all shards as are needed.
SPARE = 8

Answers = list[dict[str, Any]]


class Ask(Protocol):
    """Sends an order to all shards."""

    def __call__(self, what: str, **order: Any) -> Answers:
        """Return the answer of each shard."""


class _Sums(NamedTuple):
    """What all shards show before anything is learnt.

    ``how`` is how their graphs are built; ``has_several`` tells of each group whether it has
    several items.
    """

    how: dict[str, Any]
    has_several: NDArray[np.bool_]
    facts: Facts


def solve_shards(plan: Plan, settings: Coordinate, ask: Ask) -> dict[str, Any]:
    """Let all shards be solved, and return what was found, as JSON has it."""
    measured = ask("measure")
    has_several = sum(found["sizes"] for found in measured) > 1
    largest = max(found["largest"] for found in measured)
    how = {
        "unit": 1.0 if plan.kind in NATS else largest or 1.0,
        "is_grouped": bool(has_several.any()),
    }
    some, facts = _draw(plan, how, ask)
    if facts.n_entries <= LEARN_FROM or facts.n_present <= LEAST_ITEMS:
        return _solve_as_one(plan, settings, how, ask)
    shards = _Shards(plan, Route(settings, n_threads=1), _Sums(how, has_several, facts), some, ask)
    at = pick_description(shards.savings).index
    if shards.reading.is_likelihood:
        at = likeliest_step(shards, at)
        is_polished = polish_many(shards, at, Status.DESCRIBED)
        status = judge_list(shards.reading)["status"]
        return shards.finish(at, "polished" if is_polished else "step", status)
    chosen, status = choose_beyond_noise(shards, at, joins_noise=not how["is_grouped"])
    if chosen is None:
        return shards.finish(len(shards.savings) - 1, "joined", status)
    if status is Status.DESCRIBED:
        chosen = most_evident(shards, chosen)
    is_polished = polish_many(shards, chosen, status)
    return shards.finish(chosen, "polished" if is_polished else "step", status)


def _draw(plan: Plan, how: dict[str, Any], ask: Ask) -> tuple[Some, Facts]:
    """Draw a part from all shards: more of them until there are enough."""
    limit = SPARE * LEARN_FROM / max(2 * plan.n_pairs, 1)
    while True:
        answers = ask("draw", **how, limit=min(limit, 1.0))
        some = Some.of(answers)
        degrees = reduce(add_counts, (found["degrees"] for found in answers))
        facts = Facts(degrees, sum(found["n_entries"] for found in answers))
        assert some.draw is not None
        if limit >= 1.0 or some.draw.is_enough():
            return some, facts
        limit *= SPARE


def _solve_as_one(
    plan: Plan, settings: Coordinate, how: dict[str, Any], ask: Ask
) -> dict[str, Any]:
    """Solve a problem that is not large."""
    every = Some.of(ask("sample", **how, start=2**64 - 1))

    def solved() -> dict[str, Any]:
        found = every.solve(plan, settings)
        at, is_joined = found.path.picked, found.path.joined is not None
        return {
            "labels": found.labels,
            "confidence": found.confidence,
            "status": str(found.status),
            "resolution": found.resolution,
            "saving": None if is_joined else float(np.asarray(found.path.savings)[at]),
        }

    found = once(plan.folder / SOLVED, solved)
    order = {name: found[name] for name in ("labels", "confidence")}
    ask("take", **order, numbers=every.numbers)
    return _outcome(found["status"], found["resolution"], found["saving"], [])


class Some(NamedTuple):
    """Items of all shards, by their numbers, and the similarities among them."""

    numbers: NDArray[np.int64]
    groups: NDArray[np.int32]
    one: NDArray[np.int64]
    other: NDArray[np.int64]
    similarity: NDArray[np.float64]
    draw: Draw | None = None

    @classmethod
    def of(cls, answers: Answers) -> Some:
        """Put the items of all shards together, in the order of their numbers."""
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

    def solve(self, plan: Plan, settings: Coordinate) -> Result:
        """Solve the problem of all items of a plan, and keep what was judged."""
        judged = judgements_among(plan.judgements(), self.numbers)
        problem = self.problem(self.numbers, plan.kind)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SphereWarning)
            return solve(problem, solver=settings, judgements=judged)

    def problem(self, numbers: NDArray[np.int64], kind: str | None) -> Problem:
        """Return the problem of some of the items, in the order of their numbers."""
        kept = np.isin(self.one, numbers) & np.isin(self.other, numbers)
        one, other = (np.searchsorted(numbers, each[kept]) for each in (self.one, self.other))
        half = sp.coo_array((self.similarity[kept], (one, other)), shape=(len(numbers),) * 2)
        W: Any = (half + half.T).tocsr()
        return Problem(W, codes_of(self.groups[np.searchsorted(self.numbers, numbers)]), kind)


class _Shards:
    """A large problem in shards, walked: `Parts` of it that are files."""

    def __init__(self, plan: Plan, route: Route, sums: _Sums, some: Some, ask: Ask) -> None:
        self.plan, self.route, self.sums, self.ask = plan, route, sums, ask
        assert some.draw is not None
        drawn = some.draw.enough()
        self.start = int(drawn.start[-1])

        def learnt() -> dict[str, Any]:
            part = some.problem(np.sort(drawn.items), plan.kind)
            return {"reading": read_whole(part, sums.facts, route, sums.how["unit"])}

        self.reading: Reading = once(plan.folder / READING, learnt)["reading"]
        self.order: dict[str, Any] = {
            "reading": self.reading,
            "is_grouped": sums.how["is_grouped"],
        }
        self._walk()
        self._compare_groups()

    def _walk(self) -> None:
        """Let all shards be read and walked; add what labels amount to, up to where all rest."""
        counted = self.ask("learn", **self.order)
        self.totals: Totals = reduce(Totals.plus, (found["totals"] for found in counted))
        self.description = self.reading.description(self.totals)
        walked = self.ask("walk", **self.order, totals=self.totals)
        accounts = [
            _add_up(of_step)
            for of_step in zip(*(found["accounts"] for found in walked), strict=True)
        ]
        changed = np.sum([found["changed"] for found in walked], axis=0).tolist()
        savings = [self.description.saving(account) for account in accounts]
        n_present = self.totals.n_present
        n_steps = next(
            (
                n
                for n in range(1, len(changed))
                if savings[n - 1] > 0 and is_at_rest(changed[:n], n_present)
            ),
            len(savings),
        )
        self.accounts, self.savings = accounts[:n_steps], np.array(savings[:n_steps])
        if isinstance(self.description, Matches):
            self.description, self.savings = self.description.weigh(self.accounts)
        self.resolutions = np.array(walked[0]["resolutions"][:n_steps])
        self.gammas = self.totals.average * self.resolutions

    def _compare_groups(self) -> None:
        """Learn how reliable pairs of groups are; if they differ, walk once more."""
        is_plain = self.order["is_grouped"] and not self.reading.is_likelihood
        if not (is_plain and is_open(self.sums.facts.n_entries, self.totals.n_groups)):
            return
        at, has_several = pick_description(self.savings).index, self.sums.has_several
        order = {**self.order, "totals": self.totals, "at": at, "has_several": has_several}
        factor = factors(*sum(found["both"] for found in self.ask("compare groups", **order)))
        if factor is not None:
            self.order |= {"factor": factor, "has_several": has_several}
            self._walk()

    def evidence(self, labels: Labels | None) -> NDArray[np.float64] | None:  # noqa: ARG002
        """Weigh the labels of each step of plain matches."""
        is_plain = isinstance(self.description, Description)
        return weigh_plain(self.totals, self.accounts) if is_plain else None

    def beyond_noise(self) -> NDArray[np.bool_]:
        """Compare with noise some components, drawn from all shards."""
        best = self.accounts[pick_description(self.savings).index]
        known = judge_savings(self.savings, self.totals, unpaid_of(self.description, best))
        if known is not None:
            return known
        some = Some.of(self.ask("sample", **self.sums.how, start=self.start))

        def compared() -> dict[str, Any]:
            return {"is_beyond": is_beyond_noise(self._read(some), self.route)}

        found = once(self.plan.folder / NOISE, compared)["is_beyond"]
        return np.full(len(self.savings), found)

    def _read(self, some: Some) -> Model:
        """Return the model of some components."""
        graph = build_graph(some.problem(some.numbers, self.plan.kind), self.reading.unit)
        model = self.reading.read(graph)
        if "factor" not in self.order:
            return model
        named = some.groups[graph.given]
        shared = np.where(named == FREE, FREE, renumber_groups(named, self.sums.has_several))
        return model.with_weights(
            weigh_pairs(model.graph, shared.astype(np.int32), self.order["factor"])
        )

    def polish(self, at: int, gamma: float) -> float:
        """Let all shards polish the labels of a step, and return what they save."""
        order = {**self.order, "totals": self.totals, "at": at, "gamma": gamma}
        accounts = (found["account"] for found in self.ask("polish", **order))
        return self.description.saving(_add_up(accounts))

    def finish(self, at: int, which: str, status: Status) -> dict[str, Any]:
        """Let all shards write labels: of a step, polished or joined. Return what was found.

        If judgements say that another level is meant, it is that of another step.
        """
        order = {**self.order, "totals": self.totals, "at": at, "which": which}
        n_judged = len(self.plan.judgements())
        if n_judged > 0:
            answers = self.ask("count judgements", **order, n_steps=len(self.savings))
            broken = np.sum([found["broken"] for found in answers], axis=0)
            at = nearest_level(weigh_counts(broken, n_judged), at)
        resolution = float(self.resolutions[at])
        self.ask("finish", **order, level=at, alpha=resolution / (1.0 + resolution))
        steps = [
            {"resolution": r, "saving": s, "n_labels": int(account.of_size[1:].sum())}
            for r, s, account in zip(
                self.resolutions.tolist(), self.savings.tolist(), self.accounts, strict=True
            )
        ]
        return _outcome(status, resolution, float(self.savings[at]), steps)


def _add_up(accounts: Iterable[Any]) -> Any:
    """Return what labels of all shards amount to."""
    return reduce(lambda one, other: one.plus(other), accounts)


def _outcome(
    status: str, resolution: float, saving: float | None, steps: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return what was found, as JSON has it."""
    return {"status": status, "resolution": resolution, "saving": saving, "steps": steps}
