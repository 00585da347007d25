"""The page in a real browser: read from disk, moved by keyboard, on a phone and in the dark."""

from dataclasses import replace
from io import BytesIO
from itertools import pairwise

import numpy as np
import pytest

import spherelax as sl
from spherelax.io.items import Items
from spherelax.report import report_html

PHONE = {"width": 390, "height": 844}
# What the guidelines for accessible pages ask for: text, and parts of graphics.
TEXT_CONTRAST, GRAPHIC_CONTRAST = 4.5, 3.0


def numbers(page):
    """The numbers of the step that is shown."""
    places = ("labels", "alpha", "resolution", "stability")
    read = {place: page.locator(f"#now-{place}").inner_text() for place in places}
    return {place: float(said.replace(",", "")) for place, said in read.items()}


def sizes(page):
    """The number of labels of each size that is shown."""
    cells = page.locator("#sizes .number").all_inner_texts()
    return [int(cell.replace(",", "")) for cell in cells]


def check_step(page, result, index):
    """Compare what is shown with a step of the path."""
    path = result.path
    shown = numbers(page)
    assert shown["labels"] == path.n_labels[index]
    assert shown["alpha"] == pytest.approx(path.alphas[index], rel=1e-3)
    assert shown["resolution"] == pytest.approx(path.resolutions[index], rel=1e-3)
    assert shown["stability"] == pytest.approx(path.stability[index], abs=0.01)
    expected = np.bincount(np.ceil(np.log2(np.bincount(path.labels[index]))).astype(int))
    assert sizes(page)[: len(expected)] == expected.tolist()
    assert sum(sizes(page)) == path.n_labels[index]
    largest = page.locator("#largest tbody tr").first.locator("th").inner_text()
    assert int(largest) == np.bincount(path.labels[index]).max()
    said = page.locator("#now").inner_text()
    assert f": {path.n_labels[index]} label" in said
    assert ("(chosen)" in said) == (index == result.index)


@pytest.mark.parametrize("solver", ["coordinate", "power"])
def test_slider_moves_by_keyboard_through_the_path(visit, clustering, solver):
    items, _ = clustering
    result = sl.solve(items.similarity, solver=solver)
    page = visit(report_html(items, result))
    last = len(result.path.alphas) - 1
    check_step(page, result, result.index)
    assert page.locator("#back").is_disabled()
    page.locator("#step").focus()
    frame = page.locator("#blocks")
    before = frame.get_attribute("d")
    page.keyboard.press("Home")
    check_step(page, result, last)
    assert frame.get_attribute("d").count("M") == result.path.n_labels[-1] != before.count("M")
    page.keyboard.press("End")
    check_step(page, result, 0)
    for step in range(1, 6):
        page.keyboard.press("ArrowLeft")
        check_step(page, result, step)
    assert page.locator("#step").get_attribute("aria-valuetext") == (
        f"alpha {result.path.alphas[5]:.3g}"
    )
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    check_step(page, result, result.index)
    assert frame.get_attribute("d") == before


def test_cursor_is_where_the_curve_is(visit, clustering):
    items, result = clustering
    page = visit(report_html(items, result), reduced_motion="reduce")
    page.locator("#step").focus()
    page.keyboard.press("Home")
    for plot in page.locator(".plot").all():
        box, dot = plot.bounding_box(), plot.locator(".dot.cursor").bounding_box()
        middle = dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2
        point = plot.locator("polyline").evaluate("line => line.points[line.points.length - 1].y")
        assert middle[0] == pytest.approx(box["x"], abs=2)
        assert middle[1] == pytest.approx(box["y"] + point / 100 * box["height"], abs=2)


