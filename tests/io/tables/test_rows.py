"""Tables that are split at once are the tables that are read row by row."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spherelax.errors import InvalidInputError
from spherelax.io.files.source import Source
from spherelax.io.tables import rows

# Cells of all kinds, with and without what makes a table one that is read row by row.
CELLS = st.text(alphabet='ab1.,;\t "#\r\n\x0c', max_size=4)
LINES = st.lists(st.lists(CELLS, min_size=1, max_size=3).map(",".join), max_size=5)


def by_row(text, ending):
    """Return the columns that the csv module finds; None for a table that is refused."""
    source = Source.of(f"table{ending}")
    source.__dict__["text"] = text
    try:
        return rows._columns_by_row(source, "a table", tuple(range(1, 20)))
    except InvalidInputError:
        return None


@settings(max_examples=500)
@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.sampled_from(rows.ENDINGS))
def test_split_at_once_is_split_by_row(lines, line_break, ends, ending):
    text = line_break.join(lines) + line_break * ends
    found = rows._plain_columns(text, ending)
    if found is not None:
        expected = by_row(text, ending)
        assert expected is not None
        assert found == expected.columns
        assert list(range(1, len(found[0]) + 1)) == expected.lines


def test_plain_tables_are_split_at_once():
    assert rows._plain_columns("a,b\n1,2\n", ".csv") == [["a", "1"], ["b", "2"]]
    assert rows._plain_columns("a\tb c\r\n1\t2", ".tsv") == [["a", "1"], ["b c", "2"]]
    for odd in (
        '"a",b\n',
        "# x\na,b\n",
        "a,b\n\nc,d\n",
        "a, b\n",
        "a,b\nc\n",
        "a b\n",
        "a,b\rc,d\r",
        "",
    ):
        assert rows._plain_columns(odd, ".txt") is None


def test_a_first_line_longer_than_the_csv_module_reads_as_one_field(tmp_path):
    path = tmp_path / "genes.csv"
    names = [f"gene{number:06}" for number in range(16_000)]
    path.write_text("\n".join([",".join(names), ",".join(["1"] * len(names))]))
    found, delimiter = rows.read_header(path)
    assert (found, delimiter) == (names, ",")


@pytest.mark.parametrize("n_rows", [1, 7])
def test_a_beginning_is_whole_lines_of_a_large_file(tmp_path, monkeypatch, n_rows):
    path = tmp_path / "edges.csv"
    path.write_text("ann,bob\nbob,cid\nké,eve\n" * 10)
    expected = rows.first_rows(path, n_rows)
    for size in range(9, 60):
        monkeypatch.setattr(rows, "BEGINNING", size)
        found = rows._beginning(Source(path))
        assert found is None or found.endswith("\n")
        assert rows.first_rows(path, n_rows) == expected
