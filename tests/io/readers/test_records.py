"""Tables of all records, and pairs as splink and recordlinkage make them."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.program import assert_one_line, invoke, said

import spherelax as sl
from spherelax import InvalidInputError
from spherelax.io import read, read_pairs

PAIRS = "source_a,id_a,source_b,id_b,score\nshop,1,bank,07,0.9\nshop,2,bank,08,0.8\n"
SHOP = "id,name,town\n1,Ann,Lund\n2,Bob,Oslo\n3,Cleo,Rome\n"
BANK = "id,name,born\n07,Anne,1980\n08,Rob,1990\n09,Dora,2000\n"
PEOPLE = (
    *[("anna", "keller"), ("boris", "vogel"), ("carla", "diaz"), ("david", "olsen")],
    *[("elena", "meyer"), ("felix", "jansen"), ("greta", "fischer"), ("hugo", "eklund")],
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in {"pairs": PAIRS, "shop": SHOP, "bank": BANK}.items():
        Path(f"{name}.csv").write_text(content)


def people(source):
    first, last = zip(*PEOPLE, strict=True)
    ids = [f"{source}{number}" for number in range(len(first))]
    return pd.DataFrame({"unique_id": ids, "first": first, "last": last})


def test_several_tables_bring_every_record_back_with_its_columns():
    records = read_pairs("pairs.csv", records=["shop.csv", "bank.csv"])
    assert records.sources == ["shop"] * 3 + ["bank"] * 3
    assert records.ids == ["1", "2", "3", "07", "08", "09"]
    assert records.groups == records.sources
    assert records.details == {
        "name": ["Ann", "Bob", "Cleo", "Anne", "Rob", "Dora"],
        "town": ["Lund", "Oslo", "Rome", None, None, None],
        "born": [None, None, None, "1980", "1990", "2000"],
    }
    assert read("pairs.csv", records=["shop.csv", "bank.csv"]).ids == records.ids


def test_the_command_brings_every_record_back():
    result = invoke(
        *("match", "pairs.csv", "--records", "shop.csv", "--records", "bank.csv"),
        *("--out", "entities.csv"),
    )
    assert result.exit_code == 0
    rows = list(csv.DictReader(Path("entities.csv").read_text().splitlines()))
    assert [(row["source"], row["id"]) for row in rows] == [
        *(("shop", number) for number in "123"),
        *(("bank", number) for number in ("07", "08", "09")),
    ]
    entity = {row["id"]: row["entity"] for row in rows}
    assert entity["1"] == entity["07"] != entity["2"] == entity["08"]
    assert len({entity["3"], entity["09"], entity["1"], entity["2"]}) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("match", "pairs.csv", "--records", "shop.csv"), "record 'bank' '07' is not in the table"),
        (("cluster", "bank.csv", "--records", "shop.csv"), "tables of records must be for pairs"),
        (("match", "pairs.csv", "--records", "none.csv"), "none.csv: No such file"),
        (
            ("match", "pairs.csv", "--records", "shop.csv", "--out", "shop.csv"),
            "shop.csv would be overwritten",
        ),
    ],
)
def test_a_table_of_records_that_does_not_fit_is_refused(arguments, message):
    assert_one_line(*said(*arguments), message)


def test_an_id_of_another_type_is_named():
    table = pd.DataFrame({"id": [1, 2]})
    pairs = pd.DataFrame({"id_a": ["1"], "id_b": ["2"], "score": [0.9]})
    with pytest.raises(InvalidInputError, match=r"'1' is not in .* \(there it is 1; types must"):
        read_pairs(pairs, records=table)


def test_predictions_of_splink_are_taken_as_they_are():
    splink = pytest.importorskip("splink")
    compare = pytest.importorskip("splink.comparison_library")
    settings = splink.SettingsCreator(
        link_type="link_only",
        comparisons=[compare.ExactMatch("first"), compare.ExactMatch("last")],
        blocking_rules_to_generate_predictions=["l.first = r.first", "l.last = r.last"],
    )
    database = splink.DuckDBAPI()
    tables = [
        database.register(people(source), dataset_display_name=source)
        for source in ("shop", "bank")
    ]
    linker = splink.Linker(tables, settings, log_level="ERROR")
    predicted = linker.inference.predict()
    direct, by_hand = read_pairs(predicted), read_pairs(predicted.as_pandas_dataframe())
    relation = read_pairs(predicted.as_duckdbpyrelation())
    assert set(direct.sources) == {"shop", "bank"}
    assert direct.column == "match_probability"
    for other in (by_hand, relation):
        assert direct.names == other.names
        np.testing.assert_array_equal(direct.similarity.toarray(), other.similarity.toarray())


def test_features_and_scores_of_recordlinkage_are_taken_as_they_are():
    recordlinkage = pytest.importorskip("recordlinkage")
    if not pd.__version__.startswith("2."):
        pytest.skip("recordlinkage 0.16 needs pandas 2")
    shop, bank = (people(source).set_index("unique_id") for source in ("shop", "bank"))
    pairs = recordlinkage.Index().block("first").index(shop, bank)
    compare = recordlinkage.Compare()
    compare.exact("first", "first")
    compare.exact("last", "last")
    features = compare.compute(pairs, shop, bank)
    for given in (features, features.sum(axis=1)):
        records = read_pairs(given)
        assert set(records.ids) == {*shop.index, *bank.index}
        entity = dict(zip(records.ids, sl.solve(records.problem).labels.tolist(), strict=True))
        assert all(entity[f"shop{n}"] == entity[f"bank{n}"] for n in range(len(PEOPLE)))
        assert len(set(entity.values())) == len(PEOPLE)


def test_two_tables_with_the_same_ids_are_not_mixed_up():
    index = pd.MultiIndex.from_tuples([(0, 1), (2, 2)], names=["id_1", "id_2"])
    with pytest.raises(InvalidInputError, match="found 2 paired with itself"):
        read_pairs(pd.Series([0.9, 0.8], index=index))