def test_names_from_the_data_are_shown_and_not_run(visit):
    W = np.kron(np.eye(4), np.ones((3, 3)))
    hostile = [
        "<script>alert(1)</script>",
        "</script><script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "<!-- <script>",
        "' onmouseover='alert(1)",
        "a\u2028b",
    ]
    names = [f"{hostile[i % 6]} {i}" for i in range(12)]
    W[0, 11] = W[11, 0] = 0.5
    groups = [f"<b>group</b> {i % 3}" for i in range(12)]
    result = replace(sl.solve(W, groups), confidence=np.linspace(0, 0.9, 12))
    page = visit(report_html(Items(W, names, groups), result, title=hostile[1]))
    assert page.locator("h1").inner_text() == hostile[1]
    assert page.title() == hostile[1]
    assert "<script>alert(1)</script> 0" in page.locator("#least").inner_text()
    assert "<b>group</b> 0" in page.locator("#groups").inner_text()
    page.locator("#step").focus()
    for key in ("Home", "ArrowRight", "End"):
        page.keyboard.press(key)
        page.mouse.move(100, 300)
    page.keyboard.press("Home")
    assert "<script>alert(1)</script> 0" in page.locator("#largest").inner_text()
    assert page.locator("img").count() == 1
    assert page.locator("b", has_text="group").count() == 0


def test_other_scripts_would_not_run(browser, tmp_path, clustering):
    items, result = clustering
    page_text = report_html(items, result).replace(
        "</main>", "<script>window.bad = 1</script></main>"
    )
    (tmp_path / "report.html").write_bytes(page_text.encode())
    context = browser.new_context()
    page = context.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    assert page.evaluate("window.bad === undefined")
    assert page.locator("#control").is_visible()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phone_needs_no_sideways_scrolling(visit, matching, scheme):
    items, result = matching
    long = [f"W{'W' * 80}{i}" for i in range(len(items.groups))]
    groups = [f"{'g' * 70} {group}" for group in items.groups]
    renamed = replace(items, ids=long, groups=groups)
    page = visit(report_html(renamed, result), viewport=PHONE, color_scheme=scheme)
    for width in (PHONE["width"], 320):
        page.set_viewport_size({**PHONE, "width": width})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        wide = page.evaluate(
            """() => [...document.querySelectorAll("main *")].filter((part) => {
                const box = part.getBoundingClientRect();
                return box.width && box.right > innerWidth + 1;
            }).map((part) => part.outerHTML.slice(0, 80))"""
        )
        assert wide == []
    assert page.locator("#least td").first.evaluate("cell => getComputedStyle(cell).display") == (
        "block"
    )
    fonts = page.evaluate(
        """[...document.querySelectorAll("main *")].filter((part) => part.textContent.trim())
            .map((part) => parseFloat(getComputedStyle(part).fontSize))"""
    )
    assert min(fonts) >= 12


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_told_from_their_background(visit, clustering, scheme):
    page = visit(report_html(*clustering), color_scheme=scheme)
    names = ("paper", "panel", "ink", "faint", "blue", "green", "red")
    names += ("blue-ink", "green-ink", "red-ink")
    found = page.evaluate(
        """(names) => names.map((name) =>
            getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim())""",
        names,
    )
    colours = dict(zip(names, found, strict=True))
    assert (luminance(colours["paper"]) > 0.5) == (scheme == "light")
    for background in ("paper", "panel"):
        for name in ("ink", "faint", "blue-ink", "green-ink", "red-ink"):
            assert contrast(colours[name], colours[background]) >= TEXT_CONTRAST, name
        for name in ("blue", "green", "red"):
            assert contrast(colours[name], colours[background]) >= GRAPHIC_CONTRAST, name
    body = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert body == f"rgb({', '.join(str(part) for part in bytes.fromhex(colours['paper'][1:]))})"


