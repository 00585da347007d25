"""A file while it is read."""

import pytest

from spherelax import InvalidInputError
from spherelax.io.files.source import Source


def test_a_source_is_itself_and_a_path_becomes_one(tmp_path):
    source = Source(tmp_path / "Edges.CSV", format="edges")
    assert Source.of(source) is source
    assert Source.of(str(source)).path == source.path
    assert source.ending == ".csv"


def test_text_is_read_once_and_has_no_mark(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_bytes(b"\xef\xbb\xbfa,b\n")
    source = Source(path)
    assert source.text == "a,b\n"
    path.unlink()
    assert source.text == "a,b\n"


def test_bytes_that_are_no_text_are_named_with_their_row(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_bytes(b"a,b\nc,\xff\n")
    with pytest.raises(InvalidInputError, match="row 2: must be text in UTF-8; found byte 0xff"):
        _ = Source(path).text
