"""Groups that hold a thing twice: the warning, and labels that allow for it."""

import numpy as np
import pytest
import scipy.sparse as sp
from support.lists import with_copies
from support.program import invoke

import spherelax as sl


def problem(seed, n_copies):
    """Scores between two sources, the second one with copies; sources and truth."""
    pairs, truth = with_copies(seed, n_copies=n_copies)
    score = pairs.score - pairs.score.min() + 0.1
    half = sp.coo_array((score, (pairs.one, pairs.other)), shape=(len(truth), len(truth)))
    return sp.csr_array(half + half.T), pairs.group, truth


def copied_matching(seed, n_copies):
    """A noisy matching of 10 groups, of which the first has copies with the same matches."""
    W, groups, truth = sl.datasets.make_partial_matching(
        10, 60, observed=0.7, shuffled=0.2, random_state=seed
    )
    chosen = np.random.default_rng(seed).permutation(np.flatnonzero(groups == 0))[:n_copies]
    rows = np.r_[np.arange(len(W)), chosen]
    W = (W - np.eye(len(W)))[np.ix_(rows, rows)]
    W[groups[rows][:, None] == groups[rows]] = 0.0
    return W, groups[rows], truth[rows]


def f_score(truth, labels):
    return sl.metrics.pairwise_scores(truth, labels).f_score


@pytest.mark.parametrize("make", [problem, copied_matching])
def test_clean_groups_lose_nothing(make, seed):
    W, groups, _ = make(seed, 0)
    hard, soft = sl.solve(W, groups), sl.solve(W, groups, one_per_group="unless_copies")
    np.testing.assert_array_equal(hard.labels, soft.labels)


@pytest.mark.parametrize(("make", "n_copies"), [(problem, 60), (copied_matching, 12)])
def test_copies_are_warned_of_and_found(make, n_copies, seed):
    W, groups, truth = make(seed, n_copies)
    with pytest.warns(sl.SphereWarning, match=r"hold a thing once, but about \d+ of the"):
        hard = sl.solve(W, groups)
    soft = sl.solve(W, groups, one_per_group="unless_copies")
    assert f_score(truth, soft.labels) > f_score(truth, hard.labels) + 0.02
    assert len(set(zip(groups.tolist(), hard.labels.tolist(), strict=True))) == len(truth)
    for ours, theirs in zip(soft.duplicates(), hard.duplicates(), strict=True):
        assert (ours.expected, ours.is_clear) == (theirs.expected, theirs.is_clear)
    clean = [found.group for found in soft.duplicates() if not found.is_clear]
    kept = np.isin(groups, clean)  # the sources are numbered in order of first appearance
    places = set(zip(groups[kept].tolist(), soft.labels[kept].tolist(), strict=True))
    assert len(places) == kept.sum()


def test_labels_with_copies_are_judged_as_such(seed):
    """Three items of a label may be the same, though two of them were never compared."""
    W, groups, truth = problem(seed, 60)
    soft = sl.solve(W, groups, one_per_group="unless_copies")
    large = np.flatnonzero(np.bincount(soft.labels) > 2)
    assert len(large) > 15
    is_pure = [len(set(truth[soft.labels == label].tolist())) == 1 for label in large]
    likely = soft.entities().pure[large]
    assert abs(likely.mean() - np.mean(is_pure)) < 0.2
    inside = soft.labels[soft.pairs().items[:, 0]]
    assert soft.pairs().probability[np.isin(inside, large)].min() > 0.0


def test_items_are_added_to_soft_labels(seed):
    W, groups, truth = problem(seed, 60)
    first = np.arange(len(truth)) < len(truth) - 3
    before = sl.solve(W[first][:, first], groups[first], one_per_group="unless_copies")
    after = before.extend(W, groups)
    known = f_score(truth[first], before.labels)
    assert f_score(truth[first], after.labels[first]) > known - 0.03
    facts = [
        [(one.group, one.expected, one.is_clear) for one in each.duplicates()]
        for each in (before, after)
    ]
    assert facts[0] == facts[1]
    assert all(
        np.array_equal(a.pairs, b.pairs)
        for a, b in zip(before.duplicates(), after.duplicates(), strict=True)
    )
    soft = sl.solve(W, groups, one_per_group="unless_copies")
    model = sl.SphereMatching(one_per_group="unless_copies").fit(W, groups=groups)
    np.testing.assert_array_equal(model.labels_, soft.labels)


def test_bad_values():
    W = np.ones((4, 4))
    with pytest.raises(sl.InvalidInputError, match="one of always, unless_copies; found 'firm'"):
        sl.solve(W, one_per_group="firm")
    with pytest.raises(sl.InvalidInputError, match="'unless_copies' needs solver='coordinate'"):
        sl.solve(W, solver="power", one_per_group="unless_copies")


def test_program_and_report_say_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    W, groups, _ = problem(0, 60)
    half = sp.triu(W).tocoo()
    names = [f"{'ab'[group]}{item}" for item, group in enumerate(groups.tolist())]
    rows = zip(half.row.tolist(), half.col.tolist(), half.data.tolist(), strict=True)
    lines = [f"shop,{names[i]},list,{names[j]},{score:.6f}" for i, j, score in rows]
    (tmp_path / "pairs.csv").write_text(
        "source_a,id_a,source_b,id_b,score\n" + "\n".join(lines) + "\n"
    )
    columns = ("--columns", "source_a,id_a,source_b,id_b,score")
    hard = invoke("match", "pairs.csv", *columns, "--out", "hard.csv", "--report", "page.html")
    said = [line for line in hard.stderr.splitlines() if line.startswith("duplicates: about ")]
    assert len(said) == 1
    assert "records in source list seem to be copies of others: " in said[0]
    assert "warning" not in hard.stderr
    assert said[0].removeprefix("duplicates: ") in (tmp_path / "page.html").read_text()
    option = ("--one-per-group", "unless_copies")
    soft = invoke("match", "pairs.csv", *columns, *option, "--out", "soft.csv")
    assert soft.exit_code == 0
    sizes = [
        len({line.split(",")[2] for line in (tmp_path / name).read_text().splitlines()[1:]})
        for name in ("hard.csv", "soft.csv")
    ]
    assert sizes[1] < sizes[0]
    refused = invoke("match", "pairs.csv", *option, "--solver", "power")
    assert "--one-per-group unless_copies needs --solver coordinate" in refused.stderr
