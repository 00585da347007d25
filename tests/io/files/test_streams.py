"""Streams become files with the ending of their content."""

from io import BytesIO

import pytest

from spherelax import io


@pytest.mark.parametrize(
    ("start", "ending"),
    [
        (b"SQLite format 3\0", ".db"),
        (b"PK\x03\x04", ".npz"),
        (b"PKW,CAR\n", ".txt"),
        (b"\x93NUMPY\x01", ".npy"),
        (b"%%MatrixMarket matrix", ".mtx"),
        (b"PAR1", ".parquet"),
        (b"\x89HDF\r\n\x1a\n", ".h5"),
        (b"a,b\n", ".txt"),
        (b"", ".txt"),
    ],
)
def test_streams_become_files(start: bytes, ending: str) -> None:
    content = start + b"x" * 100_000 if start else b""
    with io.spooled(BytesIO(content), "input") as path:
        assert path.suffix == ending
        assert path.read_bytes() == content
    assert not path.parent.exists()


def test_a_stream_that_breaks_leaves_nothing_behind() -> None:
    seen = []

    def fail() -> None:
        with io.spooled(BytesIO(b"a,b\n"), "input") as path:
            seen.append(path)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert not seen[0].parent.exists()
