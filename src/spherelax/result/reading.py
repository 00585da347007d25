"""What was done with the similarities before labels were looked for."""

from __future__ import annotations

from spherelax.result.status import Explained


class Reading(Explained):
    """What the solver made of the similarities: a name, and its ``sentence`` in plain words.

    Examples
    --------
    >>> import spherelax as sl
    >>> sl.solve([[0, 2, 0], [2, 0, 3], [0, 3, 0]], kind="odds").reading.sentence
    'Similarities count as log odds that two items are the same.'
    """

    PLAIN = (
        "plain",
        "Similarities count as they are.",
    )
    CORRECTED = (
        "corrected",
        "Similarities count as they are, compared with what the degrees of the items alone would "
        "give, because some items are similar to many more items than others are.",
    )
    RANKED = (
        "ranked",
        "Only the order of the similarities counts, because nothing says what their sizes are "
        "worth.",
    )
    LEARNT = (
        "learnt",
        "What a similarity of each size is worth was learnt from pairs that contradict each other.",
    )
    LOG_ODDS = (
        "log_odds",
        "Similarities count as log odds that two items are the same.",
    )
