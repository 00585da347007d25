"""Samples are read back: what follows from verdicts, what is not judged, what is refused."""

import numpy as np
import pytest

import spherelax as sl
from spherelax.quality.judged import read_cases

ITEMS = sl.io.Items(np.eye(9), None)


def table(*rows, of="records"):
    """Rows of case, two items, verdict; all in one stratum of 50 cases."""
    case, a, b, verdict = map(list, zip(*rows, strict=True))
    n = len(rows)
    return {
        "case": case,
        "item_a": a,
        "item_b": b,
        "verdict": verdict,
        "of": [of] * n,
        "size": [1] * n,
        "stratum": [0] * n,
        "out_of": [50] * n,
    }


def test_what_follows_need_not_be_judged():
    found = read_cases(
        table(
            (0, 1, 2, "same"), (0, 1, 3, "different"), (0, 2, 3, ""), (0, 2, 4, "same"),
            (0, 1, 4, ""), of="entities",
        ),
        ITEMS,
    )  # fmt: skip
    assert found.item.tolist() == [1, 2, 3, 4]
    assert found.thing.tolist() == [0, 0, 1, 0]


def test_a_case_that_is_not_decided_does_not_count():
    rows = [(0, 1, 2, "same"), (1, 3, 4, "cannot tell"), (2, 5, 6, ""), (2, 5, 7, "same")]
    found = read_cases(table(*rows), ITEMS)
    assert (found.n_drawn, found.first.tolist()) == (3, [1])
    assert found.item.tolist() == [1, 2]
    assert found.design.sizes.tolist() == [50.0]


def test_cases_do_not_tell_of_each_other():
    found = read_cases(table((0, 1, 2, "same"), (1, 2, 3, "same")), ITEMS)
    assert found.thing.tolist() == [0, 0, 1, 1]


def test_verdicts_that_may_be_wrong():
    rows = table((0, 1, 2, "same"), (1, 1, 2, "different"), (2, 3, 4, "same"))
    found = read_cases(rows | {"sure": [0.9, 0.8, 0.4]}, ITEMS)
    assert found.first.tolist() == [1, 1]
    assert found.thing.tolist() == [0, 0, 1, 2]


def test_files_and_names(tmp_path):
    people = sl.io.Records(np.eye(3), ["7", "8", "9"], sources=["shop", "bank", "bank"])
    path = tmp_path / "judged.csv"
    path.write_text(
        "case,source_a,id_a,source_b,id_b,verdict,of,size,stratum,out_of,who\n"
        "4,bank,9,shop,7,same,records,1,0,3,ann\n4,bank,9,bank,8,different,records,1,0,3,bob\n"
    )
    found = read_cases(path, people)
    assert (found.first.tolist(), found.item.tolist()) == ([2], [0, 1, 2])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"item_b": [2, 99]}, "row 1 .from 0.: 99 must name an item; found no item"),
        ({"verdict": ["same", "maybe"]}, "a verdict must be same, different or cannot tell"),
        ({"of": ["records", "pairs"]}, "of must be one of records, entities, pairs in all rows"),
        ({"of": ["x", "x"]}, "of must be one of"),
        ({"out_of": [50, 60]}, "row 1 .* out_of must be a number from 1, the same"),
        ({"out_of": [None, None]}, "out_of must be a number from 1"),
        ({"size": [0, 0]}, "row 0 .* size must be a number from 1"),
        ({"stratum": [0, 1], "verdict": ["same", ""]}, "found none of stratum 1"),
        ({"verdict": ["", ""]}, "each stratum must have a judged case; found none of stratum 0"),
        ({"item_a": [1, 2], "item_b": [2, 1], "verdict": ["same", "no"]}, "1 = 2, 2 ≠ 1"),
        ({"item_b": [1, 3]}, "judgements must be of two items; found 1 twice"),
    ],
)
def test_what_is_refused(changed, message):
    good = table((0, 1, 2, "same"), (1, 2, 3, "different"))
    with pytest.raises(sl.InvalidInputError, match=message):
        read_cases(good | changed, ITEMS)


def test_columns_are_needed():
    rows = table((0, 1, 2, "same"))
    del rows["stratum"]
    with pytest.raises(sl.InvalidInputError, match="must have the columns case, of, size, stratum"):
        read_cases(rows, ITEMS)
    with pytest.raises(sl.InvalidInputError, match="judged must be a file or a table"):
        read_cases(7, ITEMS)
    with pytest.raises(sl.InvalidInputError, match="at least one row; found none"):
        read_cases({name: [] for name in table((0, 1, 2, "same"))}, ITEMS)
