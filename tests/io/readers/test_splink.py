"""Entities in splink's own dashboards and metrics."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import spherelax as sl
from spherelax.io import read_pairs, to_splink

splink = pytest.importorskip("splink")
NAMES = ("anna", "boris", "carla", "david", "elena", "felix", "greta", "hugo", "irene", "jonas")
TOWNS = ("lund", "oslo", "rome")
N_PEOPLE = 30


def people(source, seed):
    """Return records of thirty people, of whom some have the same name, with errors."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"{source}{who}", NAMES[who % 10], TOWNS[who % 3], 1950 + who // 6)
        for who in range(N_PEOPLE)
    ]
    frame = pd.DataFrame(rows, columns=["unique_id", "first", "town", "born"])
    wrong = rng.random(N_PEOPLE) < 0.3
    frame.loc[wrong, "town"] = rng.permutation(frame.town[wrong])
    return frame


def scored(link_type, database):
    """Return a linker with its predictions, and all records."""
    tables = {source: people(source, seed) for seed, source in enumerate(["shop", "bank", "gym"])}
    records = pd.concat(
        [table.assign(source_dataset=source) for source, table in tables.items()],
        ignore_index=True,
    )
    if link_type == "dedupe_only":
        records = records.drop(columns="source_dataset")
        given = database.register(records)
    else:
        given = [
            database.register(table, dataset_display_name=source)
            for source, table in tables.items()
        ]
    library = pytest.importorskip("splink.comparison_library")
    settings = splink.SettingsCreator(
        link_type,
        comparisons=[library.ExactMatch(name) for name in ("first", "town", "born")],
        blocking_rules_to_generate_predictions=[splink.block_on("first"), splink.block_on("town")],
        retain_intermediate_calculation_columns=True,
        probability_two_random_records_match=1 / N_PEOPLE,
    )
    linker = splink.Linker(given, settings, log_level="ERROR")
    return linker, linker.inference.predict(), records


@pytest.fixture(scope="module", params=["dedupe_only", "link_only"])
def solved(request):
    linker, predictions, records = scored(request.param, splink.DuckDBAPI())
    items = read_pairs(predictions, records=records)
    return linker, predictions, items, sl.solve(items.problem)


def labels_of(items, result):
    """Return the label of each record by its id, which no two records share here."""
    return dict(zip(items.ids, result.labels.tolist(), strict=True))


def test_splink_gets_all_records_with_their_columns_and_the_pairs_inside_entities(solved):
    linker, predictions, items, result = solved
    edges, clusters = to_splink(linker, predictions, items, result)
    found = clusters.as_pandas_dataframe()
    assert dict(zip(found.unique_id, found.cluster_id, strict=True)) == labels_of(items, result)
    assert {"first", "town", "born", "confidence"} <= set(found.columns)
    before, inside = predictions.as_pandas_dataframe(), edges.as_pandas_dataframe()
    label = labels_of(items, result)
    is_inside = before.unique_id_l.map(label) == before.unique_id_r.map(label)
    assert 0 < is_inside.sum() < len(before)
    assert inside.columns.tolist() == before.columns.tolist()
    order = ["unique_id_l", "unique_id_r"]
    pd.testing.assert_frame_equal(
        inside.sort_values(order, ignore_index=True),
        before[is_inside].sort_values(order, ignore_index=True),
    )


def test_metrics_of_splink_count_the_pairs_of_each_entity(solved):
    linker, predictions, items, result = solved
    for given in (result, result.at(float(result.path.resolutions[0]))):
        edges, clusters = to_splink(linker, predictions, items, given)
        metrics = linker.clustering.compute_graph_metrics(
            edges, clusters, threshold_match_probability=0
        )
        table = metrics.clusters.as_pandas_dataframe().set_index("cluster_id").sort_index()
        assert table.n_nodes.tolist() == np.bincount(given.labels).tolist()
        assert table.density.max() <= 1
        label = labels_of(items, given)
        counted = Counter(
            label[row.unique_id_l]
            for row in predictions.as_pandas_dataframe().itertuples()
            if label[row.unique_id_l] == label[row.unique_id_r]
        )
        assert {name: n for name, n in table.n_edges.items() if n} == counted


def test_entities_keep_the_ids_of_an_earlier_answer(solved):
    linker, predictions, items, result = solved
    lasting = sl.io.Records(
        items.similarity, items.ids, items.groups, items.sources, kind=items.kind,
        lasting=100 + np.arange(result.n_labels),
    )  # fmt: skip
    found = to_splink(linker, predictions, lasting, result).clusters.as_pandas_dataframe()
    assert found.cluster_id.min() >= 100


@pytest.mark.slow
def test_the_dashboard_of_splink_draws_an_entity(solved, tmp_path, browser):
    linker, predictions, items, result = solved
    edges, clusters = to_splink(linker, predictions, items, result)
    label, size = Counter(result.labels.tolist()).most_common(1)[0]
    file = tmp_path / "studio.html"
    linker.visualisations.cluster_studio_dashboard(edges, clusters, str(file), cluster_ids=[label])
    page = browser.new_page()
    page.goto(file.as_uri(), wait_until="domcontentloaded")
    page.get_by_label("Show table of all nodes").check()
    page.wait_for_selector("table")
    assert page.locator("tbody tr").count() == size
    page.close()
