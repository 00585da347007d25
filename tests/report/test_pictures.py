"""Matches drawn on images: which, where, and of which kind."""

import re
from io import BytesIO
from itertools import combinations

import numpy as np
import pytest
from support.problems import with_labels

import spherelax as sl
from spherelax.io.items import Items
from spherelax.report import report_html
from spherelax.report.case import Case
from spherelax.report.pictures import MAX_IMAGES, MAX_LINES, make_pictures


def png(size, value=128):
    """An image file."""
    image = pytest.importorskip("PIL.Image", reason="no Pillow: pip install matplotlib")
    file = BytesIO()
    image.new("L", size, value).save(file, "PNG")
    return file.getvalue()


def test_matches_on_images_are_kept_added_or_dropped(given):
    # One thing in three images, matched along a chain; a second one, matched wrongly to the first.
    W = np.zeros((5, 5))
    for i, j, value in [(0, 1, 5.0), (1, 2, 5.0), (3, 4, 5.0), (0, 4, 0.1)]:
        W[i, j] = W[j, i] = value
    groups = ["a", "b", "c", "a", "b"]
    positions = np.array([[0, 0], [10, 20], [30, 40], [50, 60], [1279, 639]], dtype=float)
    case = given(W, groups)
    assert case.result.labels.tolist() == [0, 0, 0, 1, 1]
    images = {"a": png((640, 480)), "b": png((1280, 640)), "c": png((64, 48)), "d": b"unread"}
    pictures = make_pictures(case, images, positions)
    assert [one.group for one in pictures.thumbnails] == ["a", "b", "c"]
    assert [(one.width, one.height) for one in pictures.thumbnails] == [
        (640, 480),
        (640, 320),
        (64, 48),
    ]
    pairs = {(pair.first, pair.second): pair for pair in pictures.pairs}
    assert pairs[0, 1].counts == {"kept": 2, "added": 0, "dropped": 1}
    assert pairs[0, 2].counts == {"kept": 0, "added": 1, "dropped": 0}
    assert pairs[0, 2].ends.tolist() == [[0.5, 0.5, 30.5, 40.5]]
    dropped = pairs[0, 1].ends[pairs[0, 1].kinds.index("dropped")]
    assert dropped.tolist() == [0.5, 0.5, 639.75, 319.75]
    page = report_html(Items(W, None, groups), case.result, images=images, positions=positions)
    shown = re.findall(r'<figure class="pair" id="([^"]*)" style="[^"]*">', page)
    assert shown == ["pair-0-1"]  # most was dropped there
    assert "(1 dropped)</option>" in page


