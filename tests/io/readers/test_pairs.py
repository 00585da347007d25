"""Scored pairs of records, and the entities that they make."""

import datetime as dt
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import ModuleType
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from spherelax import InvalidInputError, datasets, metrics, solve
from spherelax.io import columns_csv
from spherelax.io.readers.pairs import ROLES, SPLINK, Records, read_pairs
from spherelax.io.tables.parquet import parquet_bytes

MAKERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
# Two people in three sources, and a pair that joins them by mistake.
PAIRS = {
    "source_a": ["x", "x", "y", "x", "x"],
    "id_a": [1, 1, 1, 2, 2],
    "source_b": ["y", "z", "z", "y", "z"],
    "id_b": [1, 1, 1, 2, 1],
    "score": [0.9, 0.8, 0.9, 0.9, 0.3],
}


def renamed(names: tuple[str, ...]) -> dict[str, list[object]]:
    return dict(zip(names, PAIRS.values(), strict=True))


def entities(records: Records) -> list[int]:
    result = solve(records.similarity, records.groups, pick=1.0)
    return list(records.answer(result)["entity"])


def text(columns: dict[str, list[object]], separator: str = ",") -> str:
    return columns_csv(columns).replace(",", separator)


@pytest.mark.parametrize("names", [ROLES, SPLINK], ids=["ours", "splink"])
@pytest.mark.parametrize("library", MAKERS)
def test_frames_of_every_library(library: str, names: tuple[str, ...]) -> None:
    records = read_pairs(MAKERS[library]({"extra": [0] * 5} | renamed(names)))
    assert records.sources == ["x", "y", "z", "x", "y"]
    assert records.ids == [1, 1, 1, 2, 2]
    assert records.groups == records.sources
    assert records.names == ["x 1", "y 1", "z 1", "x 2", "y 2"]
    W = np.zeros((5, 5))
    for a, b, score in [(0, 1, 0.9), (0, 2, 0.8), (1, 2, 0.9), (3, 4, 0.9), (3, 2, 0.3)]:
        W[a, b] = W[b, a] = score
    expected = W if names == ROLES else -np.log(1.0 - W)
    np.testing.assert_allclose(records.similarity.toarray(), expected, rtol=1e-12)
    np.testing.assert_allclose(records.scores(records.similarity.toarray()), W, rtol=1e-12)
    assert records.kind == ("information" if names is SPLINK else None)
    assert entities(records) == [0, 0, 0, 1, 1]


WEIGHTS = {
    "unique_id_l": ["a", "b", "a", "c", "c"],
    "unique_id_r": ["b", "c", "c", "d", "c"],
    "match_weight": [4.0, -3.0, -0.5, 10.0, 99.0],
}


def test_match_weights_can_be_taken_as_log_odds() -> None:
    records = read_pairs(pd.DataFrame(WEIGHTS), kind="odds")
    assert records.kind == records.problem.kind == "odds"
    assert records.ids == ["a", "b", "c", "d"]
    W = np.zeros((4, 4))
    for (a, b), weight in {(0, 1): 4.0, (1, 2): -3.0, (0, 2): -0.5, (2, 3): 10.0}.items():
        W[a, b] = W[b, a] = weight
    np.testing.assert_allclose(records.similarity.toarray(), W * np.log(2.0), rtol=1e-12)
    np.testing.assert_allclose(records.scores(records.similarity.toarray()), W, rtol=1e-12)
    result = solve(records.problem)
    assert records.answer(result)["entity"] == [0, 0, 1, 1]
    assert result.status.name == "LIKELIEST"
    with pytest.raises(InvalidInputError, match=r"smallest value is -2.1 \(kind='odds' is for log"):
        solve(records.similarity)


