"""Checksums: files that were damaged or swapped are named, with what to do."""

import json
from contextlib import suppress

import numpy as np
import pytest

from spherelax import InvalidInputError
from spherelax.io.files.mapped import mapped, save_array, save_rows
from spherelax.io.files.seals import (
    check_bytes,
    check_file,
    damaged,
    read_json,
    seal_bytes,
    seal_json,
    sum_file,
)


def flipped(content):
    """Yield a file's content with each of its bits flipped."""
    for at in range(8 * len(content)):
        changed = bytearray(content)
        changed[at // 8] ^= 1 << at % 8
        yield bytes(changed)


def test_every_bit_of_bytes_counts(tmp_path):
    path = tmp_path / "a.npz"
    seal_bytes(path, b"what is kept")
    check_bytes(path)
    for content in flipped(path.read_bytes()):
        path.write_bytes(content)
        with pytest.raises(InvalidInputError, match=r"a.npz: was damaged after it was written"):
            check_bytes(path)


def test_every_bit_of_an_array_counts(tmp_path):
    path = tmp_path / "a.npy"
    save_array(path, np.arange(3, dtype=np.int32))
    for content in flipped(path.read_bytes()):
        path.write_bytes(content)
        with pytest.raises(InvalidInputError, match=r"a.npy: was damaged after it was written"):
            mapped(path)


def test_every_bit_of_a_row_counts_and_others_are_not_read(tmp_path):
    path = tmp_path / "a.npy"
    save_rows(path, np.arange(6, dtype=np.int32).reshape(2, 3), (2, 3), np.int32)
    found = [0, 0]
    for content in flipped(path.read_bytes()):
        path.write_bytes(content)
        for row in range(2):
            try:
                assert mapped(path, row).tolist() == [3 * row, 3 * row + 1, 3 * row + 2]
            except InvalidInputError:
                found[row] += 1
        with pytest.raises(InvalidInputError):
            mapped(path)
    assert found == [8 * (len(content) - 12 - 4)] * 2  # but for the other row and its checksum


def test_every_bit_of_json_counts_unless_it_means_the_same(tmp_path):
    path, value = tmp_path / "a.json", {"x": [1, 0.5, None], "y": "text"}
    seal_json(path, value)
    good = path.read_bytes()
    assert json.loads(good)["x"] == value["x"]
    for content in flipped(good):
        path.write_bytes(content)
        with suppress(InvalidInputError):
            assert read_json(path) == value


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"7", b'"x"', b'{"checksum": 3}'])
def test_other_json_is_named(tmp_path, content):
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(InvalidInputError, match=r"a.json: was damaged"):
        read_json(tmp_path / "a.json")


def test_files_that_were_swapped_are_told(tmp_path):
    one, other = (tmp_path / f"shard-0000{shard}" / "labels.npy" for shard in range(2))
    for path in (one, other):
        path.parent.mkdir()
        save_array(path, np.zeros(3))
    checksum = sum_file(one)
    other.replace(one)
    for read in (mapped, lambda path: check_file(path, checksum)):
        with pytest.raises(InvalidInputError, match=r"labels.npy: was damaged"):
            read(one)


def test_folders_may_be_moved(tmp_path):
    (tmp_path / "a" / "shard-00001").mkdir(parents=True)
    save_array(tmp_path / "a" / "shard-00001" / "labels.npy", np.zeros(3))
    seal_json(tmp_path / "a" / "settings.json", {"x": 1})
    (tmp_path / "a").rename(tmp_path / "b")
    assert len(mapped(tmp_path / "b" / "shard-00001" / "labels.npy")) == 3
    assert read_json(tmp_path / "b" / "settings.json") == {"x": 1}


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("manifest.json", "delete the folder {} and"),
        ("shard-00001/edges.parquet", "delete the folder {} and"),
        ("shard-00001/labels.npy", r"delete it and all round-\*.npz beside it and"),
        ("round-03.npz", "; delete it and run again"),
    ],
)
def test_advice_is_what_makes_the_file_again(tmp_path, name, advice):
    error = damaged(tmp_path / name)
    with pytest.raises(InvalidInputError, match=advice.format(tmp_path)):
        raise error
