"""Pairs, judgements, what was learnt, and entities whose ids stay, in one DuckDB file."""

from spherelax.project.project import Project
from spherelax.project.run import Run

__all__ = ["Project", "Run"]
