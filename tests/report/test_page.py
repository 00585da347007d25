"""The page as text: what is embedded, escaped, and left out because it would be too much."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from support.problems import Sure, with_confidence

import spherelax as sl
from spherelax.io.items import Items
from spherelax.report import report_html
from spherelax.report.case import Case
from spherelax.report.dropped import find_dropped
from spherelax.report.inputs import describe_inputs
from spherelax.report.outcome import describe_outcome, least_certain

LIMIT = 5_000_000


def data_of(page):
    """What the script of a page reads."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(found[1])


def cells(page, table):
    """The head and the rows of a table, as text."""
    found = re.search(
        rf'<table id="{table}".*?<thead>(.*?)</thead><tbody>(.*?)</tbody>', page, re.S
    )
    rows = [found[1], *found[2].split("</tr>")[:-1]]
    return [re.findall(r"(?:<bdi>|>)([^<>]*)(?:</bdi>)?</t[hd]>", row) for row in rows]


def planted(n_items, n_labels, rng):
    """Sparse similarities of planted clusters, and the clusters."""
    labels = np.sort(rng.integers(n_labels, size=n_items))
    starts = np.searchsorted(labels, np.arange(n_labels + 1))
    first = np.repeat(np.arange(n_items), 4)
    sizes = np.diff(starts)[labels[first]]
    second = starts[labels[first]] + (rng.random(len(first)) * sizes).astype(int)
    half = sp.coo_array((np.ones(len(first)), (first, second)), shape=(n_items, n_items)).tocsr()
    return ((half + half.T) > 0).astype(float).tocsr(), labels


def test_least_certain_items_are_listed_with_who_else_claims_them(answer):
    items, result = answer
    result = with_confidence(result, np.minimum(result.confidence, 0.99))
    head, *rows = cells(report_html(items, result), "least")
    grouped = ["group"] if items.groups else []
    there = ["other label", "similarity there", "closest item there"]
    assert head == ["item", *grouped, "label", "confidence", "similarity", *there] + (
        ["place there"] if items.groups else []
    )
    expected = least_certain(Case.of(items, result))
    for row, one in zip(rows, expected, strict=True):
        said = dict(zip(head, row, strict=True))
        assert said["item"] == items.names[one.item]
        assert said.get("group") == one.group
        assert float(said["confidence"]) == pytest.approx(one.confidence, abs=0.005)
        assert float(said["similarity"]) == pytest.approx(one.own, rel=0.01)
        if one.other_label is None:
            assert (said["other label"], said["closest item there"]) == ("none", "")
        else:
            assert said["other label"] == one.other_label
            assert said["closest item there"] == items.names[one.witness]
        if items.groups:
            places = {None: ""}.get(one.other_label, "taken" if one.taken else "free")
            assert said["place there"] == places


def test_columns_of_other_labels_are_left_out_where_there_is_none():
    W = np.kron(np.eye(2), np.ones((4, 4)))
    page = report_html(Items(W, None), with_confidence(sl.solve(W), np.full(8, 0.6)))
    assert cells(page, "least")[0] == ["item", "label", "confidence", "similarity"]
    sure = report_html(Items(W, None), with_confidence(sl.solve(W), np.full(8, 0.996)))
    assert "Every item has confidence 1.00." in sure


def test_groups_are_left_out_where_names_begin_with_them(matching):
    items, result = matching
    names = [f"{group}:{at}" for at, group in enumerate(items.groups)]
    result = with_confidence(result, np.full(len(names), 0.9))
    page = report_html(replace(items, ids=names), result)
    assert cells(page, "least")[0][:2] == ["item", "label"]


def test_facts_are_those_that_were_counted(matching):
    items, result = matching
    page = report_html(items, result)
    shown = dict(re.findall(r"<dt>([A-Z].*?)</dt><dd><b>(.*?)</b>", page))
    case = Case.of(items, result)
    inputs, outcome = describe_inputs(case), describe_outcome(case)
    assert shown == {
        "Items": f"{inputs.n_items}",
        "Groups": f"{inputs.n_groups}",
        "Similar pairs": f"{inputs.n_edges}",
        "Connected components": f"{inputs.n_components}",
        "Taken for": "a graph",
        "Number of labels": f"{outcome.n_labels}",
        "Resolution": f"{result.resolution:.4g}",
        "Similarity inside labels": f"{outcome.kept:.0%}",
        "Conflicts resolved": f"{inputs.n_conflicted}",
        "Dropped pairs": f"{len(find_dropped(case).pairs)}",
        "Confidence": f"{outcome.mean_confidence:.2f}",
        "Expected to be wrong": f"{outcome.entities.n_wrong:.0f}",
        "Stability": f"{outcome.stability:.2f}",
    }


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_dense_and_sparse_similarities_give_the_same_page(make, matching):
    items, result = matching
    expected = report_html(items, result)
    assert report_html(replace(items, similarity=make(items.similarity)), result) == expected


