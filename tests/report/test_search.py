"""The search of a page: any item by its name or its own columns."""

import base64
import json
import zlib

import numpy as np

import spherelax as sl
from spherelax.io.items import Items
from spherelax.io.readers.pairs import Records
from spherelax.report import report_html
from spherelax.report.case import Case
from spherelax.report.explained import MAX_EXPLAINED, Whys, explain_labels
from spherelax.report.search import search_data


def test_any_item_is_found_also_by_its_own_columns(visit):
    n = MAX_EXPLAINED + 20
    W = np.kron(np.eye(n), np.ones((3, 3)))
    towns = [f"<i>Lund</i> {at}" for at in range(3 * n)]
    items = Records(W, list(range(3 * n)), details={"town": towns})
    result = sl.solve(items.problem)
    page = visit(report_html(items, result))
    explained = {
        item for one in explain_labels(Case.of(items, result), []).labels for item in one.members
    }
    last = max(set(range(3 * n)) - explained)
    page.locator("#search").fill(f"lund</I> {last}")
    assert page.locator("#hits button").inner_text() == f"{last} {towns[last]}"
    page.keyboard.press("Enter")
    found = page.locator("#found").inner_text()
    assert found.startswith(f"{last} is in entity {result.labels[last]}\n")
    assert f"Confidence {result.confidence[last]:.2f}" in found
    assert f"3 records: {last - last % 3}, " in found
    assert page.locator(".why:visible").count() == 0
    first = min(explained)
    page.locator("#search").fill(f"{first}")
    page.keyboard.press("Enter")
    page.locator("#found h3", has_text=f"{first} is in").wait_for()
    assert page.locator(".why:visible").count() == 1


def test_every_item_is_packed_with_its_label(answer):
    items, result = answer
    found = search_data(Case.of(items, result), Whys([]))
    packed = json.loads(zlib.decompress(base64.b64decode(found["packed"])))
    labels = {name: str(label) for name, label in zip(items.names, result.labels, strict=True)}
    numbers = [number for number, size, *_ in packed["labels"] for _ in range(size)]
    assert dict(zip(packed["names"], numbers, strict=True)) == labels
    sure = dict(zip(items.names, np.round(100 * result.confidence), strict=True))
    assert dict(zip(packed["names"], packed["sure"], strict=True)) == sure


def test_of_very_many_items_the_most_doubtful_are_found(monkeypatch):
    monkeypatch.setattr("spherelax.report.search.MAX_FOUND", 6)
    W = np.kron(np.eye(5), np.ones((3, 3)))
    found = search_data(Case.of(Items(W, None), sl.solve(W)), Whys([]))
    packed = json.loads(zlib.decompress(base64.b64decode(found["packed"])))
    assert len(packed["names"]) == 6
    assert found["none"] == "No item of the 6 that can be found here has this name."
