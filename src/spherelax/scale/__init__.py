"""Pairs that do not fit into memory: from files of any size to entities.

:func:`survey` says what a set of files holds and what it will cost; :func:`solve` finds entities,
on this machine or on a Dask cluster; :func:`explain` says why; :func:`ingest` writes shards alone,
that can be worked on apart. It needs DuckDB and pyarrow: ``pip install 'spherelax[scale]'``.
"""

from spherelax.scale.entities import Entities
from spherelax.scale.explaining import Explained, explain
from spherelax.scale.ingest import ingest
from spherelax.scale.run import solve
from spherelax.scale.shards import Edges, Members, Plan, Shard
from spherelax.scale.survey import Floor, Size, Survey, survey

__all__ = [
    "Edges",
    "Entities",
    "Explained",
    "Floor",
    "Members",
    "Plan",
    "Shard",
    "Size",
    "Survey",
    "explain",
    "ingest",
    "solve",
    "survey",
]
