"""The page of a comparison."""

import numpy as np

import spherelax as sl
from spherelax.changes.page import N_SHOWN


def test_names_cannot_run_and_every_kind_has_a_section():
    before = {"id": list("abcd"), "entity": ["<b>x</b>", "y", "y", "z"]}
    after = {"id": list("abce"), "entity": ["m", "m", "m", "n"]}
    page = sl.diff(before, after).html("June & July")
    assert "<b>x" not in page
    assert "&lt;b&gt;x" in page
    assert "June &amp; July" in page
    for kind in ("merged", "new", "gone"):
        assert f'<h2 id="{kind}">' in page
    assert '<h2 id="kept">' not in page


def test_many_changes_are_cut():
    page = sl.diff(np.arange(300), np.arange(300) // 2).html()
    assert f"The {N_SHOWN} largest of 150." in page