def test_probabilities_come_before_match_weights() -> None:
    p = 1.0 / (1.0 + 2.0 ** -np.array(WEIGHTS["match_weight"]))
    both = pd.DataFrame(WEIGHTS | {"match_probability": p})
    found = read_pairs(both)
    assert found.kind == read_pairs(pd.DataFrame(WEIGHTS)).kind == "information"
    assert found.column == "match_probability"
    # With one kind, both columns mean the same.
    for kind in ("pairs", "odds", "information"):
        by_weight = read_pairs(pd.DataFrame(WEIGHTS), kind=kind)
        by_p = read_pairs(both, kind=kind)
        assert by_weight.kind == by_p.kind == by_p.problem.kind == kind
        np.testing.assert_allclose(
            by_weight.similarity.toarray(), by_p.similarity.toarray(), rtol=1e-9
        )
        listed = by_p.similarity.toarray() != 0
        for records, scores in ((by_weight, WEIGHTS["match_weight"]), (by_p, p)):
            shown = records.scores(records.similarity.toarray())[listed]
            np.testing.assert_allclose(np.unique(shown), np.unique(scores[:4]), rtol=1e-9)


def test_probabilities_that_nothing_contradicts_are_believed(seed: int) -> None:
    p = np.r_[np.random.default_rng(seed).uniform(0.8, 0.999, 100), 0.001]
    ends = {f"unique_id_{side}": [f"{side}{n}" for n in range(101)] for side in "lr"}
    sources = {f"source_dataset_{side}": [side] * 101 for side in "lr"}
    for names in (ends, ends | sources):
        records = read_pairs(pd.DataFrame(names | {"match_probability": p}))
        result = solve(records.problem)
        assert result.n_labels == 102
        entity = dict(zip(records.ids, result.labels.tolist(), strict=True))
        assert entity["l100"] != entity["r100"]
        sure = dict(zip(records.ids, result.confidence, strict=True))
        found = [sure[f"l{n}"] for n in range(100)]
        np.testing.assert_allclose(found, p[:100], atol=0.002)


def test_sure_probabilities_are_finite() -> None:
    pairs = {
        "unique_id_l": ["a", "b", "c"],
        "unique_id_r": ["b", "c", "d"],
        "match_probability": [1.0, 0.0, 1.0 - 1e-12],
    }
    W = read_pairs(pd.DataFrame(pairs)).similarity.toarray()
    np.testing.assert_allclose([W[0, 1], W[2, 3]], -np.log(1e-9), rtol=1e-6)
    assert W[1, 2] == 0.0
    odds = read_pairs(pd.DataFrame(pairs), kind="odds").similarity.toarray()
    np.testing.assert_allclose([odds[0, 1], odds[1, 2]], [np.log(1e9), -np.log(1e9)], rtol=1e-6)


@pytest.mark.parametrize(
    ("column", "value", "kind", "reason"),
    [
        ("match_probability", 1.5, None, "must be a number from 0 to 1; found 1.5"),
        ("match_probability", -0.5, "odds", "must be a number from 0 to 1; found -0.5"),
        ("match_weight", np.inf, None, "must be a finite number; found inf"),
        ("score", -2.0, None, "not negative; found -2.0 (log odds may be negative: kind='odds'"),
        ("score", -2.0, "pairs", "or splink's match_weight)"),
        ("score", np.nan, "odds", "must be a finite number; found None"),
    ],
)
def test_scores_that_are_out_of_range(column: str, value: float, kind: str, reason: str) -> None:
    pairs = {"id_a": ["a", "b"], "id_b": ["b", "c"], column: [0.5, value]}
    with pytest.raises(InvalidInputError) as caught:
        read_pairs(pd.DataFrame(pairs), columns=list(pairs), kind=kind)
    assert f"row 1 (from 0): {column} must be" in str(caught.value)
    assert reason in str(caught.value)


