"""What there is to see at each step of a sweep."""

from dataclasses import replace
from io import BytesIO
from itertools import combinations

import numpy as np
import pytest

from spherelax.report.case import Case
from spherelax.report.steps import make_steps, size_bins


def test_frames_show_each_step_sorted_by_label(answer):
    items, result = answer
    image = pytest.importorskip("PIL.Image", reason="no Pillow: pip install matplotlib")
    steps = make_steps(Case.of(items, result))
    assert len(steps.of_step) == len(result.path.labels)
    for labels, at in zip(result.path.labels, steps.of_step, strict=True):
        frame, sizes = steps.frames[at], np.bincount(labels)
        expected = np.bincount(np.ceil(np.log2(sizes)).astype(int))
        assert frame.sizes == expected.tolist()
        assert [row.size for row in frame.listed] == [
            size for size in sorted(sizes, reverse=True)[:8] if size > 1
        ]
        for row in frame.listed:
            assert len(set(labels[row.members])) == 1
            (members,) = np.nonzero(labels == labels[row.members[0]])
            pairs = [items.similarity[i, j] > 0 for i, j in combinations(members, 2)]
            assert row.direct == pytest.approx(np.mean(pairs))
        n_cells = min(frame.n_shown, 128)
        assert image.open(BytesIO(frame.picture)).size == (n_cells, n_cells)
    same = [
        np.array_equal(a, b)
        for a, b in zip(result.path.labels, result.path.labels[1:], strict=False)
    ]
    assert len(steps.frames) == 1 + same.count(False)


def test_picture_shows_similarities_in_their_order(given):
    image = pytest.importorskip("PIL.Image", reason="no Pillow: pip install matplotlib")
    W = np.zeros((5, 5))
    W[:3, :3] = 2.0
    W[3:, 3:] = 1.0
    np.fill_diagonal(W, 7.0)
    shuffle = [3, 0, 4, 1, 2]
    case = given(W[np.ix_(shuffle, shuffle)])
    steps = make_steps(case)
    frame = steps.frames[steps.of_step[case.result.path.picked]]
    assert frame.ends == [0.6, 1.0]
    alpha = np.asarray(image.open(BytesIO(frame.picture)).convert("RGBA"))[..., 3]
    expected = np.kron(np.eye(2), np.ones((3, 3)))[:5, :5] * (1 - np.eye(5)) * 255
    expected[3:, 3:] = np.array([[0, 136], [136, 0]])  # half of the fullest, in 16 shades
    np.testing.assert_array_equal(alpha, expected)


def test_cells_of_several_items_leave_out_the_items_themselves(given):
    image = pytest.importorskip("PIL.Image", reason="no Pillow: pip install matplotlib")
    case = given(np.kron(np.eye(2), np.ones((100, 100))))
    steps = make_steps(case)
    frame = steps.frames[steps.of_step[case.result.path.picked]]
    alpha = np.asarray(image.open(BytesIO(frame.picture)).convert("RGBA"))[..., 3]
    np.testing.assert_array_equal(alpha, 255 * np.kron(np.eye(2), np.ones((50, 50))))


def test_the_largest_of_many_labels_are_shown(given):
    sizes = np.r_[np.full(4, 30), np.full(70, 2)]
    labels = np.repeat(np.arange(74), sizes)
    case = given((labels[:, None] == labels).astype(float))
    steps = make_steps(case)
    assert case.result.n_labels == 74
    frame = steps.frames[steps.of_step[case.result.path.picked]]
    assert (frame.n_shown, frame.n_labels_shown) == (4 * 30 + 20 * 2, 24)
    assert frame.ends[0] == 30 / frame.n_shown
    alone = replace(case.result.path, labels=(np.arange(260, dtype=np.int32),) * 43)
    case = replace(case, result=replace(case.result, path=alone))
    frame = make_steps(case).frames[0]
    assert (frame.n_shown, frame.n_labels_shown, frame.ends) == (128, 128, [])


def test_size_bins_name_what_they_hold():
    assert size_bins(1) == ["1"]
    assert size_bins(5) == ["1", "2", "3-4", "5-8", "9-16"]
