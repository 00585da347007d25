"""The page in a real browser: keys, undo, reload, two tabs, narrow screens; and what it shows."""

from io import BytesIO

import numpy as np
import pytest

import spherelax as sl
from spherelax.asking.page import Shown, _compared, _mark
from spherelax.asking.session import Question, State
from spherelax.io import Cells, Items, Neighbors

NARROW = {"width": 390, "height": 844}


@pytest.fixture
def visit(browser, server):
    """Open the page, which must ask for nothing else and complain of nothing."""
    contexts, faults = [], []

    def open_page(**settings):
        contexts.append(browser.new_context(**settings))
        page = contexts[-1].new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: faults.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (faults.append("dialog"), dialog.dismiss()))
        page.on(
            "request",
            lambda request: (
                None
                if request.url == server.address or request.url.startswith("data:")
                else faults.append(f"request: {request.url}")
            ),
        )
        page.goto(server.address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


def press(page, key):
    """Press a key, and wait for the next page."""
    with page.expect_navigation():
        page.keyboard.press(key)


def heads(page):
    """The names of the two items."""
    return page.locator(".pair-of thead th").all_inner_texts()[1:]


def n_answers(page):
    return int(page.locator(".facts b").first.inner_text())


def test_answers_by_keys_undo_reload_and_end(visit, server):
    page = visit()
    first = heads(page)
    press(page, "s")
    second = heads(page)
    assert second != first
    press(page, "D")
    press(page, "c")
    assert n_answers(page) == 3
    assert "1 same, 1 different, 1 cannot tell" in page.locator(".facts").inner_text()
    page.reload()
    assert n_answers(page) == 3
    for _ in range(2):
        press(page, "u")
    assert heads(page) == second
    page.go_back()
    page.reload()
    assert n_answers(page) == 1
    while page.locator(".answers").count():
        press(page, "d")
    assert page.locator("h1").inner_text() == "Nothing else is in doubt"
    assert "next: spherelax match pairs.csv" in page.locator("main").inner_text()
    assert n_answers(page) == server.session.n_answers
    press(page, "u")
    assert page.locator(".answers").count() == 1


def test_other_keys_do_nothing(visit):
    page = visit()
    before = heads(page)
    for key in ("x", "Enter", "Control+s", "Alt+d", "Escape", "'", "\\"):
        page.keyboard.press(key)
    page.wait_for_timeout(100)
    assert heads(page) == before
    assert n_answers(page) == 0


def test_a_key_that_is_held_answers_once(visit):
    page = visit()
    with page.expect_navigation():
        page.evaluate(
            "for (const repeat of [false, true, false])"
            " dispatchEvent(new KeyboardEvent('keydown', {key: 's', repeat}))"
        )
    assert n_answers(page) == 1


def test_two_tabs(visit, server):
    one, other = visit(), visit()
    assert heads(one) == heads(other)
    press(one, "s")
    with other.expect_navigation():
        other.locator("button.same").click()
    assert n_answers(other) == 1
    press(one, "s")
    other.reload()
    assert n_answers(other) == server.session.n_answers == 2


def test_a_tab_that_contradicts_is_told(browser, server):
    context = browser.new_context()
    one, other = context.new_page(), context.new_page()
    one.goto(server.address)
    other.goto(server.address)
    press(one, "s")
    press(other, "d")
    assert "this pair was answered before: same; undo that first" in (
        other.locator("[role=alert]").inner_text()
    )
    assert n_answers(other) == 1
    press(other, "s")
    assert other.locator("[role=alert]").count() == 0
    context.close()


def test_it_works_without_scripts_and_with_a_narrow_screen(visit):
    page = visit(java_script_enabled=False, viewport=NARROW, color_scheme="dark")
    page.locator("button.same").click()
    assert n_answers(page) == 1
    page.get_by_role("button", name="Undo").click()
    assert n_answers(page) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_a_telephone(visit, scheme):
    page = visit(viewport=NARROW, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    for button in page.locator(".answers button").all():
        box = button.bounding_box()
        assert box["height"] >= 44
        assert box["y"] + box["height"] <= NARROW["height"]


def test_names_from_the_data_are_shown_and_not_run(visit):
    page = visit()
    while heads(page) != ["north n0", "south s0"]:
        press(page, "c")
    cells = page.locator(".pair-of tbody tr").first.locator("td").all_inner_texts()
    assert cells == ['<img src=x onerror="alert(1)">', "Anna Berg 0"]
    assert page.locator("main img").count() == 0
    assert page.locator(".pair-of tbody tr").nth(1).locator("td").last.inner_text() == "not given"


def test_differences_are_marked():
    row = _compared("name", "Ann Berg", "Anna Berg")
    assert row.startswith('<tr class="differs"><th scope="row"><bdi>≠ name')
    assert "<bdi>Ann Berg</bdi>" in row
    assert "<bdi>Ann<mark>a</mark> Berg</bdi>" in row
    for values in (("Ann", "Ann"), (None, "Ann"), (None, None), (7, 7.0 // 1)):
        assert ("differs" in _compared("name", *values)) == (values[0] == 7)
    assert _mark("a<b", "xyz") == "<mark>a&lt;b</mark>"
    assert _mark("ANN", "ann") == "ANN"
    assert _mark("Straße", "Strasse") == "<mark>Straße</mark>"


def page_of(items, pair=(0, 1), **extra):
    """The page of a question about items."""
    result = sl.solve(items.problem)
    state = State(Question(pair, 0.5, 2.0), (), result, result)
    return Shown(items, "file", "next", **extra).page(state, "answers.sqlite")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Items, "Do these two items belong to one label?"),
        (Cells, "Do these two cells belong to one cluster?"),
        (Neighbors, "Do these two points belong to one cluster?"),
    ],
)
def test_each_kind_has_its_words(kind, said):
    page = page_of(kind(np.kron(np.eye(2), np.ones((4, 4))), [f"<{i}>" for i in range(8)]))
    assert f"<h1>{said}</h1>" in page
    assert "&lt;2&gt;</bdi>, <bdi>&lt;3&gt;</bdi>" in page
    assert "the probability of one" in page
    assert "<2>" not in page


def test_places_on_images_are_marked():
    image = pytest.importorskip("PIL.Image")
    file = BytesIO()
    image.new("L", (400, 200), 90).save(file, "PNG")
    W = np.kron(np.ones((3, 3)) - np.eye(3), np.eye(3))
    items = Items(W, None, np.repeat(["left", "right", "gone"], 3).tolist())
    shown = {
        "images": dict.fromkeys(("left", "right"), file.getvalue()),
        "positions": np.tile([99.5, 49.5], (9, 1)),
    }
    page = page_of(items, (0, 3), **shown)
    assert page.count("data:image/jpeg;base64,") == 4
    assert "--x:25.00%;--y:25.00%" in page
    assert "<td>no image</td>" in page_of(items, (0, 6), **shown)
