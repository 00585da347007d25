"""Discrete ascent on labels: moves of items and groups, and merging of labels."""