@pytest.mark.parametrize("solver", ["coordinate", "power"])
def test_embedded_numbers_are_those_of_the_path(clustering, solver):
    items, _ = clustering
    result = sl.solve(items.similarity, solver=solver)
    data = data_of(report_html(items, result))
    path, stability = result.path, result.path.stability
    assert data["chosen"] == result.path.picked
    assert len(data["steps"]) == len(data["x"]) == len(path.alphas)
    assert data["x"] == sorted(data["x"], reverse=True)
    for step, said in enumerate(step["said"] for step in data["steps"]):
        assert int(said["now-labels"].replace(",", "")) == result.path.n_labels[step]

        assert float(said["now-resolution"]) == pytest.approx(path.resolutions[step], rel=1e-3)
        assert float(said["now-stability"]) == pytest.approx(stability[step], abs=0.01)
        worth = (path.etas if path.savings is None else path.savings)[step]
        assert float(said["now-first"].replace(",", "")) == pytest.approx(worth, rel=0.01, abs=0.6)
        assert data["y"][1][step] == pytest.approx(_place(result.path.n_labels, step), abs=0.1)


def of_points(rng):
    """Labels that were merged between valleys."""
    X = np.repeat([[0, 0], [4, 0]], 150, axis=0) + rng.normal(size=(300, 2))
    model = sl.SphereClustering().fit(X)
    return Items(model.affinity_matrix_, None), model.result_


def of_noise(rng):
    """Labels that are connected components, because all looks like noise."""
    W = np.triu(rng.random((200, 200)) < 0.02, 1)
    return Items((W | W.T).astype(float), None), sl.solve(W | W.T)


def of_many(rng):
    """Labels that were polished after the sweep."""
    W, _ = planted(5000, 400, rng)
    W = W + W.T + sp.random_array((5000, 5000), density=0.0004, rng=rng)
    W = W + W.T
    return Items(W, None), sl.solve(W, pick=5.0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
@pytest.mark.parametrize("make", [of_points, of_noise, of_many])
def test_the_chosen_step_shows_the_labels_of_the_result(make):
    items, result = make(np.random.default_rng(0))
    at = result.path.picked
    assert (result.path.joined is not None) == (make is not of_many)
    page = report_html(items, result)
    data = data_of(page)
    assert data["chosen"] == at
    counted = [len(np.unique(labels)) for labels in result.path.labels]
    assert counted[at] == result.n_labels
    assert f"{result.n_labels:,} label" in re.search(r'class="sentence">(.*?)<', page)[1]
    assert re.search(r'id="now-labels">(.*?)<', page)[1] == f"{result.n_labels:,}"
    for step, given in enumerate(data["steps"]):
        assert int(given["said"]["now-labels"].replace(",", "")) == counted[step]
        assert data["y"][1][step] == pytest.approx(_place(np.array(counted), step), abs=0.1)
        bins = np.ceil(np.log2(np.bincount(result.path.labels[step]))).astype(int)
        assert data["frames"][given["frame"]]["sizes"] == np.bincount(bins).tolist()
    summary = re.search(
        r'aria-label="number of labels over the sweep\. .*? it is (\S+) at the', page
    )[1]
    assert int(summary.replace(",", "")) == result.n_labels


def _place(n_labels, step):
    """Where a number of labels lies below the top of its curve, in percent."""
    log = np.log(n_labels)
    return 8 + 84 * (log.max() - log[step]) / (log.max() - log.min())


def test_absorbed_items_have_a_page_with_one_step(clustering):
    items, result = clustering
    again = result.extend(items.similarity)
    data = data_of(report_html(items, again))
    assert len(data["steps"]) == 1


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
@pytest.mark.parametrize("solver", ["coordinate", "power"])
def test_items_similar_to_nothing_have_a_page(solver):
    W = np.zeros((3, 3))
    page = report_html(Items(W, None), sl.solve(W, solver=solver))
    assert "3 items similar to no other" in page
    assert "Do not rely on these labels yet" in page


def test_many_items_make_a_small_page():
    n_items, n_labels = 100_000, 4000
    W, labels = planted(n_items, n_labels, np.random.default_rng(0))
    steps = [np.arange(n_items), *(labels // 8**step for step in range(5))]
    resolutions = 4096.0 / 8.0 ** np.arange(6)
    path = sl.SweepPath(
        alphas=resolutions / (1 + resolutions),
        etas=np.zeros(6),
        objectives=np.zeros(6),
        labels=tuple(step.astype(np.int32) for step in steps),
        savings=-np.abs(np.arange(6.0) - 1),
        picked=1,
    )
    result = sl.Result(
        status=sl.Status.DESCRIBED,
        kind="graph",
        reading=sl.Reading.RANKED,
        path=path,
        _solved=Sure(
            SimpleNamespace(
                duplicates=lambda: None, entity_probability=lambda _: None, tied=lambda: None
            ),
            np.linspace(0, 1, n_items),
        ),
    )
    names = [f"a rather long name of a record, number {i:06}, <&>" * 3 for i in range(n_items)]
    groups = [f"source {i % 5000}" for i in range(n_items)]
    page = report_html(Items(W, names, groups), result)
    assert len(page.encode()) < LIMIT / 8
    assert f"4,000 labels from {n_items:,} items in 5,000 groups" in page