def luminance(colour):
    """Relative luminance of a colour such as #0072b2."""
    parts = np.array(list(bytes.fromhex(colour.removeprefix("#")))) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(one, other):
    """Contrast ratio of two colours."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def with_images(matching):
    """A report with matches drawn on images."""
    image = pytest.importorskip("PIL.Image", reason="no Pillow: pip install matplotlib")
    items, result = matching
    file = BytesIO()
    image.new("L", (120, 90), 90).save(file, "PNG")
    positions = np.random.default_rng(0).uniform(5, 85, (len(items.groups), 2))
    images = dict.fromkeys(items.groups, file.getvalue())
    return report_html(items, result, images=images, positions=positions)


def test_page_is_made_for_a_screen_reader(visit, matching):
    page = visit(with_images(matching))
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("h1").count() == page.locator("main").count() == 1
    levels = page.evaluate(
        """[...document.querySelectorAll("h1, h2, h3")].map((part) => Number(part.tagName[1]))"""
    )
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((part) => part.id)")
    assert len(ids) == len(set(ids))
    references = page.evaluate(
        """[...document.querySelectorAll("[aria-labelledby], [for], a, use")].flatMap((part) =>
            (part.getAttribute("aria-labelledby") || part.getAttribute("for")
             || part.getAttribute("href")).replace("#", "").split(" "))"""
    )
    assert set(references) <= set(ids)
    for control in page.locator("input, select, button").all():
        assert control.evaluate(
            "part => part.labels?.length ? part.labels[0].innerText.trim() : part.innerText.trim()"
        )
    faults = page.evaluate(
        """[
            ...[...document.querySelectorAll("table")].filter((part) => !part.caption?.innerText),
            ...document.querySelectorAll("th:not([scope])"),
            ...document.querySelectorAll("img:not([alt]), img[alt='']"),
            ...document.querySelectorAll("svg:not([aria-hidden]):not([role=img])"),
            ...[...document.querySelectorAll("svg[role=img]")].filter(
                (part) => !part.querySelector("title")?.textContent),
            ...document.querySelectorAll("section:not([aria-labelledby]):not([aria-label])"),
        ].map((part) => part.outerHTML.slice(0, 80))"""
    )
    assert faults == []
    assert page.locator("output").get_attribute("aria-live") == "polite"
    snapshot = page.locator("body").aria_snapshot()
    assert 'slider "Move along the sweep (alpha)"' in snapshot
    assert 'combobox "Images"' in snapshot


def test_focus_can_be_seen(visit, clustering):
    page = visit(report_html(*clustering))
    seen = set()
    for _ in range(12):
        page.keyboard.press("Tab")
        outline = page.evaluate(
            """[document.activeElement.tagName + document.activeElement.id,
                getComputedStyle(document.activeElement).outlineStyle]"""
        )
        if outline[0] != "BODY":
            seen.add(tuple(outline))
    assert ("INPUTstep", "solid") in seen
    assert {style for _, style in seen} == {"solid"}


def test_nothing_moves_for_those_who_asked_for_it(visit, clustering):
    page = visit(report_html(*clustering), reduced_motion="reduce")
    style = "getComputedStyle(document.querySelector('.bar')).transitionDuration"
    assert page.evaluate(style) == "0s"
    page = visit(report_html(*clustering), reduced_motion="no-preference")
    assert page.evaluate(style) != "0s"


def test_page_without_scripts_shows_the_chosen_answer(visit, matching):
    items, result = matching
    page = visit(with_images(matching), java_script_enabled=False)
    assert page.locator("#control").is_hidden()
    assert page.get_by_text("needs JavaScript").is_visible()
    check_step(page, result, result.index)
    assert page.locator(".pair:visible").count() == 1
    assert str(result.status) in page.locator(".verdict").inner_text()
    assert f"{len(items.groups)} items" in page.locator(".verdict").inner_text()


def test_images_are_chosen_by_keyboard_and_lines_can_be_hidden(visit, matching):
    page = visit(with_images(matching))
    shown = page.locator(".pair:visible")
    assert shown.count() == 1
    first = shown.get_attribute("id")
    page.locator("#pair-choice").focus()
    page.keyboard.press("Home" if first != "pair-0-1" else "End")
    assert shown.count() == 1
    assert shown.get_attribute("id") == page.locator("#pair-choice").input_value() != first
    page.locator("#pair-choice").select_option(first)
    lines = shown.locator("line.dropped").first
    assert lines.is_visible()
    page.locator("#show-dropped").focus()
    page.keyboard.press("Space")
    assert lines.is_hidden()
    assert page.evaluate("[...document.images].every((image) => image.naturalWidth > 0)")