def test_images_of_which_most_was_dropped_come_first():
    # Between the last two images everything was dropped, between all the others much was added.
    chain = np.kron(np.eye(20, k=1) + np.eye(20, k=-1), np.eye(3))
    W = np.block([[chain, np.zeros((60, 2))], [np.zeros((2, 62))]])
    W[60, 61] = W[61, 60] = 1.0
    groups = [at // 3 for at in range(60)] + ["one", "other"]
    labels = np.r_[np.arange(60) % 3, 3, 4].astype(np.int32)
    result = with_labels(sl.solve(W, groups, pick=1.0), labels)
    case = Case.of(Items(W, None, groups), result)
    pictures = make_pictures(case, dict.fromkeys(groups, png((9, 9))), np.zeros((62, 2)))
    assert [one.group for one in pictures.thumbnails[-2:]] == ["one", "other"]


def test_some_lines_of_each_kind_are_drawn():
    n = 3 * MAX_LINES
    one, other = np.arange(n), np.arange(n) + n
    W = np.zeros((2 * n + 1, 2 * n + 1))
    W[one, other] = W[other, one] = 1.0
    groups = ["a"] * n + ["b"] * n + ["c"]
    labels = np.r_[one, one, n]
    labels[n : n + 5] = np.roll(labels[n : n + 5], 1)
    result = with_labels(sl.solve(W, groups, pick=1.0), labels.astype(np.int32))
    case = Case.of(Items(W, None, groups), result)
    images = dict.fromkeys("abc", png((9, 9)))
    positions = np.column_stack([np.arange(2 * n + 1.0), np.zeros(2 * n + 1)])
    pair = next(p for p in make_pictures(case, images, positions).pairs if p[:2] == (0, 1))
    assert pair.counts == {"dropped": 5, "added": 5, "kept": n - 5}
    assert {kind: pair.kinds.count(kind) for kind in pair.counts} == {
        "dropped": 5,
        "added": 5,
        "kept": MAX_LINES,
    }
    kept = pair.ends[[kind == "kept" for kind in pair.kinds], 0]
    assert kept.max() - kept.min() > 0.9 * n


def test_only_some_images_are_embedded(matching):
    items, result = matching
    n_items = len(items.groups)
    rng = np.random.default_rng(0)
    positions = rng.uniform(0, 100, (n_items, 2))
    positions[0] = np.nan
    images = {group: png((120, 100)) for group in set(items.groups)}
    case = Case.of(items, result)
    pictures = make_pictures(case, images, positions)
    assert pictures.n_images == len(images) > MAX_IMAGES == len(pictures.thumbnails)
    for pair in pictures.pairs:
        left, right = (pictures.thumbnails[at].group for at in (pair.first, pair.second))
        placed = [i for i in range(1, n_items) if items.groups[i] in (left, right)]
        lines = [
            (items.similarity[i, j] > 0, result.labels[i] == result.labels[j])
            for i, j in combinations(placed, 2)
            if items.groups[i] != items.groups[j]
        ]
        expected = {"kept": (True, True), "added": (False, True), "dropped": (True, False)}
        assert pair.counts == {kind: lines.count(value) for kind, value in expected.items()}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"images": {0: b""}}, "images and positions must be given together"),
        (
            {"images": {0: b"no image"}, "positions": np.zeros((4, 2))},
            "the image of group '0' cannot be read",
        ),
        (
            {"images": {0: b""}, "positions": np.zeros((4, 2))},
            "the image of group '0' cannot be read",
        ),
        ({"images": {9: b""}, "positions": np.zeros((4, 2))}, "images must have groups"),
        ({"images": {0: b""}, "positions": np.zeros(4)}, r"positions must have shape \(4, 2\)"),
    ],
)
def test_images_that_cannot_be_used_are_refused(settings, message):
    W = np.ones((4, 4))
    items = Items(W, None, [0, 0, 1, 1])
    result = sl.solve(W, items.groups)
    with pytest.raises(sl.InvalidInputError, match=message):
        report_html(items, result, **settings)


def test_images_need_groups_and_a_result_its_items(clustering):
    items, result = clustering
    with pytest.raises(sl.InvalidInputError, match="images need items with groups"):
        report_html(items, result, images={0: b""}, positions=np.zeros((80, 2)))
    with pytest.raises(sl.InvalidInputError, match="that of the 79 items; found 80 labels"):
        report_html(Items(items.similarity[1:, 1:], None), result)


def test_matches_of_the_house_are_drawn_on_its_frames(data_home):
    pytest.importorskip("PIL.Image", reason="no Pillow: pip install matplotlib")
    data = sl.datasets.load_house(10, data_home=data_home)
    groups = [data.images[group].name for group in data.groups]
    images = {path.name: path.read_bytes() for path in data.images}
    result = sl.solve(data.similarity, groups)
    items = Items(data.similarity, None, groups)
    pictures = make_pictures(Case.of(items, result), images, data.positions)
    for pair in pictures.pairs:
        assert pair.counts["kept"] + pair.counts["dropped"] == 30  # each match is a permutation
    page = report_html(items, result, images=images, positions=data.positions)
    assert page.count('<image id="image-') == MAX_IMAGES
    assert len(page.encode()) < 1_100_000
