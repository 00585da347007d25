"""The numbers of a report against slow and simple ones."""

import json
import re
from dataclasses import replace
from io import BytesIO
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
from spherelax.io.items import Items
from spherelax.report import report_html
from spherelax.report.case import Case
from spherelax.report.inputs import describe_inputs, find_oddities
from spherelax.report.outcome import describe_outcome, least_certain
from spherelax.report.pictures import MAX_IMAGES, make_pictures
from spherelax.report.steps import make_steps, size_bins

LIMIT = 5_000_000


def data_of(page):
    """What the script of a page reads."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(found[1])


def planted(n_items, n_labels, rng):
    """Sparse similarities of planted clusters, and the clusters."""
    labels = np.sort(rng.integers(n_labels, size=n_items))
    starts = np.searchsorted(labels, np.arange(n_labels + 1))
    first = np.repeat(np.arange(n_items), 4)
    sizes = np.diff(starts)[labels[first]]
    second = starts[labels[first]] + (rng.random(len(first)) * sizes).astype(int)
    half = sp.coo_array((np.ones(len(first)), (first, second)), shape=(n_items, n_items)).tocsr()
    return ((half + half.T) > 0).astype(float).tocsr(), labels


def given(similarity, groups=None, names=None):
    """A case with the labels at the resolution of the average similarity."""
    result = sl.solve(similarity, groups, pick=1.0)
    return Case.of(Items(similarity, names, groups), result)


def oddities(similarity, groups=None, names=None):
    """What is odd, by its first words."""
    case = given(similarity, groups, names)
    return {odd.what: odd.examples for odd in find_oddities(case, describe_inputs(case))}


@pytest.fixture(params=["clustering", "matching"])
def answer(request):
    return request.getfixturevalue(request.param)


def test_inputs_are_those_of_a_slow_count(matching):
    items, result = matching
    W, groups = items.similarity, items.groups
    pairs = [(i, j) for i, j in combinations(range(len(W)), 2) if W[i, j] > 0]
    across = [W[i, j] for i, j in pairs if groups[i] != groups[j]]
    found = describe_inputs(Case.of(items, result))
    assert found.n_items == len(W)
    assert found.n_groups == len(set(groups))
    assert found.n_edges == len(across)
    assert found.inside == len(pairs) - len(across)
    assert (found.smallest, found.largest) == (min(across), max(across))
    assert found.median == np.median(across)
    linked = np.linalg.matrix_power(np.eye(len(W)) + (W > 0), len(W)) > 0
    components = {tuple(np.flatnonzero(row)) for row in linked}
    assert found.n_components == len(components)
    assert found.largest_component == max(map(len, components))
    conflicted = [one for one in components if len({groups[i] for i in one}) < len(one)]
    assert found.n_conflicted == len(conflicted) > 0


def test_outcome_is_that_of_a_slow_count(answer):
    items, result = answer
    W, labels = items.similarity, result.labels
    across = W * (1 - np.eye(len(W)))
    if items.groups is not None:
        names = np.array(items.groups)
        across = across * (names[:, None] != names)
    together = labels[:, None] == labels
    found = describe_outcome(Case.of(items, result))
    sizes = np.bincount(labels)
    assert found.n_labels == len(sizes)
    assert (found.n_single, found.largest) == ((sizes == 1).sum(), sizes.max())
    assert found.kept == pytest.approx(across[together].sum() / across.sum(), rel=1e-6)
    assert found.direct == np.count_nonzero(np.triu(across * together))
    assert found.direct + found.implied == np.triu(together, 1).sum()
    assert found.n_unsure == (result.confidence < 0.1).sum()
    assert found.confidence == np.histogram(result.confidence, np.arange(11) / 10)[0].tolist()


def test_conflicts_and_groups_of_a_known_case():
    # a1 - b1 - a2 - b2 is one component with two items of each group.
    W = np.zeros((5, 5))
    for i, j, value in [(0, 1, 3.0), (2, 3, 3.0), (1, 2, 1.0)]:
        W[i, j] = W[j, i] = value
    groups = ["a", "b", "a", "b", "c"]
    case = given(W, groups)
    outcome = describe_outcome(case)
    assert outcome.split == 2
    assert (outcome.n_labels, outcome.n_single) == (3, 1)
    rows = {row.name: row for row in outcome.groups}
    assert outcome.groups[0] == rows["c"] == ("c", 1, 0, 1.0)
    assert rows["a"][:3] == ("a", 2, 2)


def test_free_items_are_in_no_group():
    W = np.kron(np.eye(2), np.ones((3, 3)))
    case = given(W, ["a", None, None, "a", "b", None])
    inputs = describe_inputs(case)
    assert (inputs.n_groups, inputs.n_free, inputs.inside) == (2, 3, 0)
    assert {row.name for row in describe_outcome(case).groups} == {"a", "b"}


def test_least_certain_items_and_their_strongest_other_claim(answer):
    items, result = answer
    case = Case.of(items, result)
    rows = least_certain(case)
    worst = np.sort(result.confidence)
    assert [row.confidence for row in rows] == worst[worst < 1][:25].tolist()
    entries = case.graph.values, case.graph.indices, case.graph.indptr
    graph = case.scale * sp.csr_array(entries, shape=(case.n_items,) * 2).toarray()
    for row in rows:
        item = items.names.index(row.name)
        sums = np.bincount(result.labels, weights=graph[item])
        assert row.label == result.labels[item]
        assert row.own == pytest.approx(sums[row.label])
        sums[row.label] = -1
        assert row.other == pytest.approx(max(sums.max(), 0))
        if row.other_label is not None:
            witness = items.names.index(row.witness)
            assert sums[row.other_label] == pytest.approx(sums.max())
            assert result.labels[witness] == row.other_label
            assert graph[item, witness] > 0
            held = np.flatnonzero(result.labels == row.other_label)
            if items.groups is not None:
                taken = items.groups[item] in [items.groups[i] for i in held]
                assert row.taken == taken


def test_every_oddity_is_found_and_only_where_it_is():
    W = np.kron(np.eye(2), np.ones((4, 4)))
    assert oddities(W) == {}
    alone = W.copy()
    alone[7, :7] = alone[:7, 7] = 0
    assert oddities(alone) == {"1 item similar to no other": ["7"]}
    huge = W.copy()
    huge[1, 2] = huge[2, 1] = 150
    expected = {"1 pair over 100 times as similar as the median pair": ["1 and 2"]}
    assert oddities(huge) == expected
    names = ["Ann", "b", "c", "d", "e", "f", "g", " ANN"]
    assert oddities(W, names=names) == {"1 item named like another": [" ANN"]}
    assert oddities(W, groups=[0, 1, 2, 3, 0, 1, 2, 3]) == {}
    two = oddities(W, groups=[0, 1, 2, 3, 0, 1, 2, 9])
    assert two == {"2 groups of one item": ["3", "9"]}
    inside = oddities(W, groups=[0, 0, 2, 3, 1, 1, 2, 3])
    assert inside["2 pairs of one group similar to each other"] == ["0 and 1", "4 and 5"]
    assert inside["2 connected components with two items of one group"] == [
        "4 items around 0",
        "4 items around 4",
    ]


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_dense_and_sparse_similarities_give_the_same_page(make, matching):
    items, result = matching
    expected = report_html(items, result)
    assert report_html(replace(items, similarity=make(items.similarity)), result) == expected


def test_frames_show_each_step_sorted_by_label(answer):
    items, result = answer
    image = pytest.importorskip("PIL.Image", reason="no Pillow: pip install matplotlib")
    steps = make_steps(Case.of(items, result))
    assert len(steps.of_step) == len(result.path.labels)
    for labels, at in zip(result.path.labels, steps.of_step, strict=True):
        frame, sizes = steps.frames[at], np.bincount(labels)
        expected = np.bincount(np.ceil(np.log2(sizes)).astype(int))
        assert frame.sizes == expected.tolist()
        assert [row.size for row in frame.listed] == [
            size for size in sorted(sizes, reverse=True)[:8] if size > 1
        ]
        for row in frame.listed:
            assert len(set(labels[row.members])) == 1
            (members,) = np.nonzero(labels == labels[row.members[0]])
            pairs = [items.similarity[i, j] > 0 for i, j in combinations(members, 2)]
            assert row.direct == pytest.approx(np.mean(pairs))
        n_cells = min(frame.n_shown, 96)
        assert image.open(BytesIO(frame.picture)).size == (n_cells, n_cells)
    same = [
        np.array_equal(a, b)
        for a, b in zip(result.path.labels, result.path.labels[1:], strict=False)
    ]
    assert len(steps.frames) == 1 + same.count(False)


def test_picture_shows_similarities_in_their_order():
    image = pytest.importorskip("PIL.Image", reason="no Pillow: pip install matplotlib")
    W = np.zeros((5, 5))
    W[:3, :3] = 2.0
    W[3:, 3:] = 1.0
    np.fill_diagonal(W, 7.0)
    shuffle = [3, 0, 4, 1, 2]
    case = given(W[np.ix_(shuffle, shuffle)])
    steps = make_steps(case)
    frame = steps.frames[steps.of_step[case.result.index]]
    assert frame.ends == [0.6, 1.0]
    alpha = np.asarray(image.open(BytesIO(frame.picture)).convert("RGBA"))[..., 3]
    expected = np.kron(np.eye(2), np.ones((3, 3)))[:5, :5] * (1 - np.eye(5)) * 255
    expected[3:, 3:] = np.array([[0, 136], [136, 0]])  # half of the fullest, in 16 shades
    np.testing.assert_array_equal(alpha, expected)


def test_cells_of_several_items_leave_out_the_items_themselves():
    image = pytest.importorskip("PIL.Image", reason="no Pillow: pip install matplotlib")
    case = given(np.kron(np.eye(2), np.ones((100, 100))))
    steps = make_steps(case)
    frame = steps.frames[steps.of_step[case.result.index]]
    alpha = np.asarray(image.open(BytesIO(frame.picture)).convert("RGBA"))[..., 3]
    np.testing.assert_array_equal(alpha, 255 * np.kron(np.eye(2), np.ones((48, 48))))


def test_the_largest_of_many_labels_are_shown():
    W, labels = planted(1200, 12, np.random.default_rng(0))
    case = given(W)
    steps = make_steps(case)
    assert case.result.n_labels == 12
    frame = steps.frames[steps.of_step[case.result.index]]
    assert (frame.n_shown, frame.n_labels_shown) == (1200, 12)
    assert frame.ends[0] == np.bincount(labels).max() / 1200
    finest = steps.frames[steps.of_step[0]]
    assert finest.n_shown >= 480 or finest.n_labels_shown <= 60


def test_size_bins_name_what_they_hold():
    assert size_bins(1) == ["1"]
    assert size_bins(5) == ["1", "2", "3-4", "5-8", "9-16"]


@pytest.mark.parametrize("solver", ["coordinate", "power"])
def test_embedded_numbers_are_those_of_the_path(clustering, solver):
    items, _ = clustering
    result = sl.solve(items.similarity, solver=solver)
    data = data_of(report_html(items, result))
    path = result.path
    assert data["chosen"] == result.index
    assert len(data["steps"]) == len(data["x"]) == len(path.alphas)
    assert data["x"] == sorted(data["x"], reverse=True)
    for step, said in enumerate(step["said"] for step in data["steps"]):
        assert int(said["now-labels"].replace(",", "")) == path.n_labels[step]
        assert float(said["now-alpha"]) == pytest.approx(path.alphas[step], rel=1e-3)
        assert float(said["now-resolution"]) == pytest.approx(path.resolutions[step], rel=1e-3)
        assert float(said["now-stability"]) == pytest.approx(path.stability[step], abs=0.01)
        worth = (path.etas if path.savings is None else path.savings)[step]
        assert float(said["now-worth"].replace(",", "")) == pytest.approx(worth, rel=0.01, abs=0.6)
        assert data["y"][1][step] == pytest.approx(_place(path.n_labels, step), abs=0.1)


def _place(n_labels, step):
    """Where a number of labels lies below the top of its curve, in percent."""
    log = np.log(n_labels)
    return 8 + 84 * (log.max() - log[step]) / (log.max() - log.min())


HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    '"><img src=x onerror=alert(3)>',
    "<!-- <script>",
    "line\u2028separator\u2029and\x00zero\x1bescape",
    "half \ud800 pair",
    "$title ${sections} {0} %s",
]


@pytest.mark.parametrize("where", ["names", "groups", "title"])
def test_text_from_the_data_is_escaped(where):
    W = np.kron(np.eye(7), np.ones((2, 2)))
    W[0, 2] = W[2, 0] = 0.9
    names = [f"{name}{copy}" for name in HOSTILE for copy in "ab"] if where == "names" else None
    groups = [name for name in HOSTILE for _ in "ab"] if where == "groups" else None
    result = sl.solve(W, groups, pick=1.0)
    title = "".join(HOSTILE) if where == "title" else "fine"
    page = report_html(Items(W, names, groups), result, title=title)
    page.encode("utf-8")
    assert not set("\u2028\u2029\x00\x1b") & set(page)
    harmless = report_html(Items(W, None, groups and list("aabbccddeeffgg")), result, title="x")
    for tag in ("<script", "</script", "<img", "<!--"):
        assert page.count(tag) == harmless.count(tag)
    assert "alert(1)" in page
    assert "${sections}" in page


def test_verdict_says_what_to_make_of_it(clustering):
    items, result = clustering
    page = report_html(items, result)
    sentence = re.search(r'<p class="sentence">(.*?)</p>', page)[1]
    assert sentence.startswith(f"{result.n_labels} labels for 80 items, ")
    assert 'class="verdict clear"' in page
    unsure = replace(result, confidence=np.r_[np.zeros(40), np.ones(40)])
    page = report_html(items, unsure)
    assert 'class="verdict doubtful"' in page
    assert "but for 50% of the items another label is nearly as good." in page
    odd = replace(result, status=sl.Status.INTERRUPTED)
    page = report_html(items, odd)
    assert 'class="verdict odd"' in page
    assert str(sl.Status.INTERRUPTED) in page


def test_absorbed_items_have_a_page_with_one_step(clustering):
    items, result = clustering
    again = sl.solve(items.similarity, start=result)
    data = data_of(report_html(items, again))
    assert len(data["steps"]) == 1


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
@pytest.mark.parametrize("solver", ["coordinate", "power"])
def test_items_similar_to_nothing_have_a_page(solver):
    W = np.zeros((3, 3))
    page = report_html(Items(W, None), sl.solve(W, solver=solver))
    assert "3 items similar to no other" in page
    assert "nothing to rely on yet" in page


def test_many_items_make_a_small_page():
    n_items, n_labels = 100_000, 4000
    W, labels = planted(n_items, n_labels, np.random.default_rng(0))
    steps = [np.arange(n_items), *(labels // 2**step for step in range(12))]
    resolutions = 4096.0 / 2.0 ** np.arange(13)
    path = sl.Path(
        alphas=resolutions / (1 + resolutions),
        etas=np.zeros(13),
        objectives=np.zeros(13),
        labels=tuple(step.astype(np.int32) for step in steps),
        savings=-np.abs(np.arange(13.0) - 1),
    )
    result = sl.Result(
        labels=path.labels[1],
        alpha=float(path.alphas[1]),
        status=sl.Status.DESCRIBED,
        confidence=np.linspace(0, 1, n_items),
        path=path,
        index=1,
        right=None,
        left=None,
        max_universe=n_items,
        source=None,
    )
    names = [f"a rather long name of a record, number {i:06}, <&>" * 3 for i in range(n_items)]
    groups = [f"source {i % 5000}" for i in range(n_items)]
    page = report_html(Items(W, names, groups), result)
    assert len(page.encode()) < LIMIT / 10
    assert f"4,000 labels for {n_items:,} items" in page


def png(size, value=128):
    """An image file."""
    image = pytest.importorskip("PIL.Image", reason="no Pillow: pip install matplotlib")
    file = BytesIO()
    image.new("L", size, value).save(file, "PNG")
    return file.getvalue()


def test_matches_on_images_are_kept_added_or_dropped():
    # One thing in three images, matched along a chain; a second one, matched wrongly to the first.
    W = np.zeros((5, 5))
    for i, j, value in [(0, 1, 5.0), (1, 2, 5.0), (3, 4, 5.0), (0, 4, 0.1)]:
        W[i, j] = W[j, i] = value
    groups = ["a", "b", "c", "a", "b"]
    positions = np.array([[0, 0], [10, 20], [30, 40], [50, 60], [1279, 639]], dtype=float)
    case = given(W, groups)
    assert case.result.labels.tolist() == [0, 0, 0, 1, 1]
    images = {"a": png((640, 480)), "b": png((1280, 640)), "c": png((64, 48)), "d": b"unread"}
    pictures = make_pictures(case, images, positions)
    assert [one.group for one in pictures.thumbnails] == ["a", "b", "c"]
    assert [(one.width, one.height) for one in pictures.thumbnails] == [
        (640, 480),
        (640, 320),
        (64, 48),
    ]
    pairs = {(pair.first, pair.second): pair for pair in pictures.pairs}
    assert pairs[0, 1].counts == {"kept": 2, "added": 0, "dropped": 1}
    assert pairs[0, 2].counts == {"kept": 0, "added": 1, "dropped": 0}
    assert pairs[0, 2].ends.tolist() == [[0.5, 0.5, 30.5, 40.5]]
    dropped = pairs[0, 1].ends[pairs[0, 1].kinds.index("dropped")]
    assert dropped.tolist() == [0.5, 0.5, 639.75, 319.75]


def test_only_some_images_are_embedded(matching):
    items, result = matching
    n_items = len(items.groups)
    rng = np.random.default_rng(0)
    positions = rng.uniform(0, 100, (n_items, 2))
    positions[0] = np.nan
    images = {group: png((120, 100)) for group in set(items.groups)}
    case = Case.of(items, result)
    pictures = make_pictures(case, images, positions)
    assert pictures.n_images == len(images) > MAX_IMAGES == len(pictures.thumbnails)
    for pair in pictures.pairs:
        left, right = (pictures.thumbnails[at].group for at in (pair.first, pair.second))
        placed = [i for i in range(1, n_items) if items.groups[i] in (left, right)]
        lines = [
            (items.similarity[i, j] > 0, result.labels[i] == result.labels[j])
            for i, j in combinations(placed, 2)
            if items.groups[i] != items.groups[j]
        ]
        expected = {"kept": (True, True), "added": (False, True), "dropped": (True, False)}
        assert pair.counts == {kind: lines.count(value) for kind, value in expected.items()}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"images": {0: b""}}, "images and positions need each other"),
        (
            {"images": {0: b"no image"}, "positions": np.zeros((4, 2))},
            "that of group '0' cannot be read",
        ),
        ({"images": {0: b""}, "positions": np.zeros((4, 2))}, "that of group '0' cannot be read"),
        ({"images": {9: b""}, "positions": np.zeros((4, 2))}, "images must have a group"),
        ({"images": {0: b""}, "positions": np.zeros(4)}, r"positions must have shape \(4, 2\)"),
    ],
)
def test_images_that_cannot_be_used_are_refused(settings, message):
    W = np.ones((4, 4))
    items = Items(W, None, [0, 0, 1, 1])
    result = sl.solve(W, items.groups)
    with pytest.raises(sl.InvalidInputError, match=message):
        report_html(items, result, **settings)


def test_images_need_groups_and_a_result_its_items(clustering):
    items, result = clustering
    with pytest.raises(sl.InvalidInputError, match="images need groups"):
        report_html(items, result, images={0: b""}, positions=np.zeros((80, 2)))
    with pytest.raises(sl.InvalidInputError, match="that of the 79 items; found 80 labels"):
        report_html(Items(items.similarity[1:, 1:], None), result)


def test_matches_of_the_house_are_drawn_on_its_frames(data_home):
    pytest.importorskip("PIL.Image", reason="no Pillow: pip install matplotlib")
    data = sl.datasets.load_house(10, data_home=data_home)
    groups = [data.images[group].name for group in data.groups]
    images = {path.name: path.read_bytes() for path in data.images}
    result = sl.solve(data.similarity, groups)
    items = Items(data.similarity, None, groups)
    pictures = make_pictures(Case.of(items, result), images, data.positions)
    for pair in pictures.pairs:
        assert pair.counts["kept"] + pair.counts["dropped"] == 30  # each match is a permutation
    page = report_html(items, result, images=images, positions=data.positions)
    assert page.count("data:image/jpeg;base64,") == MAX_IMAGES
    assert len(page.encode()) < LIMIT / 5
