"""Images two at a time, with lines between matched items."""

import re

import numpy as np

from spherelax.report.pictures import Pair, Pictures, Thumbnail
from spherelax.report.plates import GAP, pictures_section


def pair(first, second, kinds):
    counts = {kind: kinds.count(kind) for kind in ("kept", "added", "dropped")}
    ends = np.tile([1.0, 2.0, 3.0, 4.0], (len(kinds), 1))
    return Pair(first, second, ends, kinds, ["why" * (kind == "dropped") for kind in kinds], counts)


def test_the_pair_with_most_dropped_matches_is_shown_first(given):
    case = given(np.kron(np.eye(2), np.ones((3, 3))), ["a", "b", "c"] * 2)
    images = [Thumbnail(group, b"jpeg", 40, 30, 1.0) for group in ("a", "<b>", "c")]
    pairs = [pair(0, 1, ["kept"]), pair(0, 2, ["dropped", "kept"])]
    found = pictures_section(case, Pictures(images, pairs, 5))
    assert re.findall(r'id="(pair-0-\d)" style="[^"]*"( hidden)?>', found) == [
        ("pair-0-1", " hidden"),
        ("pair-0-2", ""),
    ]
    assert 'value="pair-0-2" selected' in found
    assert "3 of 5 images are shown" in found
    assert found.count("<title>why</title>") == 1
    assert "<b>:" not in found
    # Images stand side by side, so that the second end is to the right by the first image.
    assert f'x1="1.0" y1="2.0" x2="{3 + 40 + GAP:.1f}" y2="4.0"' in found
