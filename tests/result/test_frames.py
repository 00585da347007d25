"""Columns become frames; refusals are those of to_frame, in test_answer."""

import pytest

from spherelax.errors import InvalidInputError
from spherelax.result.frames import make_frame


def test_frames():
    assert make_frame({"item": ["a"]}, "pandas")["item"].tolist() == ["a"]
    with pytest.raises(InvalidInputError, match="like must be one of pandas, polars, pyarrow"):
        make_frame({}, "numpy")
