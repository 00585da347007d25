"""The page for everyone: on a phone, in the dark, by keyboard, by a screen reader, on paper."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from support.problems import with_confidence

from spherelax.report import report_html

PHONE = {"width": 390, "height": 844}
# What the guidelines for accessible pages ask for: text, and parts of graphics.
TEXT_CONTRAST, GRAPHIC_CONTRAST = 4.5, 3.0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phone_needs_no_sideways_scrolling(visit, matching, scheme):
    items, result = matching
    long = [f"W{'W' * 80}{i}" for i in range(len(items.groups))]
    groups = [f"{'g' * 70} {group}" for group in items.groups]
    renamed = replace(items, ids=long, groups=groups)
    result = with_confidence(result, np.full(len(long), 0.9))
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
    assert page.locator("#least tr").last.evaluate("row => getComputedStyle(row).display") == (
        "block"
    )
    fonts = page.evaluate(
        """[...document.querySelectorAll("main *")].filter((part) => part.textContent.trim())
            .map((part) => parseFloat(getComputedStyle(part).fontSize))"""
    )
    assert min(fonts) >= 12


def luminance(colour):
    """Relative luminance of a colour such as #0072b2."""
    parts = np.array(list(bytes.fromhex(colour.removeprefix("#")))) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(one, other):
    """Contrast ratio of two colours."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


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


def test_page_is_made_for_a_screen_reader(visit, illustrated):
    page = visit(illustrated)
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
            ...document.querySelectorAll("svg[role=img]:not([aria-label])"),
            ...document.querySelectorAll("section:not([aria-labelledby]):not([aria-label])"),
        ].map((part) => part.outerHTML.slice(0, 80))"""
    )
    assert faults == []
    # The slider says its value itself; a live region would say it again.
    assert page.locator("[aria-live], [role=status], [role=alert], output").count() == 0
    snapshot = page.locator("body").aria_snapshot()
    assert 'slider "Show another step"' in snapshot
    assert 'combobox "Two images"' in snapshot
    assert 'checkbox "dropped similar, but without a common label" [checked]' in snapshot


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


def test_paper_is_white_and_has_no_controls(visit, illustrated):
    page = visit(illustrated, color_scheme="dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    for control in ("nav", "#control", ".chooser >> nth=0", "#show-kept"):
        assert page.locator(control).is_hidden()
    assert page.get_by_text("similar, and with a common label").is_visible()
