"""The universe-free solver: coordinate ascent on sparse rows while the resolution falls.

``run`` calls the parts in order: ``model`` (what is solved), ``learn`` (a ``walk`` along all
resolutions, and again with what the labels teach) and ``finish`` (the labels of the chosen step).
docs/coordinate.md has the mathematics, docs/architecture.md the map.
"""
