"""Rows of U, one sparse row per item, while the resolution falls.

`sweep_rows` raises the relaxed objective by coordinate ascent and yields an `Iterate` for each
resolution; `round_rows` makes labels of its rows.
"""

from spherelax.coordinate.relax.rows import round_rows
from spherelax.coordinate.relax.sweep import Iterate, iterate_of, sweep_rows

__all__ = ["Iterate", "iterate_of", "round_rows", "sweep_rows"]
