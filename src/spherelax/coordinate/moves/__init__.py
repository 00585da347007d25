"""Discrete ascent on labels: moves of items and groups, and merging of labels.

`polish_labels` moves and merges until nothing gains, `move_once` visits each item once, and `lower`
goes on from polished labels to a lower resolution. `absorb_items` moves new items alone, and
`assign_items` joins them to labels that stay as they are. `shake_labels` is iterated local search.
`link_labels` merges labels down to a number.
"""

from spherelax.coordinate.moves.linkage import link_labels
from spherelax.coordinate.moves.polish import (
    absorb_items,
    assign_items,
    lower,
    move_once,
    polish_labels,
)
from spherelax.coordinate.moves.shake import shake_labels

__all__ = [
    "absorb_items",
    "assign_items",
    "link_labels",
    "lower",
    "move_once",
    "polish_labels",
    "shake_labels",
]
