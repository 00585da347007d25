"""Sentences that tell users about a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spherelax.errors import shown
from spherelax.result.findings import Duplicates
from spherelax.result.status import Status

if TYPE_CHECKING:
    from spherelax.result.answer import Result

# If a larger share of the right pairs has one and the same score, probabilities are not believed.
TIED = 0.6
# Pairs of copies that a sentence names.
N_OFFENDERS = 3
# What similarities of each kind are.
TAKEN_FOR = {
    "graph": "a graph",
    "neighbors": "a neighbour graph",
    "pairs": "scores of candidate pairs",
    "odds": "log odds",
    "information": "probabilities of some model",
    "points": "a neighbour graph of points",
}


def say_duplicates(
    found: Sequence[Duplicates] | None,
    names: Sequence[object] | None = None,
    groups: Sequence[object] | None = None,
    *,
    item: str = "item",
    group: str = "group",
) -> str | None:
    """Return a sentence on the group with most copies and the likeliest ones; None: no clear ones.

    Items are called by their names, groups by that of their first item; else by the item's number.
    ``item`` and ``group`` are the words for them.

    Examples
    --------
    >>> import numpy as np
    >>> pairs, likely = np.array([[1, 4], [0, 2]]), np.array([0.9, 0.6])
    >>> say_duplicates([Duplicates(0, 5, 2.1, True, pairs, likely)])
    'about 2 of the 5 items in the group of item 1 seem to be copies of others: 1 and 4, 0 and 2'
    """
    clear = [one for one in found or () if one.is_clear]
    if not clear:
        return None
    worst = max(clear, key=lambda one: one.expected)
    first = int(worst.pairs[0, 0])
    which = f"the {group} of {item} {first}" if groups is None else f"{group} {groups[first]}"
    strongest = [
        " and ".join(str(one if names is None else names[one]) for one in pair)
        for pair in worst.pairs[:N_OFFENDERS].tolist()
    ]
    more = f" (and {len(clear) - 1} more of the {group}s have some)" if len(clear) > 1 else ""
    return (
        f"about {worst.expected:.0f} of the {worst.n_items} {item}s in {which} seem to be copies "
        f"of others: {', '.join(strongest)}{more}"
    )


def say_status(result: Result) -> str:
    """Return how the labels were chosen; with numbers, if no step has the number asked for.

    Examples
    --------
    >>> from dataclasses import replace
    >>> import numpy as np
    >>> import spherelax as sl
    >>> result = sl.solve(np.kron(np.eye(3), np.ones((4, 4))))
    >>> say_status(replace(result, status=sl.Status.NEAREST, _asked=2))
    'No step has 2 labels, so that the nearest number was taken, 3.'
    """
    asked = result._asked
    if result.status is not Status.NEAREST or asked is None:
        return result.status.sentence
    number = f"{asked:,}" if asked <= len(result.labels) else shown(asked)
    return (
        f"No step has {number} labels, so that the nearest number was taken, {result.n_labels:,}."
    )


def say_reading(result: Result) -> str:
    """Return what the similarities were taken for, and what was done with them.

    Examples
    --------
    >>> import spherelax as sl
    >>> say_reading(sl.solve([[0, 2, 0], [2, 0, 3], [0, 3, 0]], kind="odds"))
    'Taken for log odds: similarities count as log odds that two items are the same.'
    """
    said = result.reading.sentence
    return f"Taken for {TAKEN_FOR[result.kind]}: {said[0].lower()}{said[1:]}"


def say_alternative(result: Result) -> str | None:
    """Return a sentence on another answer that is about as good; None: no other is.

    Examples
    --------
    >>> from dataclasses import replace
    >>> import numpy as np
    >>> import spherelax as sl
    >>> result = sl.solve(np.kron(np.eye(3), np.ones((4, 4))))
    >>> say_alternative(result), say_alternative(replace(result, alternative=12))
    (None, 'Another answer is about as good: 12 labels instead of 3.')
    >>> say_alternative(replace(result, alternative=1))
    'Another answer is about as good: 1 label instead of 3.'
    """
    if result.alternative is None:
        return None
    return (
        f"Another answer is about as good: {result.alternative:,} "
        f"{'label' if result.alternative == 1 else 'labels'} instead of {result.n_labels:,}."
    )


def say_tied(result: Result) -> str | None:
    """Return a sentence on right pairs that nearly all have the same score; None: they do not.

    Such scores show that items are equal in all that was compared, and no more: neither how often
    different things are equal, nor what the scores of copies are that differ a little.

    Examples
    --------
    >>> import numpy as np
    >>> import spherelax as sl
    >>> say_tied(sl.solve(np.kron(np.eye(3), np.ones((4, 4)))))
    """
    share = result._solved.tied()
    if share is None or share <= TIED:
        return None
    return (
        f"{share:.0%} of the pairs that count as right have the same score. Such scores cannot "
        "tell copies from different things that look the same: compare more of what is known of "
        "the items."
    )


def percent(share: float) -> str:
    """Return a share in percent, with two or three digits; only exact 0 and 1 become 0% and 100%.

    Examples
    --------
    >>> percent(1.0), percent(0.9932), percent(0.99996), percent(0.42)
    ('100%', '99.3%', 'over 99.9%', '42%')
    >>> percent(0.0), percent(0.00022), percent(1e-7), percent(0.052)
    ('0%', '0.022%', 'under 0.001%', '5.2%')
    """
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    if not 1e-5 <= share <= 0.999:
        return "under 0.001%" if share < 0.5 else "over 99.9%"
    if 0.1 <= share <= 0.99:
        return f"{share:.0%}"
    return f"{100 * share:.3g}%" if share > 0.5 else f"{100 * share:.2g}%"
