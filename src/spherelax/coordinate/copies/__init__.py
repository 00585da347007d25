"""Copies inside groups: how many items of a group are the same thing, by what they claim."""

from spherelax.coordinate.copies.duplicates import find_duplicates, graph_of_all

__all__ = ["find_duplicates", "graph_of_all"]
