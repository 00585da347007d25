"""Where a walk goes, and what it leaves behind: resolutions, and labels and curves of each step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spherelax.coordinate.graph import LARGE, Account, Candidates, have_changed
from spherelax.coordinate.lists import Foretold
from spherelax.coordinate.model import Model
from spherelax.coordinate.moves import lower, move_once, polish_labels
from spherelax.coordinate.relax import Iterate, iterate_of, round_rows, sweep_rows
from spherelax.coordinate.worth import Blocks, Matches
from spherelax.labels import Labels, count_labels
from spherelax.result import Step, SweepPath
from spherelax.settings import Coordinate

# Entries of a row of U.
ENTRIES = 4
ENTRIES_OF_MANY = 2
# From this number of items on, the walk is shorter and its labels are polished once, at its end.
MANY = LARGE
# Steps of the grid, or the ratio of its resolutions.
STEPS = 40
RATIO_OF_MANY = 2.0
# Where the grid starts, as a share of the largest similarity; with many items, as a share of the
# average degree, where clusters of a degree's size are still in pieces.
TOP = 0.999
TOP_OF_MANY = 4.0
# Where degrees are corrected for, the largest W_ij / (n_i n_j) is this quantile: two items of low
# degree can be very close.
TOP_QUANTILE = 0.9
# Where the grid ends, in units of the average. Without groups the walk goes on from there until the
# labels are the connected components, or for MAX_STEPS steps in all.
BOTTOM = 0.3
# Or, with groups, where a similarity of this share of the largest pays for its item to join a label
# with one item of every group: the labels are hardly others below that.
WEAK = 0.01
MAX_STEPS = 160
# Below that, this number of steps in a row that save less than the best end the walk.
WORSE_STEPS = 8
# With many items nothing merges on the way; this number of steps with the same labels, the first
# one included, ends the walk.
QUIET_STEPS = 3
# Gains below this share of the objective are rounding: rows are in single precision.
ROUNDING = 1e-7
# Labels of a component are polished again when the rounded rows of more than this share of its
# items have changed.
CHANGED = 1e-3


class Route(NamedTuple):
    """How a model is walked.

    Attributes
    ----------
    settings : Coordinate
        What the user set.
    n_threads : int
        Threads of the sweep; no label depends on it.
    through : float or None
        A resolution that must be one of the steps.
    is_thorough : bool
        Whether many items are walked like few, down to the connected components.
    """

    settings: Coordinate
    n_threads: int
    through: float | None = None
    is_thorough: bool = False

    def has_many(self, model: Model) -> bool:
        """Tell whether a model has too many items to polish the labels of every step.

        Items that are similar to nothing do not count: they change no labels.
        """
        return model.totals.n_present >= MANY and not self.is_thorough

    def row_entries(self, model: Model) -> int:
        """Return the number of entries of a row of U."""
        return self.settings.row_entries or (ENTRIES_OF_MANY if self.has_many(model) else ENTRIES)


def is_at_rest(changed: Sequence[int], n_present: int) -> bool:
    """Tell whether labels rest, by how many items had other rows at each step.

    Examples
    --------
    >>> is_at_rest([9000, 3, 0, 0], 10_000), is_at_rest([9000, 3, 40, 0], 10_000)
    (True, False)
    """
    last = changed[1 - QUIET_STEPS :]
    return len(changed) >= QUIET_STEPS and max(last) <= CHANGED * n_present


def iterates(model: Model, route: Route, resolutions: NDArray[np.float64]) -> Iterator[Iterate]:
    """Walk the rows of U alone, which is enough to see them again; or cut a hierarchy."""
    foretold = model.reading.foretold
    if foretold is not None:
        levels = resolutions * model.average
        steps = foretold.steps(Candidates.of(model.given), levels)
        return map(iterate_of, levels.tolist(), steps)
    return sweep_rows(
        model.graph,
        resolutions * model.average,
        row_entries=route.row_entries(model),
        n_inner=route.settings.n_inner,
        n_threads=route.n_threads,
    )


def grid(model: Model, route: Route) -> NDArray[np.float64]:
    """Return resolutions in equal ratios from the strongest similarity down.

    Two labels merge when the resolution falls below their mean similarity, so what counts is its
    logarithm. Resolutions are in units of the average similarity. A hierarchy has levels instead.
    """
    if model.reading.foretold is not None:
        return _levels(model.reading.foretold, route) / model.average
    graph, many = model.graph, route.has_many(model)
    is_corrected = model.reading.is_corrected
    strongest = model.totals.ratio(TOP_QUANTILE) if is_corrected else graph.strongest
    degree = 2.0 * model.totals.total / max(model.totals.n_present, 1)
    top = strongest * (min(TOP_OF_MANY / degree, TOP) if many and degree > 0 else TOP)
    bottom = _bottom(model)
    top = max(top / model.average, bottom / BOTTOM)
    n_steps = route.settings.n_steps
    if n_steps is None:
        n_steps = 1 + math.ceil(math.log(top / bottom, RATIO_OF_MANY)) if many else STEPS
    ratio_of_steps = (bottom / top) ** (1.0 / (n_steps - 1))
    resolutions = top * ratio_of_steps ** np.arange(n_steps if _ends(model) else MAX_STEPS)
    if route.through is not None:
        resolutions = np.unique(np.r_[resolutions, route.through])[::-1]
    return np.asarray(resolutions)


def _levels(foretold: Foretold, route: Route) -> NDArray[np.float64]:
    """Return levels at which a hierarchy is cut, as many as a walk has steps, and the best one."""
    n_steps = min(route.settings.n_steps or STEPS, len(foretold.cuts))
    some = foretold.cuts[np.linspace(0, len(foretold.cuts) - 1, n_steps).round().astype(int)]
    return np.unique(np.r_[some, foretold.best])[::-1]


def _bottom(model: Model) -> float:
    """Return the resolution where the grid ends."""
    if not model.graph.grouped or model.reading.is_likelihood:
        return BOTTOM
    full = WEAK * model.graph.strongest / max(model.totals.n_groups, 1)
    return max(full / model.average, BOTTOM)


def _ends(model: Model) -> bool:
    """Tell whether the walk ends with the grid: below it nothing joins."""
    return model.graph.grouped or model.reading.is_likelihood


def _narrow(labels: Labels) -> NDArray[np.integer]:
    """Return labels in the smallest type that holds them.

    Examples
    --------
    >>> _narrow(np.int32([0, 300, 0]))
    array([  0, 300,   0], dtype=uint16)
    """
    smallest = np.min_scalar_type(labels.max())
    return labels.astype(smallest) if smallest.itemsize < labels.itemsize else labels


class Trail:
    """What a walk has left behind so far.

    ``changed`` has the number of items whose rounded rows were others than before, of each step.
    Where items are many, ``labels`` have the smallest type that holds them.
    """

    def __init__(self, model: Model, route: Route) -> None:
        self.model, self.route = model, route
        self.is_many = route.has_many(model)
        self.resolutions: list[float] = []
        self.etas: list[float] = []
        self.objectives: list[float] = []
        self.labels: list[NDArray[np.integer]] = []
        self.savings: list[float] = []
        self.accounts: list[Account | Blocks] = []
        self.changed: list[int] = []
        self.rounded = np.full(model.graph.n_items, -1, dtype=np.int32)
        grouped = model.graph.grouped
        self.n_components = 1 if grouped else len(model.graph.component_ptr) - 1

    def add(self, new: Labels | None, iterate: Iterate, resolution: float) -> None:
        """Keep the labels of a step, and its curves; None: they are those of the step before."""
        if new is None:
            labels, account, saving = self.labels[-1], self.accounts[-1], self.savings[-1]
        else:
            _, account, saving = self.model.labeling(new, n_threads=self.route.n_threads)
            labels = _narrow(new) if self.is_many else new
        self.labels.append(labels)
        self.accounts.append(account)
        self.savings.append(saving)
        self.resolutions.append(resolution)
        objective = self.model.objective(account, resolution)
        eta = iterate.eta / self.model.average
        self.etas.append(eta if eta > ROUNDING * abs(objective) else 0.0)
        self.objectives.append(objective)

    def improve(self, iterate: Iterate) -> Labels | None:
        """Round the rows of a step and polish the labels; None: they are those of the step before.

        Components whose rows have hardly changed go on from the labels that they had.
        """
        graph, gamma, n_threads = self.model.graph, iterate.resolution, self.route.n_threads
        rounded = round_rows(graph, iterate.rows)
        if self.model.reading.foretold is not None:
            return np.asarray(rounded)
        before = self.labels[-1] if self.labels else rounded
        self.changed.append(int(np.count_nonzero(rounded != self.rounded)))
        active = have_changed(graph, rounded, self.rounded, CHANGED)
        if not active.any():
            if self.is_many:
                return None
            return lower(graph, before.astype(np.int32, copy=False), gamma, n_threads=n_threads)
        improve, labels = move_once if self.is_many else polish_labels, rounded
        if not active.all():
            labels = np.where(active, rounded, before)
            np.copyto(rounded, self.rounded, where=~active)
        self.rounded = rounded
        return improve(graph, labels, gamma, active=active, n_threads=n_threads)

    def widen(self) -> list[Labels]:
        """Return the labels of each step; what was one array stays one."""
        different = {id(labels): labels.astype(np.int32, copy=False) for labels in self.labels}
        return [different[id(labels)] for labels in self.labels]

    @property
    def has_ended(self) -> bool:
        """Whether nothing more can come that saves more; a hierarchy is cut at all its levels."""
        if self.model.reading.foretold is not None:
            return False
        resolution, through = self.resolutions[-1], self.route.through
        if through is not None and resolution > through:
            return False
        savings = self.savings
        if self.is_many:
            return self._is_over or resolution <= _bottom(self.model)
        if _ends(self.model) or resolution > BOTTOM:
            return False
        worse = max(savings[-WORSE_STEPS:]) < max(savings) and max(savings) > 0
        is_over = count_labels(self.labels[-1]) <= self.n_components
        return is_over or (worse and not self.route.is_thorough)

    @property
    def _is_over(self) -> bool:
        """Whether the labels of many items rest; those of a part do not tell."""
        is_part = self.model.whole is not None
        rests = is_at_rest(self.changed, self.model.totals.n_present)
        return rests and self.savings[-1] > 0 and not is_part

    def settle(self) -> None:
        """Weigh the labels of all steps by the readings of wrong matches that the best ones show.

        Those of a part do not tell.
        """
        model, matches = self.model, self.model.description
        if not isinstance(matches, Matches) or model.whole is not None:
            return
        found, savings = matches.weigh([one for one in self.accounts if isinstance(one, Account)])
        self.savings = savings.tolist()
        if found is not matches:
            self.model = replace(model, reading=replace(model.reading, has_patches=False))

    def last_step(self, n_steps: int) -> Step:
        """Return the last step as a callback sees it; there may be ``n_steps`` of them."""
        index, resolution = len(self.labels) - 1, self.resolutions[-1]
        return Step(
            index=index,
            n_steps=n_steps,
            alpha=resolution / (1.0 + resolution),
            eta=self.etas[-1],
            objective=self.objectives[-1],
            n_labels=count_labels(self.labels[-1]),
        )

    def path(self, *, is_complete: bool = True) -> SweepPath:
        """Return the trail as a path; a step that was interrupted is left out."""
        n_steps = len(self.objectives)
        resolutions = np.array(self.resolutions[:n_steps])
        return SweepPath(
            alphas=resolutions / (1.0 + resolutions),
            etas=np.array(self.etas[:n_steps]),
            objectives=np.array(self.objectives),
            labels=tuple(self.widen()[:n_steps]),
            savings=np.array(self.savings[:n_steps]),
            is_complete=is_complete,
        )
