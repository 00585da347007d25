"""How labels were chosen."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Explained(StrEnum):
    """Base of enumerations whose members are names, each with a sentence that explains it."""

    sentence: str

    def __new__(cls, name: str, sentence: str = "") -> Self:
        """Make a member whose value is its name."""
        member = str.__new__(cls, name)
        member._value_ = name
        member.sentence = sentence
        return member


class Status(Explained):
    """How the labels were chosen: a name, and its ``sentence`` in plain words.

    Examples
    --------
    >>> import spherelax as sl
    >>> print(sl.Status.STABLE)
    stable
    >>> sl.Status("stable").sentence
    'The labels are those that stay the same over the widest range of resolutions.'
    """

    VALLEY = (
        "valley",
        "The labels are those of the step at which they moved least, between the two steps at "
        "which they moved most.",
    )
    SETTLED = (
        "settled",
        "The labels are those of the middle one of the steps at which nothing moved any more, "
        "after the last step at which much did.",
    )
    SINGLE = (
        "single",
        "The labels are those of the step at which they moved least after the only one at which "
        "they moved much; usually there are two. Look at other steps of the path before you trust "
        "the labels.",
    )
    RISING = (
        "rising",
        "The labels are those of the last step, because they never came to rest. Look at other "
        "steps of the path before you trust the labels.",
    )
    STILL = (
        "still",
        "The labels are those after the number of labels last changed, because they moved at no "
        "step. Look at other steps of the path before you trust the labels.",
    )
    ISOLATED = (
        "isolated",
        "No item is similar to any other, so each has its own label. Check the similarities.",
    )
    DESCRIBED = (
        "described",
        "The labels are those with which the similarities have the shortest description, of all "
        "resolutions that were tried.",
    )
    LIKELIEST = (
        "likeliest",
        "The labels are the likeliest ones, by the probability of each pair of items that its "
        "score was found to mean.",
    )
    NOISE = (
        "noise",
        "The labels describe the similarities hardly better than they could describe random "
        "ones: there may be no clusters, or only one. Do not rely on these labels without "
        "another reason.",
    )
    STABLE = (
        "stable",
        "The labels are those that stay the same over the widest range of resolutions.",
    )
    VALLEYS = (
        "valleys",
        "Neighbouring labels were merged, unless there is a valley between them: a place with "
        "fewer points.",
    )
    CLOUD = (
        "cloud",
        "All points have one label, because there is no valley, a place with fewer points, between "
        "any of them: there may be one cluster, or several that overlap.",
    )
    BORDERS = (
        "borders",
        "The similarities were taken for a neighbour graph: the labels are those with the thinnest "
        "borders, compared with pieces of one cloud of items.",
    )
    ABSORBED = (
        "absorbed",
        "Items were added to the labels of an earlier result, at its resolution. To choose the "
        "resolution anew, solve all items together.",
    )
    INTERRUPTED = (
        "interrupted",
        "The sweep was interrupted: the labels are the best of the steps that were done. Run it to "
        "the end before you trust them.",
    )
    CHOSEN = (
        "chosen",
        "The labels are those of the step that was asked for.",
    )
    LINKED = (
        "linked",
        "No step has the number of labels that was asked for: the most similar labels of the next "
        "finer step were merged, or single items where no step is finer.",
    )
    NEAREST = (
        "nearest",
        "No step has the number of labels that was asked for, and labels cannot be merged to it: "
        "the labels are those with the nearest number.",
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
