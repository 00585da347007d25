"""splink: entities for the dashboards and metrics of the linker that scored the pairs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from spherelax.io.readers.pairs import Records
from spherelax.result import Result

if TYPE_CHECKING:
    from splink import Linker, SplinkDataFrame

CLUSTER = "cluster_id"


class SplinkEntities(NamedTuple):
    """Two tables of splink, which its functions take in this order: pairs first.

    Attributes
    ----------
    edges : splink.SplinkDataFrame
        The predictions inside entities, with all their columns.
    clusters : splink.SplinkDataFrame
        A row per record: ``cluster_id``, the columns that name it, ``confidence``, and the other
        columns of the table of records.

    Examples
    --------
    >>> SplinkEntities("edges", "clusters").clusters
    'clusters'
    """

    edges: SplinkDataFrame
    clusters: SplinkDataFrame


def to_splink(
    linker: Linker, predictions: SplinkDataFrame, items: Records, result: Result
) -> SplinkEntities:
    """Register entities with a linker of splink, as if it had found them itself.

    ``linker.visualisations.cluster_studio_dashboard(edges, clusters, "studio.html")`` and
    ``linker.clustering.compute_graph_metrics(edges, clusters, threshold_match_probability=0)`` then
    take them. Predictions between two entities are left out, because splink's metrics would count
    them.

    Parameters
    ----------
    linker : splink.Linker
        The linker that has made the predictions; with DuckDB or Spark.
    predictions : splink.SplinkDataFrame
        What ``linker.inference.predict`` returned.
    items : Records
        What :func:`read_pairs` made of them; with ``records``, all records and their columns
        come along.
    result : Result
        Labels of the items.

    Returns
    -------
    SplinkEntities
        The tables ``edges`` and ``clusters``.

    Raises
    ------
    InvalidInputError
        If the result has not one label for each record.

    Examples
    --------
    >>> import pandas as pd
    >>> import spherelax as sl
    >>> import splink.comparison_library as compare
    >>> from splink import DuckDBAPI, Linker, SettingsCreator, block_on
    >>> from spherelax.io import read_pairs
    >>> people = pd.DataFrame({"unique_id": [1, 2, 3], "name": ["ann", "ann", "bob"]})
    >>> database = DuckDBAPI()
    >>> settings = SettingsCreator(
    ...     "dedupe_only", comparisons=[compare.ExactMatch("name")],
    ...     blocking_rules_to_generate_predictions=["1 = 1"],
    ...     probability_two_random_records_match=0.3,
    ... )
    >>> linker = Linker(database.register(people), settings, log_level="ERROR")
    >>> predictions = linker.inference.predict()
    >>> pairs = read_pairs(predictions, records=people, kind="odds")
    >>> result = sl.solve(pairs.problem)
    >>> edges, clusters = to_splink(linker, predictions, pairs, result)
    >>> clusters.as_pandas_dataframe()[["cluster_id", "unique_id", "name"]]
       cluster_id  unique_id name
    0           0          1  ann
    1           0          2  ann
    2           1          3  bob
    """
    answer = items.answer(result)
    settings = linker.misc.save_model_to_json()
    names = {"id": settings["unique_id_column_name"]}
    if items.sources is not None:
        names = {"source": settings["source_dataset_column_name"], **names}
    columns = {
        **(items.details or {}),
        CLUSTER: answer[items.word],
        **{name: answer[role] for role, name in names.items()},
        "confidence": answer["confidence"],
    }
    table = import_module("pyarrow").table(columns)
    clusters = linker.table_management.register_table(table, f"spherelax_{uuid4().hex}")
    ends = {
        side: " AND ".join(f"{side}.{name} = pairs.{name}_{side}" for name in names.values())
        for side in "lr"
    }
    edges = linker.misc.query_sql(
        f"SELECT pairs.* FROM {predictions.physical_name} AS pairs "
        f"JOIN {clusters.physical_name} AS l ON {ends['l']} "
        f"JOIN {clusters.physical_name} AS r ON {ends['r']} "
        f"WHERE l.{CLUSTER} = r.{CLUSTER}",
        output_type="splink_df",
    )
    return SplinkEntities(edges, clusters)
