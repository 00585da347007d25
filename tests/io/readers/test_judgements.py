"""Judgements in tables, by the user's own names."""

import numpy as np
import pytest

import spherelax as sl


@pytest.fixture
def records():
    return sl.io.Records(np.ones((3, 3)), [7, 7, 8], sources=["shop", "bank", "bank"])


def test_names_are_sources_and_ids(records, tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text(
        "source_a,id_a,source_b,id_b,verdict,sure,who\n"
        "shop,7,bank,8,same,,ann\nbank,7,bank,8,different,0.9,bob\nshop,7,bank,7,,,bob\n"
    )
    judged = sl.io.read_judgements(path, records)
    assert judged.pairs.tolist() == [[0, 2], [1, 2]]
    assert judged.same.tolist() == [True, False]
    assert judged.sure.tolist() == [1.0, 0.9]


def test_columns_of_splink_and_frames(records):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "source_dataset_l": ["shop"],
            "unique_id_l": [7],
            "source_dataset_r": ["bank"],
            "unique_id_r": [8],
            "verdict": [0],
        }
    )
    judged = sl.io.read_judgements(frame, records)
    assert judged.pairs.tolist() == [[0, 2]]
    assert not judged.same[0]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("shop,9,bank,8,same", "row 2: 'shop' '9' must name an item; found no item"),
        ("shop,7,bank,8,perhaps", "row 2: a verdict must be same, different or cannot tell"),
        ("bank,8,bank,8,same", "row 2: judgements must be of two items; found 'bank' '8' twice"),
    ],
)
def test_wrong_rows_are_named(records, tmp_path, rows, words):
    path = tmp_path / "judged.csv"
    path.write_text(f"source_a,id_a,source_b,id_b,verdict\n{rows}\n")
    with pytest.raises(sl.InvalidInputError, match=words):
        sl.io.read_judgements(path, records)


def test_missing_columns_are_named(records, tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text("source_a,id_a,source_b,id_b\nshop,7,bank,8\n")
    with pytest.raises(sl.InvalidInputError, match=r"must have the columns .* verdict"):
        sl.io.read_judgements(path, records)


def test_names_that_two_items_have_as_text_are_refused(tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text("item_a,item_b,verdict\n7,8,same\n")
    items = sl.io.Items(np.ones((3, 3)), ids=[7, "7", 8])
    with pytest.raises(sl.InvalidInputError, match="found two items"):
        sl.io.read_judgements(path, items)
