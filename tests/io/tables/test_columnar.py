"""What Arrow reads of large tables is what Python reads of them, row by row."""

from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from spherelax import InvalidInputError, io
from spherelax.io.files.source import Source
from spherelax.io.tables import columnar, rows

INTEGERS = st.integers(-(2**63), 2**63 - 1).map(str) | st.integers(-12, 12).map(str)
PLAIN = ("ann", "bob", "a b", "7", "é", "猫", "nan", "NULL", "1_0", "inf", "true")
ODD = ("bob ", "", "007", "+7", "7.0", "-0", "0x1F", " c", "#", '"q"', '"a,b"')
BLANK = ("\x0b", "\x1c", "\xa0", "x\x0by")
CELLS = st.sampled_from(PLAIN + ODD + BLANK) | st.text(max_size=3)
SCORES = st.floats(0, 10).map(str) | st.sampled_from(
    ["1", " 1", "1 ", "-1", "nan", "", "x", "1e400"]
)
SEPARATORS = st.sampled_from([",", ";", "\t", " "])
BREAKS = st.sampled_from(["\n", "\r\n"])
FIRST = st.sampled_from([["source", "target", "weight"], ["x", "y", "z"], ["1", "2", "3"], None])


@contextmanager
def only(how):
    """Let Arrow read tables of any size, or none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columnar, "LARGE_TEXT", 0 if how == "arrow" else np.inf)
        patch.setattr(columnar, "MANY_ROWS", 0 if how == "arrow" else np.inf)
        yield


def outcome(how, read, *arguments, **options):
    """Return all that was read, or the message of the fault."""
    with only(how):
        try:
            found = read(*arguments, **options)
        except InvalidInputError as error:
            return str(error)
    W, groups = found.similarity, found.groups
    matrix = [W.indptr.tolist(), W.indices.tolist(), W.data.tolist(), W.dtype, W.indices.dtype]
    named = [[(type(name), name) for name in found.ids], groups, getattr(found, "sources", None)]
    return repr([matrix, named, found.kind])


def same(read, *arguments, **options):
    """Read in both ways, compare, and return what was found."""
    found = [outcome(how, read, *arguments, **options) for how in ("arrow", "python")]
    assert found[0] == found[1]
    return found[0]


@st.composite
def texts(draw):
    """Draw tables of edges: of integers, of usual names, and of anything."""
    cells = draw(st.sampled_from([INTEGERS, st.sampled_from(PLAIN), CELLS]))
    width = draw(st.sampled_from([2, 3]))
    row = st.tuples(cells, cells, SCORES)
    table = draw(st.lists(row, min_size=1, max_size=8))
    first = draw(FIRST)
    lines = ([first] if first else []) + table
    separator, end = draw(SEPARATORS), draw(BREAKS)
    mark = draw(st.sampled_from(["", "\ufeff"]))
    body = end.join(separator.join(line[:width]) for line in lines)
    return mark + body + end * draw(st.booleans())


@settings(max_examples=400, deadline=None)
@given(texts(), st.sampled_from(rows.ENDINGS))
def test_edges_and_faults_are_the_same(text, ending):
    assume(not any("\ud800" <= letter <= "\udfff" for letter in text))
    with TemporaryDirectory() as folder:
        path = Path(folder, f"edges{ending}")
        path.write_text(text, encoding="utf-8", newline="")
        same(io.read_edges, path)


@settings(max_examples=200, deadline=None)
@given(texts(), st.sampled_from(rows.ENDINGS))
def test_pairs_in_text_files_and_faults_are_the_same(text, ending):
    assume(not any("\ud800" <= letter <= "\udfff" for letter in text))
    with TemporaryDirectory() as folder:
        path = Path(folder, f"pairs{ending}")
        path.write_text(f"id_a,id_b,score\n{text}", encoding="utf-8", newline="")
        same(io.read_pairs, path)


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("a,b\nb,c\n", True),
        ("7,8\n8,9\n", True),
        ("from,to\n7,8\n-8,9\n", True),
        ('"from","to","weight"\nann,bob,0.5\n', True),
        ("ann bob\nbob cid\n", True),
        ("ann\tbob\r\nbob\tcid\r\n", True),
        ('"ann",bob\nbob,cid\n', False),
        ("ann, bob\nbob, cid\n", False),
        ("ann,bob\nbob\n", False),
        ("ann  bob\nbob  cid\n", False),
        ("# made by hand\nann,bob\n", False),
    ],
)
def test_plain_tables_are_read_by_arrow(tmp_path, text, is_read):
    path = tmp_path / "edges.txt"
    path.write_bytes(text.encode())
    with only("arrow"):
        found = columnar.split_columns(Source(path), (2, 3), rows.has_edge_header, n_integers=2)
    assert (found is not None) == is_read
    same(io.read_edges, path)


@pytest.mark.parametrize("cell", ["007", "+7", "-0", "7 ", "0x7", "9223372036854775808"])
def test_numbers_that_are_not_printed_so_stay_text(tmp_path, cell):
    path = tmp_path / "edges.csv"
    path.write_text(f"7,8\n{cell},9\n")
    assert f"'{cell}'" in same(io.read_edges, path)


NAMES = st.sampled_from(["ann", "bob", "7", "", "é", "猫"])
COLUMNS = (
    st.sampled_from(["7", "8", "9"]),
    st.integers(6, 9),
    st.sampled_from([2**62, -(2**63), 7]),
    st.sampled_from([7.0, 8.5, np.nan]),
    NAMES,
    NAMES | st.none(),
    st.booleans(),
    NAMES | st.integers(0, 7) | st.sampled_from([True, 1.0, b"ann", (1, 2)]),
)


@st.composite
def tables(draw, is_mixed):
    """Draw the columns of pairs with sources; ends may have different types."""
    n_rows = draw(st.integers(1, 9))
    kinds = COLUMNS if is_mixed else COLUMNS[:-1]
    columns = {}
    for name in ("source_a", "id_a", "source_b", "id_b"):
        kind = kinds[draw(st.integers(0, len(kinds) - 1))] if draw(st.booleans()) else NAMES
        columns[name] = draw(st.lists(kind, min_size=n_rows, max_size=n_rows))
    scores = st.floats(0, 5) | st.integers(0, 5) if draw(st.booleans()) else SCORES | st.none()
    columns["score"] = draw(st.lists(scores, min_size=n_rows, max_size=n_rows))
    return columns


def arrow_table(columns):
    """Return a table of Arrow, whose columns have one type each."""
    try:
        return pa.table(columns)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return None


@settings(max_examples=200, deadline=None)
@given(tables(is_mixed=True))
def test_pairs_of_pandas_are_the_same(columns):
    same(io.read_pairs, pd.DataFrame(columns))
    categories = {name: pd.Categorical(columns[name]) for name in ("source_a", "source_b")}
    same(io.read_pairs, pd.DataFrame({**columns, **categories}))


@settings(max_examples=200, deadline=None)
@given(tables(is_mixed=False), st.booleans())
def test_pairs_of_arrow_and_polars_are_the_same(columns, is_arrow):
    table = arrow_table(columns)
    assume(table is not None)
    same(io.read_pairs, table if is_arrow else pl.from_arrow(table))


@settings(max_examples=200, deadline=None)
@given(tables(is_mixed=False), st.lists(st.tuples(NAMES, NAMES | st.integers(6, 9)), min_size=1))
def test_known_records_are_found_the_same(columns, listed):
    listed = pd.DataFrame(listed, columns=["source", "id"], dtype=object)
    same(io.read_pairs, pd.DataFrame(columns), records=listed)


def test_columns_of_pairs_are_numbered_by_arrow():
    frame = pd.DataFrame({"s": ["x", "x"], "a": [7, 8], "t": ["y", "x"], "b": [7, 7]})
    sheet = io.tables.frames.read_sheet(frame, "pairs").columns
    with only("arrow"):
        found = columnar.number_keys([[sheet["s"], sheet["a"]], [sheet["t"], sheet["b"]]])
    assert found.names == [["x", "y", "x"], [7, 7, 8]]
    assert found.places.tolist() == [[0, 1], [2, 0]]
