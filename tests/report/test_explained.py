"""Why labels are together or apart, in the page: searched by keyboard in a real browser."""

import re

import numpy as np
import pytest

import spherelax as sl
from spherelax import io
from spherelax.io.items import Items
from spherelax.io.readers.pairs import Records
from spherelax.report import report_html
from spherelax.report.case import Case
from spherelax.report.explained import MAX_EXPLAINED, explain_labels, why_section

PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def shops():
    """Records of three sources in a chain, one of which fits better elsewhere."""
    names = ["shop 1", "bank 1", "club 1", "shop 2", "bank 2", "<b>club</b> 2"]
    odds = np.zeros((6, 6))
    odds[0, 1], odds[1, 2], odds[3, 4], odds[3, 5], odds[4, 5], odds[2, 3] = 4, 2, 5, 4, 5, 1
    sources = ["shop", "bank", "club"] * 2
    items = Records(odds + odds.T, names, sources, kind="odds")
    return items, sl.solve(items.problem)


def shown(page):
    """What is shown of the label that is explained."""
    return page.locator(".why:visible").inner_text()


def test_a_record_is_found_and_its_entity_explained(visit, shops):
    items, result = shops
    page = visit(report_html(items, result))
    assert page.locator(".why:visible").count() == 1
    page.locator("#search").fill("BANK")
    hits = page.locator("#hits button")
    hits.first.wait_for()
    assert hits.all_inner_texts() == ["bank 1", "bank 2"]
    hits.first.click()
    assert page.locator("#hits").is_hidden()
    said = shown(page)
    assert re.search(r"^Entity \d: 3 records", said)
    why = result.explain(entity=int(result.labels[1]))
    assert "The weakest cut: club 1 | shop 1, bank 1." in said
    assert f"worth +2 nats together; both sides are the same with probability {0.88:.2f}" in said
    assert why.cut.probability == pytest.approx(0.88, abs=0.005)
    assert "2 for one entity, 0 against it, and 1 not listed" in said
    assert "The most similar record outside" in said
    assert "<b>club</b> 2 is of the same source as club 1 and has its place" in said


def test_the_keyboard_is_enough(visit, shops):
    page = visit(report_html(*shops))
    page.locator("#search").fill("shop 1")
    page.keyboard.press("Enter")
    page.locator("#found").wait_for()
    assert "shop 1, bank 1, club 1" in shown(page)
    page.locator("#search").fill("")
    page.keyboard.type("<b>CLUB")
    page.locator("#hits button").wait_for()
    page.keyboard.press("Enter")
    page.locator("#hits").wait_for(state="hidden")
    assert "shop 2, bank 2, <b>club</b> 2" in shown(page)
    assert page.evaluate("document.activeElement.tagName") == "H3"
    assert page.locator(".why b").count() == 0
    page.locator("#search").fill("nobody")
    page.locator("#hits").get_by_text("No record has this name.", exact=True).wait_for()
    page.keyboard.press("Enter")
    assert "shop 2, bank 2, <b>club</b> 2" in shown(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_of_it(visit, shops, scheme):
    page = visit(report_html(*shops), viewport=PHONE, color_scheme=scheme)
    page.locator("#search").fill("shop")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    for part in (".why:visible table", "#search", "#hits"):
        assert page.locator(part).bounding_box()["x"] >= 0
        box = page.locator(part).bounding_box()
        assert box["x"] + box["width"] <= PHONE["width"]


def test_without_scripts_the_most_doubtful_label_is_explained(visit, shops):
    page = visit(report_html(*shops), java_script_enabled=False)
    assert page.locator("#search").is_hidden()
    assert "The weakest cut" in shown(page)


def test_a_large_page_says_which_labels_it_explains():
    n = MAX_EXPLAINED + 20
    W = np.kron(np.eye(n), np.ones((3, 3)))
    case = Case.of(Items(W, None), sl.solve(W))
    whys = explain_labels(case, [3 * n - 1])
    assert len(whys.labels) == MAX_EXPLAINED
    assert 3 * n - 1 in whys.labels[0].members
    said = why_section(case, whys)
    assert f"{MAX_EXPLAINED} of {n} labels are explained here: those that are shown above" in said
    assert len(said) < 2500 * MAX_EXPLAINED


def test_an_item_that_is_alone_and_one_that_is_not_alike(given):
    W = np.kron(np.eye(2), np.ones((4, 4)))
    W = np.pad(W, (0, 2))
    W[8, 0] = W[0, 8] = 0.1
    case = given(W, names=[f"n{at}" for at in range(10)])
    said = why_section(case, explain_labels(case, []))
    assert "All 4 labels are explained here." in said
    assert "<bdi>n9</bdi> is alone and similar to no other." in said
    assert "<bdi>n8</bdi> and <bdi>n0</bdi> are apart" in said


def test_results_without_explanations_say_so(tmp_path):
    W = np.kron(np.eye(2), np.ones((4, 4)))
    power = Case.of(Items(W, None), sl.solve(W, solver="power"))
    said = why_section(power, explain_labels(power, []))
    assert said.endswith(
        "<p>explain needs a result of the coordinate solver; found one of the power solver</p>"
    )
    io.save_result(tmp_path / "result.npz", sl.solve(W))
    page = report_html(Items(W, None), io.load_result(tmp_path / "result.npz"))
    assert "holds no similarities, which an explanation needs" in page
    assert 'id="search"' in page  # labels are found, though not explained