def test_other_log_odds_are_read_as_they_are() -> None:
    pairs = {"id_a": ["a", "b", "c"], "id_b": ["b", "c", "d"], "score": [2.0, -1.5, 3.0]}
    records = read_pairs(pd.DataFrame(pairs), kind="odds")
    assert records.similarity.toarray()[1].tolist() == [2.0, 0.0, -1.5, 0.0]
    assert records.with_groups(["x", "y", "x", "y"]).problem.kind == "odds"
    assert records.answer(solve(records.problem))["entity"] == [0, 0, 1, 1]


@pytest.mark.parametrize("name", ["p.csv", "p.tsv", "P.CSV", "p.txt", "p.parquet"])
def test_files(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "p.parquet":
        path.write_bytes(parquet_bytes(PAIRS, name))
    else:
        path.write_text(text(PAIRS, "\t" if name == "p.tsv" else ","))
    records = read_pairs(str(path))
    number = int if name == "p.parquet" else str
    assert records.ids == [number(value) for value in (1, 1, 1, 2, 2)]
    assert entities(records) == entities(read_pairs(pd.DataFrame(PAIRS)))


@pytest.mark.parametrize(
    "names", [("id_a", "id_b", "score"), ("unique_id_l", "unique_id_r", "match_probability")]
)
def test_pairs_without_sources(names: tuple[str, ...]) -> None:
    pairs = dict(zip(names, (["a", "b", "c"], ["b", "c", "d"], [0.9, 0.1, 0.9]), strict=True))
    records = read_pairs(pd.DataFrame(pairs))
    assert records.ids == records.names == ["a", "b", "c", "d"]
    assert records.groups is None
    assert records.sources is None
    answer = records.answer(solve(records.similarity, pick=1.0))
    assert list(answer) == ["id", "entity", "confidence"]
    assert answer["entity"] == [0, 0, 1, 1]
    with pytest.raises(InvalidInputError, match=r"each of 4 records; found 2$"):
        records.answer(solve([[0, 1], [1, 0]], pick=1.0))
    with pytest.raises(InvalidInputError, match="duplicate-free sources need columns of sources"):
        read_pairs(pd.DataFrame(pairs), duplicate_free_sources=["x"])


def test_columns_by_other_names() -> None:
    names = ("s1", "k1", "s2", "k2", "p")
    frame = pd.DataFrame(renamed(names))
    for columns in (names, list(names), dict(zip(ROLES, names, strict=True))):
        assert read_pairs(frame, columns=columns).sources == ["x", "y", "z", "x", "y"]
    for columns in (("k1", "k2", "p"), {"score": "p", "id_b": "k2", "id_a": "k1"}):
        assert read_pairs(frame, columns=columns).ids == [1, 2]


@pytest.mark.parametrize(
    "columns",
    [["s1", "k1"], "score", {"id_a": "k1"}, {"source_a": "s1", "id_a": "k1", "id_b": "k2"}],
)
def test_columns_that_do_not_name_all(columns: object) -> None:
    with pytest.raises(InvalidInputError, match="columns must name source_a, id_a"):
        read_pairs(pd.DataFrame(PAIRS), columns=columns)


def test_columns_that_are_not_there() -> None:
    frame = pd.DataFrame(PAIRS)
    with pytest.raises(InvalidInputError, match=r"pairs: must have the columns u, v, w; found sou"):
        read_pairs(frame, columns=["u", "v", "w"])
    with pytest.raises(InvalidInputError, match=r"splink's .* or others .*; found id_a, score"):
        read_pairs(frame[["id_a", "score"]])
    with pytest.raises(InvalidInputError, match=r"must have the columns source_a, .*; found id_a"):
        read_pairs(frame.drop(columns="source_a")[["id_a", "source_b", "id_b", "score"]])


IDS = {
    "int and text": [7, "7"],
    "leading zero": ["07", "7"],
    "uuid": [UUID(int=1), UUID(int=2)],
    "tuple": [("a", 1), ("a", 2)],
    "date": [dt.date(2024, 1, 1), dt.date(2024, 1, 2)],
    "big": [2**63 - 1, 2**63 - 2],
}


@pytest.mark.parametrize("kind", IDS)
def test_ids_are_kept_as_they_are(kind: str) -> None:
    ids = IDS[kind]
    frame = pd.DataFrame({"id_a": ids[:1], "id_b": ids[1:], "score": [1.0]}, dtype=object)
    found = read_pairs(frame).ids
    assert found == ids
    assert [type(value) for value in found] == [type(value) for value in ids]


@pytest.mark.parametrize("library", MAKERS)
def test_ids_go_back_into_a_frame_of_their_library(library: str) -> None:
    days = [dt.date(2024, 1, day) for day in range(1, 5)]
    frame = MAKERS[library]({"id_a": days[:3], "id_b": days[1:], "score": [0.9, 0.1, 0.9]})
    records = read_pairs(frame)
    assert records.ids == days
    back = MAKERS[library](records.answer(solve(records.similarity, pick=1.0)))
    assert list(back["entity"].to_numpy()) == [0, 0, 1, 1]
    assert (back["id"].to_pylist() if library == "pyarrow" else list(back["id"])) == days


def test_the_largest_score_of_a_pair_counts_and_zero_is_no_pair() -> None:
    frame = pd.DataFrame(
        [("a", "b", 0.2), ("b", "a", 0.7), ("a", "b", 0.5), ("c", "c", 9.0), ("c", "a", 0.0)],
        columns=["id_a", "id_b", "score"],
    )
    found = read_pairs(frame).similarity.toarray()
    np.testing.assert_array_equal(found, [[0, 0.7, 0], [0.7, 0, 0], [0, 0, 0]])


def pairs_within() -> pd.DataFrame:
    """Source 1 is compared with itself, sources 2 and 3 are not; one record meets itself."""
    rows = [(1, "a", 1, "b", 0.9), (1, "a", 2, "a", 0.8), (2, "a", 3, "a", 0.7)]
    return pd.DataFrame([*rows, (3, "a", 3, "a", 1.0)], columns=ROLES)


@pytest.mark.parametrize(
    ("duplicate_free_sources", "groups"),
    [
        (None, [None, None, 2, 3]),
        ([], None),
        ([1], [1, 1, None, None]),
        (["1", 3], [1, 1, None, 3]),
        ((1, 2, 3), [1, 1, 2, 3]),
    ],
)
def test_duplicate_free_sources_are_groups(duplicate_free_sources: object, groups: object) -> None:
    records = read_pairs(pairs_within(), duplicate_free_sources=duplicate_free_sources)
    assert records.sources == [1, 1, 2, 3]
    assert records.groups == groups


def test_only_sources_with_duplicates_repeat_in_an_entity() -> None:
    free = entities(read_pairs(pairs_within()))
    assert free[0] == free[1]
    bound = entities(read_pairs(pairs_within(), duplicate_free_sources=[1, 2, 3]))
    assert bound[0] != bound[1]


def test_duplicate_free_must_name_sources() -> None:
    with pytest.raises(InvalidInputError, match=r"must be some of x, y, z; found 'w'"):
        read_pairs(pd.DataFrame(PAIRS), duplicate_free_sources=["x", "w"])
    with pytest.raises(InvalidInputError, match=r"must be a list of sources; found 'xyz'"):
        read_pairs(pd.DataFrame(PAIRS), duplicate_free_sources="xyz")


@pytest.mark.parametrize("names", [("source", "id"), ("source_dataset", "unique_id")])
def test_records_without_a_pair_become_entities(names: tuple[str, str]) -> None:
    known = [("x", 3), ("y", 2), ("x", 2), ("z", 1), ("y", 1), ("x", 1), ("w", 1)]
    table = pd.DataFrame(known, columns=names)
    records = read_pairs(pd.DataFrame(PAIRS), records=table)
    assert list(zip(records.sources or [], records.ids or [], strict=True)) == known
    found = entities(records)
    assert [found.count(entity) for entity in found] == [1, 2, 2, 3, 3, 3, 1]
    without = read_pairs(
        pd.DataFrame(PAIRS)[["id_a", "id_b", "score"]], records=pl.DataFrame({names[1]: [5, 2, 1]})
    )
    assert without.ids == [5, 2, 1]


def test_faults_of_the_table_of_records(tmp_path: Path) -> None:
    pairs = pd.DataFrame(PAIRS)
    path = tmp_path / "records.csv"
    for content, message in (
        (
            "source,id\nx,1\ny,1\nx,1\n",
            "records.csv, row 4: records must be listed once; found 'x' '1' again",
        ),
        ("source,id\nx,\n", "records.csv, row 2: id must not be empty"),
        ("source,name\nx,1\n", "records.csv: must have the columns source, id; found source, name"),
        ("id\n1\n", "records.csv: must have the columns source, id; found id"),
        ("name\n1\n", "records.csv: must have the columns source, id; found name"),
        ("unique_id\n1\n", "must have the columns source_dataset, unique_id; found unique_id"),
        ("source,id\nx,1\n", "row 0 (from 0): record 'x' 1 is not in the table of records"),
    ):
        path.write_text(content)
        with pytest.raises(InvalidInputError) as caught:
            read_pairs(pairs, records=path)
        assert message in str(caught.value)


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("", "found None"),
        ("nan", "found 'nan'"),
        (
            "-0.1",
            "found '-0.1' (log odds may be negative: kind='odds' or --kind odds, or splink's "
            "match_weight)",
        ),
        ("inf", "found 'inf'"),
        ("high", "found 'high'"),
    ],
)
def test_faults_of_scores_name_file_and_row(tmp_path: Path, cell: str, reason: str) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(f"id_a,id_b,score\na,b,1\n\na,c,{cell}\n")
    with pytest.raises(InvalidInputError) as caught:
        read_pairs(path)
    expected = f"{path}, row 4: score must be a finite number, not negative; {reason}"
    assert str(caught.value) == expected
    values = {"": None, "high": "high"}.get(cell) if cell in ("", "high") else float(cell)
    frame = pd.DataFrame({"id_a": "aa", "id_b": ["b", "c"], "score": [1.0, values]})
    with pytest.raises(InvalidInputError, match=r"pairs, row 1 \(from 0\): score must be a finite"):
        read_pairs(frame)


