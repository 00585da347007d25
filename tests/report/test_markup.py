"""Pieces of HTML: nothing from the data becomes an element."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spherelax.report.markup import MAX_NAME, bars, name, plain, shortened, table, text
from spherelax.result import percent


class Seen(HTMLParser):
    """Collects elements and text."""

    def __init__(self, content):
        super().__init__()
        self.tags, self.data = [], ""
        self.feed(content)

    def handle_starttag(self, tag, _):
        self.tags.append(tag)

    def handle_data(self, data):
        self.data += data


@given(st.text())
def test_text_is_text(value):
    seen = Seen(f"<p>{text(value)}</p>")
    assert seen.tags == ["p"]
    assert seen.data == plain(value)
    assert Seen(name(value)).tags == ["bdi"]
    assert len(shortened(value)) <= MAX_NAME


@given(st.floats(0, 1))
def test_only_exact_shares_are_nothing_and_all(share):
    said = percent(share)
    assert (said == "0%") == (share == 0)
    assert (said == "100%") == (share == 1)
    if "r" not in said:  # neither under nor over
        assert float(said.rstrip("%")) / 100 == pytest.approx(share, rel=0.06)


def test_tables_name_the_column_of_each_cell():
    found = table("About", ("Name", "Size"), [("a", "1"), ("b", "2")], numbers=(1,), id="t")
    assert found.count('data-head="Size" class="number"') == 2
    assert found.startswith('<table id="t"><caption>About</caption>')


def test_bars_are_as_long_as_their_numbers():
    found = bars("Sizes", ("items", "labels"), [("1", 40), ("2", 10), ("3", 0)])
    for width in ("width:100.0%", "width:25.0%", "width:0.0%"):
        assert width in found
