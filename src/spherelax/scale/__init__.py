"""Pairs that do not fit into memory: from files of any size to shards that can be solved alone.

:func:`survey` says what a set of files holds and what it will cost; :func:`ingest` writes shards.
It needs DuckDB and pyarrow: ``pip install 'spherelax[scale]'``.
"""

from spherelax.scale.ingest import ingest
from spherelax.scale.shards import Edges, Members, Plan, Shard
from spherelax.scale.survey import Floor, Size, Survey, survey

__all__ = ["Edges", "Floor", "Members", "Plan", "Shard", "Size", "Survey", "ingest", "survey"]
