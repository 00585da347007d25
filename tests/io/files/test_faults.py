"""Errors about files become one line that begins with the file."""

import errno

import pytest

from spherelax import InvalidInputError
from spherelax.io.files.faults import about, first_line


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(errno.ENOSPC, "anything"), "f.npy: No space left on device"),
        (OSError("bad magic\nsecond line"), "f.npy: not a readable .npy file; bad magic"),
        (EOFError(), "f.npy: not a readable .npy file; EOFError"),
        (InvalidInputError("row 3"), "f.npy: row 3"),
        (InvalidInputError("f.npy: row 3"), "f.npy: row 3"),
    ],
)
def test_errors_name_the_file_once(error, message):
    with pytest.raises(InvalidInputError) as caught, about("f.npy", EOFError):
        raise error
    assert str(caught.value) == message


def test_other_errors_stay_as_they_are():
    for error in (ImportError("no pyarrow"), ZeroDivisionError("a bug")):
        with pytest.raises(type(error), match=str(error)), about("f.npy", EOFError):
            raise error


def test_names_with_a_zero_byte_are_refused():
    with pytest.raises(InvalidInputError, match="must not have a zero byte"), about("a\0b"):
        pass


def test_the_first_line_of_nothing_is_the_kind_of_error():
    assert first_line(ValueError("")) == "ValueError"
