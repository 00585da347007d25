r"""What plain matches of groups say of labels: rates of rows, learnt from labels that are drawn.

A *row* is an item and another group that was compared with its own. If the label of the item has an
item there, the row has the right match, a wrong one or none, with rates :math:`r, w, s`; if not, a
wrong one or none, with rates :math:`w', s'` (reading *anywhere* of `worth.matches`). A wrong match
with a group of :math:`n_b` items is one of :math:`n_b`. So an item joins a label with odds that
multiply, for each of the label's items that it was compared with,

.. math:: \frac{r\, n_b}{w'} , \qquad \frac{w}{w'} \qquad \text{or} \qquad \frac{s}{s'} ,

if it matches that item, another one of its group, or none. Before matches are seen, as many items
as are alone are as likely to be, and an item that is not has any label with the same odds: which of
the things a group has, nobody knows.

Labels that chance matches have joined show rates that are too low, and too few items that are
alone. So both are learnt again from the labels that are drawn in the first sweeps. (Not in all of
them: evidence is divided by its dispersion, so that labels of which everything is matched melt.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spherelax.coordinate.graph.crossings import Compared, Crossings, cross
from spherelax.coordinate.graph.graph import Graph
from spherelax.coordinate.sampling.agreement import Floats, Ints
from spherelax.coordinate.sampling.dispersion import dispersion
from spherelax.coordinate.sampling.gibbs import Beliefs
from spherelax.labels import Labels

# Rows of each sort that are added to those counted.
ADDED = 0.5


class Rows(NamedTuple):
    """Matches of groups, and what is learnt from labels that are drawn.

    Attributes
    ----------
    same : ndarray of shape (n_entries,)
        What was judged of each match, in nats; 0: nothing.
    names : ndarray of shape (n_entries,)
        The logarithm of the size of the group that each match leads to.
    n_rows : float
        Number of rows.
    n_present : int
        Items that have a match.
    compared : Compared
        Which groups were compared.
    seen : ndarray of shape (3,)
        Inside the labels that taught first: matches, pairs compared, and pairs contradicted.
    clumped : float
        The dispersion of the evidence.
    """

    same: Floats
    names: Floats
    n_rows: float
    n_present: int
    compared: Compared
    seen: Floats
    clumped: float = 1.0

    @classmethod
    def of(cls, graph: Graph, labels: Labels, compared: Compared, n_rows: float) -> Rows:
        """Learn from labels of a graph.

        Examples
        --------
        >>> from spherelax.coordinate.readings import read_problem
        >>> from spherelax.problem import Problem
        >>> W = np.kron(np.ones((4, 4)), np.eye(3))  # three things in four groups
        >>> model = read_problem(Problem.check(W, groups=np.repeat(np.arange(4), 3)))
        >>> labels = (model.given.given % 3).astype(np.int32)
        >>> rows = Rows.of(model.given, labels, model.compared, model.totals.n_rows)
        >>> found = rows.learn(np.zeros(3), np.array([4, 4, 4]))
        >>> bool(found.same.min() > 0.0), bool(found.absent > 0.0)
        (True, True)
        """
        amount = Crossings(*cross(graph, labels, compared))
        seen = np.array([amount.right, amount.possible, amount.contradicted])
        names = compared.log_size[graph.groups()[graph.indices]]
        rows = cls(np.zeros(len(names)), names, n_rows, graph.n_present(), compared, seen)
        found = rows.learn(seen, np.bincount(labels))
        nats = (found.same + found.absent).astype(np.float32)
        return rows._replace(clumped=dispersion(graph._replace(values=nats), labels))

    def learn(self, seen: Floats, size: Ints) -> Beliefs:
        """Return what is believed of pairs and labels after a sweep.

        ``seen`` is what it saw inside labels, and ``size`` that of each label. As long as nothing
        is joined, the labels that taught first teach.
        """
        right, possible, wrong = seen if seen[1] > 0.0 else self.seen
        elsewhere = len(self.names) - right - wrong
        inside = _log_rates(right, wrong, possible - right - wrong)
        outside = _log_rates(elsewhere, self.n_rows - possible - elsewhere)
        n_isolated = int(size.sum()) - self.n_present
        n_alone = max(int(np.count_nonzero(size == 1)) - n_isolated, 0)
        n_labels = max(int(np.count_nonzero(size)) - n_isolated, 1)
        join = np.log((self.n_present - n_alone + 1.0) / n_labels / (n_alone + 1.0))
        told = (inside[0] - outside[0] + self.names) / self.clumped
        absent = (outside[1] - inside[2]) / self.clumped
        return Beliefs(
            np.where(self.same == 0.0, told, self.same),
            absent,
            float(join),
            np.zeros(1),
            (inside[1] - outside[0]) / self.clumped + absent,
        )


def _log_rates(*counts: float) -> list[float]:
    """Return the logarithms of the shares of some counts."""
    added = np.maximum(counts, 0.0) + ADDED
    return [float(value) for value in np.log(added / added.sum())]
