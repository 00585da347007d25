"""The universe-free solver: coordinate ascent on sparse rows while the resolution falls.

``run`` is the road: ``model`` (what is solved), ``walk`` (a model along all resolutions), ``learn``
(walk again with what the labels teach), ``finish`` (the labels of the chosen step). docs/coordinate.md
has the mathematics, docs/architecture.md the map.
"""
