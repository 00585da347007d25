"""What has changed between two answers, and ids of entities that stay."""

from spherelax.changes.diff import Diff, diff
from spherelax.changes.ids import Ids, keep_ids

__all__ = ["Diff", "Ids", "diff", "keep_ids"]
