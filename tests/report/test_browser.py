"""The page in a real browser: read from disk, moved by keyboard, with and without scripts."""

import numpy as np
import pytest
from support.problems import with_confidence

import spherelax as sl
from spherelax.io.items import Items
from spherelax.report import report_html


def numbers(page):
    """The numbers of the step that is shown."""
    places = ("labels", "resolution", "stability")
    read = {place: page.locator(f"#now-{place}").inner_text() for place in places}
    return {place: float(said.replace(",", "")) for place, said in read.items()}


def sizes(page):
    """The number of labels of each size that is shown."""
    cells = page.locator("#sizes .number").all_inner_texts()
    return [int(cell.replace(",", "")) for cell in cells]


def check_step(page, result, index):
    """Compare what is shown with a step of the path."""
    path, labels = result.path, result.path.labels[index]
    n_labels = len(np.unique(labels))
    shown = numbers(page)
    assert shown["labels"] == n_labels
    assert shown["resolution"] == pytest.approx(path.resolutions[index], rel=1e-3)
    assert shown["stability"] == pytest.approx(path.stability[index], abs=0.01)
    expected = np.bincount(np.ceil(np.log2(np.bincount(labels))).astype(int))
    assert sizes(page)[: len(expected)] == expected.tolist()
    assert sum(sizes(page)) == n_labels
    largest = page.locator("#largest tbody tr").first.locator("th").inner_text()
    assert int(largest) == np.bincount(labels).max()
    said = page.locator("#step").get_attribute("aria-valuetext")
    assert said.startswith(f"resolution {path.resolutions[index]:.4g}, {n_labels:,} label")
    assert said.endswith(", chosen") == (index == result.path.picked)
    assert page.locator("#now").text_content() == said


@pytest.mark.parametrize("solver", ["coordinate", "power"])
def test_slider_moves_by_keyboard_through_the_path(visit, clustering, solver):
    items, _ = clustering
    result = sl.solve(items.similarity, solver=solver)
    page = visit(report_html(items, result))
    last = len(result.path.alphas) - 1
    check_step(page, result, result.path.picked)
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
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    check_step(page, result, result.path.picked)
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
    result = with_confidence(sl.solve(W, groups), np.linspace(0, 0.9, 12))
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


def test_names_from_right_to_left_stay_where_they_are(visit):
    W = np.kron(np.eye(3), np.ones((3, 3)))
    arabic = "\u0627\u0633\u0645"
    names = [arabic if at % 2 else f"name {at}" for at in range(9)]
    page = visit(report_html(Items(W, names), sl.solve(W, pick=1.0)))
    page.locator("#step").focus()
    for key in ("ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
        cell = page.locator("#largest tbody tr").first.locator("td").last
        boxes = [name.bounding_box()["x"] for name in cell.locator("bdi").all()]
        assert len(boxes) > 1
        assert boxes == sorted(boxes)


def test_page_without_scripts_shows_the_chosen_answer(visit, matching, illustrated):
    items, result = matching
    page = visit(illustrated, java_script_enabled=False)
    assert page.locator("#control").is_hidden()
    assert page.get_by_text("turn on JavaScript").is_visible()
    check_step(page, result, result.path.picked)
    assert page.locator(".pair:visible").count() == 1
    assert result.status.sentence in page.locator("section", has_text="Numbers").inner_text()
    assert page.locator("#search").is_hidden()
    assert f"{len(items.groups)} items" in page.locator(".verdict").inner_text()


def test_images_are_chosen_by_keyboard_and_lines_can_be_hidden(visit, illustrated):
    page = visit(illustrated)
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