@pytest.mark.parametrize("column", ["source_a", "id_a", "source_b", "id_b"])
def test_missing_names_are_refused(column: str) -> None:
    frame = pd.DataFrame(PAIRS).astype({column: object})
    frame.loc[3, column] = None
    with pytest.raises(InvalidInputError, match=rf"row 3 \(from 0\): {column} must not be empty"):
        read_pairs(frame)


def test_other_faults(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id_a": [[1]], "id_b": [2], "score": [1.0]})
    with pytest.raises(InvalidInputError, match=r"row 0 .*: source and id must be hashable; found"):
        read_pairs(frame)
    path = tmp_path / "pairs.csv"
    path.write_text("id_a,id_b,score\na,a,1\n")
    with pytest.raises(InvalidInputError, match=r"pairs.csv: similarity must hold at least two it"):
        read_pairs(path)
    with pytest.raises(
        InvalidInputError, match="a table of pairs: must have at least one row; found none"
    ):
        read_pairs(pd.DataFrame(PAIRS)[:0])
    with pytest.raises(InvalidInputError, match="must be a file or a table"):
        read_pairs({"id_a": [1]})


def f_score(truth: np.ndarray, labels: np.ndarray) -> float:
    return metrics.pairwise_scores(truth, labels).f_score


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The benchmark of records, which is a script and not in a package."""
    monkeypatch.syspath_prepend(Path(__file__).parents[3] / "benchmarks")
    return import_module("bench_records")


def test_entities_of_songs_beat_components_and_single_best_links(
    data_home: Path, bench: ModuleType
) -> None:
    songs = datasets.load_records(data_home=data_home)
    scores = []
    for table in islice(bench.tables(songs, "held-out"), 1, None, 5):
        found = table.f_score(solve(table.similarity, table.sources).labels)
        links = bench.links(table)
        scores.append((found, bench.best_components(table), links))
    ours, components, links = np.mean(scores, axis=0)
    assert ours > components + 0.015
    assert ours > links + 0.015


def test_songs_by_splink(data_home: Path, bench: ModuleType) -> None:
    splink = pytest.importorskip("splink")
    compare = pytest.importorskip("splink.comparison_library")
    songs = datasets.load_records(data_home=data_home)
    fields = ["artist", "album", "year"]
    sources = [f"s{source}" for source in songs.sources]
    everyone = pd.DataFrame({"unique_id": songs.ids, "source_dataset": sources})
    for field in fields:
        everyone[field] = [
            "".join(c for c in cell.lower() if c.isalnum() or c == " ").strip() or None
            for cell in songs.records[field]
        ]
    database = splink.DuckDBAPI()
    parts = [
        database.register(part.reset_index(drop=True), dataset_display_name=name)
        for name, part in everyone.groupby("source_dataset")
    ]
    settings = splink.SettingsCreator(
        link_type="link_only",
        comparisons=[
            compare.JaroWinklerAtThresholds(field, [0.95, 0.88, 0.8, 0.7]) for field in fields
        ],
        blocking_rules_to_generate_predictions=[
            f"substr(l.{field}, 1, 3) = substr(r.{field}, 1, 3)" for field in fields
        ],
    )
    linker = splink.Linker(parts, settings, log_level="ERROR")
    training = linker.training
    training.estimate_probability_two_random_records_match(["l.artist = r.artist"], recall=0.6)
    training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    for field in fields:
        training.estimate_parameters_using_expectation_maximisation(splink.block_on(field))
    predictions = linker.inference.predict(threshold_match_probability=0.01)
    pairs, truth = predictions.as_pandas_dataframe(), np.array(songs.labels)
    scores = []
    for floor in (0.01, 0.1):
        records = read_pairs(pairs[pairs.match_probability >= floor], records=everyone)
        assert records.groups == sources
        found = f_score(truth, solve(records.similarity, records.groups).labels)
        links = linker.clustering.cluster_using_single_best_links(
            predictions,
            duplicate_free_datasets=sorted(set(sources)),
            threshold_match_probability=floor,
        ).as_pandas_dataframe()
        rival = links.set_index("unique_id").cluster_id.loc[list(songs.ids)].tolist()
        table = bench.Table("splink", records.similarity, np.array(sources), truth)
        assert found > bench.best_components(table) + 0.01
        scores.append((found, f_score(truth, rival)))
    ours, theirs = np.transpose(scores)
    assert ours.mean() > theirs.mean() + 0.01
    assert np.all(ours > theirs - 0.005)  # with few wrong pairs, both are right


@pytest.mark.filterwarnings("ignore:Each group should hold a thing once")
def test_rows_in_any_order_make_the_same_entities(seed: int):
    """Both records of one source fit that of the other equally well: only names can decide."""
    n = 40
    table = pd.DataFrame(
        {
            "source_a": "x",
            "id_a": np.arange(2 * n),
            "source_b": "y",
            "id_b": np.arange(2 * n) // 2,
            "score": 0.9,
        }
    )

    def found(rows: pd.DataFrame) -> set[frozenset[str]]:
        records = read_pairs(rows)
        labels, names = solve(records.problem).labels, np.array(records.names)
        return {frozenset(names[labels == label]) for label in range(labels.max() + 1)}

    entities = found(table)
    assert len(entities) == 2 * n
    assert found(table.sample(frac=1.0, random_state=seed)) == entities
