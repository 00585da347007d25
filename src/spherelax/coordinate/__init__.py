"""The universe-free solver: coordinate ascent on sparse rows while the resolution falls.

``run`` is the road: ``model`` (what is solved), ``walk`` (a model along all resolutions), ``learn``
(walk again with what the labels teach), ``finish`` (the labels of the chosen step). The mathematics
is in docs/coordinate.md, the map in docs/architecture.md.
"""
