r"""The evidence for labels of matches: how much likelier the matches are with labels than without.

Items have groups, and no two items of a group share a label. The matches :math:`E` are taken for
those of a stochastic block model: likely inside labels, unlikely across them. What matters is how
wrong matches, those across labels, come about. There are two readings, each with its likelihood.

*Anywhere.* A wrong match leads to any item of a group. A row is an item and another group that was
compared with its own. If the item's label has an item there, the row has the right match, a wrong
one or none, with three rates; if not, a wrong one or none, with two. To name a wrong item of a
group of :math:`n_b` takes :math:`\ln n_b` nats. With the rates that are most likely,

.. math::

    \ln L_a = \tfrac12 \Bigl( \sum_{\text{labelled rows}} \ln \hat r
    + \sum_{\text{other rows}} \ln \hat r - \sum_{\text{wrong}} \ln n_b \Bigr) ,

half, because a match is in the rows of both its items.

*In patches.* Some things look alike, and their items are matched again and again. The blocks of two
labels that matches join are :math:`B` of all :math:`T = K (K - 1) / 2`. Described are which blocks,
how many of the :math:`X` wrong matches each has, and which of its :math:`m_k m_l` pairs these are:

.. math::

    -\ln L_p = \ln \binom{P}{R} + \ln \binom{T}{B} + \ln \binom{X - 1}{B - 1}
    + \sum_{k < l} \ln \binom{m_k m_l}{n_{kl}} + \ln (P + 1)(T + 1)(X + 1) ,

if :math:`R` of the :math:`P` pairs inside labels match. A dense block then costs little, so joining
two things that look alike gains little; joining two halves of one thing gains little as well.

In each reading, labels are so much likelier than all items apart, which is a ratio of likelihoods;
the evidence is the mean of both ratios. Besides, the order of scores tells which matches are inside
labels (`spherelax.coordinate.worth.strata`).

Labels cost what it takes to say which of the :math:`K` things, whose names do not matter, each
group of :math:`n_b` items has,

.. math:: \sum_b \ln \frac{K!}{(K - n_b)!} - \ln K! ,

times the chance that an item was compared with both of two groups: only then it could have been
with items of both. In a chain of frames that is rare. As the steps of a path are few, and not any
labels, they pay for half of it.

**Pieces.** Only groups tell things that look alike from pieces of one thing. Different things share
a group as often as chance has it: labels of :math:`m_k` and :math:`m_l` items avoid each other in
:math:`q` groups with probability :math:`\binom{q - m_k}{m_l} / \binom{q}{m_l}`. Pieces always do.
If labels that are joined by dense blocks share groups much less often, most of them are pieces.
Then only the first reading holds, and the groups count: labels pay for all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, gammaln, xlogy

from spherelax.coordinate.graph.account import Account, Totals
from spherelax.coordinate.graph.crossings import FINE, Crossings
from spherelax.coordinate.worth.block_model import log_sums, log_ways
from spherelax.coordinate.worth.strata import strata_saving

# Labels are pieces if their dense blocks share groups less often than by chance, by this number of
# standard errors.
ERRORS = 3.0
# Share of what labels cost that they pay for, if wrong matches may come in patches. With 0 labels
# of many wrong matches are split, with 1 those of keypoints that are tracked over few images.
CHARGED = 0.5


@dataclass(frozen=True, eq=False)
class Matches:
    """The matches of a problem with groups, whose labels are weighed.

    Attributes
    ----------
    n_items : int
        Items that match any other.
    n_matches : float
        Number of matches.
    n_rows : float
        How often an item was compared with a group.
    can_share : float
        The chance that an item was compared with both of two other groups.
    names : float
        Sum of the logarithms of the sizes of the groups that matches lead to, from both items.
    of_stratum : ndarray
        Number of matches in each stratum of scores; empty if all scores are equal.
    sizes : ndarray
        Number of items of each group that has several.
    has_patches : bool
        Whether wrong matches may come in patches; if not, labels may be pieces of things.
    """

    n_items: int
    n_matches: float
    n_rows: float
    can_share: float
    names: float
    of_stratum: NDArray[np.float64]
    sizes: NDArray[np.float64]
    has_patches: bool = True

    @classmethod
    def of(cls, totals: Totals, *, has_patches: bool = True) -> Self:
        """Return what is to be known of all matches."""
        sizes = np.maximum(totals.of_group, 1.0)
        return cls(
            n_items=totals.n_present,
            n_matches=0.5 * totals.n_entries,
            n_rows=totals.n_rows,
            can_share=totals.can_share,
            names=float(totals.to_group @ np.log(sizes)),
            of_stratum=totals.of_stratum,
            sizes=totals.of_group[totals.of_group > 1.0],
            has_patches=has_patches,
        )

    def saving(self, account: Account) -> float:
        """Return the nats that labels save over all items apart."""
        found = Crossings(*account.crossings)
        n_labels = int(account.of_size[1:].sum())
        n, names = self.n_matches, self.names / FINE
        apart = Crossings(0.0, 0.0, 0.0, 2.0 * n, names, n, *5 * [0.0])
        gained = self._anywhere(found) - self._anywhere(apart)
        if self.has_patches:
            in_patches = self._in_patches(found, n_labels) - self._in_patches(apart, self.n_items)
            gained = float(np.logaddexp(gained, in_patches) - np.log(2.0))
        cost = self._choices(n_labels) - self._choices(self.n_items)
        gained -= (CHARGED if self.has_patches else 1.0) * self.can_share * cost
        if len(self.of_stratum) > 1:
            gained += strata_saving(self.of_stratum, account.strata)
        return gained

    def unpaid(self, account: Account) -> float:
        """Return what labels would cost besides if they paid for being any labels, in nats."""
        cost = log_ways(account.of_size) + log_sums(self.n_items)
        return (1.0 - CHARGED * self.can_share) * cost

    def weigh(self, accounts: Sequence[Account]) -> tuple[Self, NDArray[np.float64]]:
        """Return what the labels of all steps save, and by which readings.

        If the best ones are pieces of things, wrong matches are taken to lead anywhere.
        """
        savings = np.array([self.saving(account) for account in accounts])
        best = accounts[int(savings.argmax())]
        if not self.has_patches or not are_pieces(best):
            return self, savings
        anywhere = replace(self, has_patches=False)
        others = np.array([anywhere.saving(account) for account in accounts])
        is_coarser = accounts[int(others.argmax())].of_size[1:].sum() < best.of_size[1:].sum()
        return (anywhere, others) if is_coarser else (self, savings)

    def _anywhere(self, found: Crossings) -> float:
        """Return the log likelihood of matches if wrong ones lead to any item of a group."""
        silent = max(found.possible - found.right - found.contradicted, 0.0)
        others = max(self.n_rows - found.possible - found.elsewhere, 0.0)
        rates = _log_rates(found.right, found.contradicted, silent)
        rates += _log_rates(found.elsewhere, others)
        return 0.5 * (rates - found.names * FINE)

    def _choices(self, n_labels: int) -> float:
        """Return the nats that it takes to say which things each group has."""
        n_single = self.n_items - float(self.sizes.sum())
        free = np.maximum(n_labels - self.sizes, 0.0)
        orders = float(gammaln(n_labels + 1.0))
        chosen = len(self.sizes) * orders - float(gammaln(free + 1.0).sum())
        return chosen + float(xlogy(n_single, n_labels)) - orders

    def _in_patches(self, found: Crossings, n_labels: int) -> float:
        """Return the log likelihood of matches if wrong ones come in blocks of two labels."""
        right, possible = 0.5 * found.right, 0.5 * found.possible
        wrong, blocks = self.n_matches - right, found.blocks
        most = 0.5 * n_labels * (n_labels - 1.0)
        nats = _log_ways(possible, right) + _log_ways(most, blocks) + found.ways * FINE
        if blocks > 0.0:
            nats += _log_ways(wrong - 1.0, blocks - 1.0)
        return -nats - float(np.log1p([possible, most, wrong]).sum())


def weigh_plain(totals: Totals, accounts: Sequence[Any]) -> NDArray[np.float64] | None:
    """Return the evidence for the labels of all steps of plain matches; None: there is none.

    Two groups never contradict each other.
    """
    is_known = totals.n_groups > 2 and all(len(one.crossings) > 0 for one in accounts)
    return Matches.of(totals).weigh(accounts)[1] if is_known else None


def are_pieces(account: Account) -> bool:
    """Tell whether most labels that are joined by dense blocks are pieces of one thing.

    Examples
    --------
    >>> from spherelax.coordinate.worth.description import account_of
    >>> account = account_of(np.arange(2), np.zeros(2), np.ones(2))
    >>> none, chance = np.zeros(11), 0.6 / FINE
    >>> none[7], none[9], none[10] = 30, 30 * chance, 30 * 0.4 * chance
    >>> are_pieces(account._replace(crossings=none))
    True
    """
    found = Crossings(*account.crossings)
    expected, spread = found.expected * FINE, found.spread * FINE
    if expected - found.collisions <= ERRORS * np.sqrt(spread + 1.0):
        return False
    # Of blocks of different things a share ``chance`` collides; the rest of them look like pieces.
    chance, free = expected / found.near, found.near - found.collisions
    return bool(2.0 * found.collisions * (1.0 - chance) < chance * free)


def _log_rates(*counts: float) -> float:
    """Return the log likelihood of counts with the rates that are most likely."""
    return float(entr(sum(counts)) - sum(entr(count) for count in counts))


def _log_ways(n: float, k: float) -> float:
    """Return the logarithm of the number of ways to choose k of n."""
    k = min(k, n)
    return float(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))
