"""HDF5 files: what is in them, and what is refused."""

from pathlib import Path

import pytest

import spherelax as sl
from spherelax.io.files.hdf5 import datasets, members, opened_hdf5

h5py = pytest.importorskip("h5py")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "some.h5"
    with h5py.File(path, "w") as made:
        for name in ("b/x", "a/c/x", "a/y", "x"):
            made[name] = [1, 2]
        made.create_group("z/x")
        made["away"] = h5py.ExternalLink("other.h5", "/x")
    return path


def test_names_at_the_top(file):
    assert members(file) == ["a", "away", "b", "x", "z"]


def test_datasets_of_a_name_are_sorted_and_links_to_other_files_are_not_followed(file):
    with h5py.File(file.with_name("other.h5"), "w") as other:
        other["x"] = [3]
    with opened_hdf5(file) as opened:
        found = [(group, node[:].tolist()) for group, node in datasets(opened, "x")]
    assert found == [("a/c", [1, 2]), ("b", [1, 2]), ("", [1, 2])]


def test_data_of_other_files_are_refused(tmp_path):
    path = tmp_path / "some.h5"
    layout = h5py.VirtualLayout((2,), "i2")
    layout[:] = h5py.VirtualSource("other.h5", "x", (2,))
    with h5py.File(path, "w") as made:
        made.create_virtual_dataset("a/x", layout)
    with (
        opened_hdf5(path) as opened,
        pytest.raises(sl.InvalidInputError, match="a/x: must be in the file itself"),
    ):
        list(datasets(opened, "x"))


def test_a_damaged_file_is_refused_in_one_line(tmp_path):
    path = Path(tmp_path, "damaged.h5")
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + b"\xff" * 99)
    with pytest.raises(sl.InvalidInputError, match=r"damaged\.h5: not a readable \.h5 file"):
        members(path)
