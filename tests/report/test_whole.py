"""Some labels whole: with the user's own columns, and on images."""

import re
from io import BytesIO
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from support.problems import with_confidence, with_labels

import spherelax as sl
from spherelax.io import Items, read_pairs
from spherelax.report import report_html
from spherelax.report.case import Case
from spherelax.report.pictures import CROP, make_crops
from spherelax.report.whole import MAX_MEMBERS, MAX_WHOLE, choose_whole


def records():
    """Four people in two sources, and one of whom no pair is known."""
    everyone = pd.DataFrame({
        "source": ["shop"] * 4 + ["bank"] * 5,
        "id": [*range(4), *range(5)],
        "name": [*"abcd", *"ABCD", "<i>eve</i>"],
        "town": ["Lund", None, "Rome", "Oslo", "Lund", "Kiel", None, "Oslo", "Bonn"],
    })  # fmt: skip
    pairs = pd.DataFrame({
        "source_a": "shop", "id_a": range(4), "source_b": "bank", "id_b": range(4), "score": 0.9,
    })  # fmt: skip
    items = read_pairs(pairs, records=everyone)
    return items, sl.solve(items.problem)


def test_an_entity_is_shown_whole_with_the_columns_of_its_records():
    items, result = records()
    result = with_confidence(result, np.linspace(0.1, 0.9, 9))
    page = report_html(items, result)
    shown = re.findall(r'<div class="whole" id="whole-\d+"( hidden)?>(.*?)</table>', page)
    assert [hidden for hidden, _ in shown] == [""] + [" hidden"] * (len(shown) - 1)
    assert len(shown) == 4
    for _, table in shown:
        number = int(re.search(r"<caption>Entity (\d+)\.", table)[1])
        for item in np.flatnonzero(result.labels == number):
            head = f"<bdi>{items.names[item]}</bdi></th>"
            row = table.partition(head)[2].partition("</tr>")[0]
            name, town, sure, similar = re.findall(r"<td[^>]*>(?:<bdi>)?([^<>]*)", row)
            assert name == items.details["name"][item]
            assert town == (items.details["town"][item] or "")
            assert float(sure) == pytest.approx(result.confidence[item], abs=0.005)
            assert similar == "1 of 1"


def test_columns_stand_beside_the_least_certain_records():
    items, result = records()
    page = report_html(items, with_confidence(result, np.linspace(0.1, 0.9, 9)))
    least = re.search(r'<table id="least".*?</table>', page, re.DOTALL)[0]
    assert '<bdi>shop 0</bdi> <span class="own">a, Lund</span>' in least
    assert '<bdi>shop 1</bdi> <span class="own">b</span>' in least
    assert "&lt;i&gt;eve&lt;/i&gt;, Bonn" in least
    assert "<i>eve" not in page


def test_the_least_certain_and_the_largest_labels_are_shown():
    labels = np.repeat(np.arange(30), np.arange(10, 70, 2)).astype(np.int32)
    n = len(labels)
    W = (labels[:, None] == labels) * 1.0
    result = with_confidence(with_labels(sl.solve(W), labels), labels / 30.0)
    found = choose_whole(Case.of(Items(W, None), result))
    assert len(found) == MAX_WHOLE
    numbers = [int(one.number) for one in found]
    assert numbers == [0, 1, 2, 3, 4, 29, 28, 27, 26, 25]
    for one in found:
        members = np.flatnonzero(labels == int(one.number))
        assert one.size == len(members)
        assert one.members == members[:MAX_MEMBERS].tolist()
        assert one.n_similar == [one.size - 1] * len(one.members)
    assert n > MAX_MEMBERS


def test_items_of_a_label_that_is_not_pure_have_no_probability():
    W = np.kron(np.eye(3), np.ones((4, 4)))
    items, pure = Items(W, [f"n{at}" for at in range(12)]), np.array([0.9, 0.01, 0.95])
    source = SimpleNamespace(
        entity_probability=lambda _: sl.EntityProbability(pure, np.ones(3)),
        duplicates=lambda: None,
        tied=lambda: None,
    )
    result = with_confidence(sl.solve(W), np.full(12, 0.99), source=source)
    page = report_html(items, result)
    first, *others = re.findall(r'<div class="whole".*?</table>', page, re.S)
    assert "It is 1% likely that all are the same thing. More likely they are not" in first
    assert "0.99" not in first
    assert "<bdi>n4</bdi>" in first
    assert all(other.count("0.99") == 4 for other in others)


def test_labels_of_single_items_are_not_shown():
    W = np.zeros((3, 3))
    with pytest.warns(sl.SphereWarning):
        result = sl.solve(W)
    assert "No label has several items." in report_html(Items(W, None), result)


def test_crops_have_their_item_in_the_middle(given):
    image = pytest.importorskip("PIL.Image")
    case = given(np.ones((2, 2)) - np.eye(2), ["left", "right"])
    pixels = np.zeros((300, 400), dtype=np.uint8)
    pixels[100:105, 200:205] = 255
    file = BytesIO()
    image.fromarray(pixels).save(file, "PNG")
    crops = make_crops(case.groups, {"left": file.getvalue()}, [[202.0, 102.0], [0.0, 0.0]], [0, 1])
    assert list(crops) == [0]
    crop = np.asarray(image.open(BytesIO(crops[0])))
    assert crop.shape == (CROP, CROP)
    bright = np.argwhere(crop > 128)
    np.testing.assert_allclose(bright.mean(axis=0), CROP / 2, atol=1.0)


def test_another_label_is_chosen_and_enlarged_by_keyboard(visit, illustrated):
    page = visit(illustrated)
    first, second = page.locator("#whole-0"), page.locator("#whole-1")
    assert first.is_visible()
    assert not second.is_visible()
    page.locator("#whole-choice").select_option("whole-1")
    assert second.is_visible()
    assert not first.is_visible()
    crop = page.locator("#whole-1 .crop img").first
    width = crop.bounding_box()["width"]
    page.locator("#zoom").focus()
    page.keyboard.press("End")
    assert crop.bounding_box()["width"] == pytest.approx(8 * width, rel=0.01)
