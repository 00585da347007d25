"""Whatever the data holds is shown as text, in the page and in what its script reads."""

import json
import re
from io import BytesIO

import numpy as np
import pytest

import spherelax as sl
from spherelax.io.items import Items
from spherelax.report import report_html
from spherelax.report.markup import name, plain, shortened

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    '"><img src=x onerror=alert(3)>',
    "<!-- <script>",
    "' onmouseover='alert(4)",
    "line\u2028separator\u2029and\x00zero\x1bescape",
    "half \ud800 pair",
    "$title ${sections} {0} %s",
    "\u202eturned \u2067around\u2069\u2069",
    "\u0627\u0633\u0645",
    "\U0001f469\u200d\U0001f680 <b>",
]
BROKEN = set("\u2028\u2029\x00\x1b\u202e\u2067\ud800")


def texts(value):
    """All the text in what a script reads."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for part in parts for text in texts(part)]


@pytest.mark.parametrize("where", ["names", "groups", "title", "images"])
def test_text_from_the_data_is_escaped(where):
    n = len(HOSTILE)
    W = np.kron(np.eye(n), np.ones((2, 2)))
    W[0, 2] = W[2, 0] = 0.9
    is_grouped = where in ("groups", "images")
    names = [f"{name}{copy}" for name in HOSTILE for copy in "ab"] if where == "names" else None
    groups = [name for name in HOSTILE for _ in "ab"] if is_grouped else None
    pictures, harmless_pictures = {}, {}
    if where == "images":
        image = pytest.importorskip("PIL.Image", reason="no Pillow: pip install matplotlib")
        file = BytesIO()
        image.new("L", (8, 8)).save(file, "PNG")
        positions = np.zeros((2 * n, 2))
        pictures = {"images": dict.fromkeys(HOSTILE, file.getvalue()), "positions": positions}
        numbers = dict.fromkeys(range(n), file.getvalue())
        harmless_pictures = {"images": numbers, "positions": positions}
    result = sl.solve(W, groups, pick=1.0)
    title = "".join(HOSTILE) if where == "title" else "fine"
    page = report_html(Items(W, names, groups), result, title=title, **pictures)
    page.encode("utf-8")
    assert not BROKEN & set(page)
    tame = Items(W, None, [at // 2 for at in range(2 * n)] if is_grouped else None)
    harmless = report_html(tame, result, title="x", **harmless_pictures)
    for tag in ("<script", "</script", "<img", "<!--", "<b>"):
        assert page.count(tag) == harmless.count(tag)
    assert page.count("onerror") == page.count("&gt;&lt;img src=x onerror") + page.count(
        "\\u003e\\u003cimg src=x onerror"
    )
    assert "alert(1)" in page
    assert "${sections}" in page
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    assert not BROKEN & set("".join(texts(data)))
    if where == "names":
        assert "<script>alert(1)</script>a" in texts(data)


def test_names_keep_what_is_theirs():
    assert (
        plain("\u0627\u0633\u0645 \U0001f469\u200d\U0001f680")
        == "\u0627\u0633\u0645 \U0001f469\u200d\U0001f680"
    )
    assert plain("tab\tline\nend") == "tab line end"
    assert name("\u202e<b>") == "<bdi>\ufffd&lt;b&gt;</bdi>"
    assert len(shortened("x" * 10_000)) == 60
    assert shortened("folder/" * 20 + "7.jpg:41").endswith("/7.jpg:41")
