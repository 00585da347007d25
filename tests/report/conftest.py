"""Answers to report on, and a page that a real browser reads from disk."""

from io import BytesIO

import numpy as np
import pytest
from support.problems import clouds

import spherelax as sl
from spherelax.io.items import Items
from spherelax.report import report_html
from spherelax.report.case import Case


@pytest.fixture
def visit(browser, tmp_path):
    """Open a page from disk, which must then ask for nothing and complain of nothing."""
    contexts, faults = [], []

    def open_page(content, **settings):
        path = tmp_path / f"report{len(contexts)}.html"
        path.write_bytes(content.encode())
        context = browser.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: faults.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (faults.append("dialog"), dialog.dismiss()))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith("data:") or request.url == path.as_uri()
                else faults.append(f"request: {request.url}")
            ),
        )
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture(scope="session")
def clustering():
    """Items without groups: four planted clusters."""
    W, _ = sl.datasets.make_binary_similarity(80, 4, random_state=0)
    return Items(W, [f"item {i}" for i in range(80)]), sl.solve(W)


@pytest.fixture(scope="session")
def matching():
    """Items of eight groups, matched with errors, one group of one item among them."""
    W, groups, _ = sl.datasets.make_partial_matching(
        9, 6, observed=0.8, shuffled=0.3, random_state=0
    )
    n = len(W)
    W = np.block([[W, np.zeros((n, 1))], [np.zeros((1, n)), np.ones((1, 1))]])
    names = [f"group {group}" for group in groups] + ["alone"]
    return Items(W, None, names), sl.solve(W, names)


@pytest.fixture(scope="session")
def two_columns():
    """Points in three clouds, and hostile names of their columns."""
    centres = np.array([[0.0, 100.0], [9.0, 100.0], [0.0, 900.0]])
    return clouds(centres, ["<b>minutes</b>", "wait & see"])


@pytest.fixture(params=["clustering", "matching"])
def answer(request):
    """Both of them."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def given():
    """Make a case with the labels at the resolution of the average similarity."""

    def made(similarity, groups=None, names=None):
        result = sl.solve(similarity, groups, pick=1.0)
        return Case.of(Items(similarity, names, groups), result)

    return made


@pytest.fixture(scope="session")
def illustrated(matching):
    """A report with matches drawn on images."""
    image = pytest.importorskip("PIL.Image", reason="no Pillow: pip install matplotlib")
    items, result = matching
    file = BytesIO()
    image.new("L", (120, 90), 90).save(file, "PNG")
    positions = np.random.default_rng(0).uniform(5, 85, (len(items.groups), 2))
    images = dict.fromkeys(items.groups, file.getvalue())
    return report_html(items, result, images=images, positions=positions)
