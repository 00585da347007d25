"""The frame of a page."""

import base64
import hashlib
import json
import re

from spherelax.report.layout import Section, render


def test_sections_are_in_the_contents_and_in_order():
    page = render("a < b", [Section("one", "First", "<p>1</p>"), Section("two", "Second", "2")])
    assert re.findall(r'<a href="#(\w+)">(\w+)</a>', page) == [("one", "First"), ("two", "Second")]
    assert page.index("<p>1</p>") < page.index("</h2>2</section>")
    assert "<title>a &lt; b" in page


def test_only_the_script_of_the_page_may_run():
    script = "document.title = 'x';"
    page = render("t", [], script=script, data={"name": "</script>"})
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"sha256-{hashed}" in page
    assert json.dumps("</script>") not in page
    assert "\\u003c/script\\u003e" in page
