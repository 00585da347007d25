"""Discrete ascent on labels: moves of items and groups, and merging of labels.

`polish_labels` moves and merges until nothing gains, `move_once` visits each item once, and `lower`
goes on from polished labels to a lower resolution.
"""

from spherelax.coordinate.moves.polish import lower, move_once, polish_labels

__all__ = ["lower", "move_once", "polish_labels"]
