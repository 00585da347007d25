"""Arrays in files that are mapped."""

import numpy as np
import pytest

from spherelax import InvalidInputError
from spherelax.io.files.mapped import mapped, new_arrays, save_array, save_rows


@pytest.mark.parametrize("kind", [np.int32, np.float32, bool])
def test_arrays_come_back_and_what_is_written_to_them_does_not_stay(tmp_path, kind):
    array = np.arange(12).reshape(3, 4).astype(kind)
    save_array(tmp_path / "a.npy", array)
    found = mapped(tmp_path / "a.npy")
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)
    found[0] = 0
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), array)


def test_rows_one_after_the_other_are_the_array(tmp_path):
    rows = np.random.default_rng(0).random((4, 3))
    save_rows(tmp_path / "rows.npy", iter(rows), rows.shape, np.float64)
    np.testing.assert_array_equal(mapped(tmp_path / "rows.npy"), rows)


def test_files_that_are_not_filled_get_no_name(tmp_path):
    def stop(half):
        half[0] = 1
        raise KeyboardInterrupt

    files = {tmp_path / "half.npy": (3, np.int32)}
    with pytest.raises(KeyboardInterrupt), new_arrays(files) as (half,):
        stop(half)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_cut_off_is_named(tmp_path):
    save_array(tmp_path / "a.npy", np.arange(100))
    (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:-8])
    with pytest.raises(InvalidInputError, match=r"a.npy: was damaged .*; delete it"):
        mapped(tmp_path / "a.npy")
