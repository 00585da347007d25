"""How labels were chosen."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """How the labels were chosen, as a sentence.

    Examples
    --------
    >>> import spherelax as sl
    >>> print(sl.Status.STABLE)
    The labels are those that stay the same over the widest range of resolutions.
    """

    VALLEY = (
        "The labels are those of the step at which they moved least, between the two steps at "
        "which they moved most."
    )
    SETTLED = (
        "The labels are those of the middle one of the steps at which nothing moved any more, "
        "after the last step at which much did."
    )
    SINGLE = (
        "The labels are those of the step at which they moved least after the only one at which "
        "they moved much; usually there are two. Look at other steps of the path before you trust "
        "the labels."
    )
    RISING = (
        "The labels are those of the last step, because they never came to rest. Look at other "
        "steps of the path before you trust the labels."
    )
    STILL = (
        "The labels are those after the number of labels last changed, because they moved at no "
        "step. Look at other steps of the path before you trust the labels."
    )
    ISOLATED = "No item is similar to any other, so each has its own label. Check the similarities."
    DESCRIBED = (
        "The labels are those with which the similarities have the shortest description, of all "
        "resolutions that were tried."
    )
    LIKELIEST = (
        "The labels are the likeliest ones, by the probability of each pair of items that its "
        "score was found to mean."
    )
    NOISE = (
        "The labels describe the similarities hardly better than they could describe random "
        "ones: there may be no clusters, or only one. Do not rely on these labels without "
        "another reason."
    )
    STABLE = "The labels are those that stay the same over the widest range of resolutions."
    VALLEYS = (
        "Neighbouring labels were merged, unless there is a valley between them: a place with "
        "fewer points."
    )
    BORDERS = (
        "The similarities were taken for a neighbour graph: the labels are those with the thinnest "
        "borders, compared with pieces of one cloud of items."
    )
    ABSORBED = (
        "Items were added to the labels of an earlier result, at its resolution. To choose the "
        "resolution anew, solve without start."
    )
    INTERRUPTED = (
        "The sweep was interrupted: the labels are the best of the steps that were done. Run it to "
        "the end before you trust them."
    )
    CHOSEN = "The labels are those of the step that was asked for."
    NEAREST = (
        "No step has the number of labels that was asked for: the labels are those of the step "
        "with the nearest number."
    )

    @property
    def is_odd(self) -> bool:
        """Tell whether the labels need a check, so that `solve` warns."""
        return self in (
            Status.SINGLE,
            Status.RISING,
            Status.STILL,
            Status.ISOLATED,
            Status.NOISE,
            Status.INTERRUPTED,
        )
