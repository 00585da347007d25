"""Problems that are solved like an earlier one."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.problems import candidates, quiet_solve

import lawful
import spherelax as sl
from spherelax.coordinate.like import solve_like
from spherelax.io import Items, Records

some = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
seeds = st.integers(0, 2**32 - 1)
families = st.sampled_from(list(lawful.FAMILIES))
WITHOUT_POINTS = [name for name in lawful.FAMILIES if name != "points"]


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SphereWarning)
        yield


def named(case, items=None, kind=None):
    """The problem of some items of a case, all of them by default, which are named."""
    items = np.arange(case.n_items) if items is None else items
    part = case.taken(items)
    groups = None if part.groups is None else part.groups.tolist()
    names = [f"item {name}" for name in items.tolist()]
    return Items(part.W, names, groups, kind=kind or case.kind).problem


def part_of(case, rng, share):
    """Some items of a case, among which some two are similar, in random order."""
    while True:
        items = rng.permutation(case.n_items)[: max(4, int(share * case.n_items))]
        part = case.taken(items)
        if part.W.max() > 0:
            return items


@some
@given(seed=seeds, family=families)
def test_beside_an_unrelated_problem_labels_stay(seed, family):
    """Those of known components, of components that have grown, and of new ones."""
    rng = np.random.default_rng(seed)
    case = lawful.make_case(rng, family)
    n_known = max(4, int(rng.uniform(0.5, 1.0) * case.n_items))
    known = case.taken(np.arange(n_known))
    if known.W.max() == 0:
        return
    earlier, among = known.solve(), lawful.beside(case, rng)
    alone = sl.solve(case.W, case.groups, like=earlier)
    both = sl.solve(among.W, among.groups, like=earlier)
    assert lawful.are_same(alone.labels, both.labels[: case.n_items])


@some
@given(seed=seeds, family=families)
def test_components_without_anything_new_keep_their_labels(seed, family):
    rng = np.random.default_rng(seed)
    case = lawful.make_case(rng, family)
    earlier, among = case.solve(), lawful.beside(case, rng)
    after = earlier.extend(among.W, among.groups)
    assert lawful.are_same(earlier.labels, after.labels[: case.n_items])


@some
@given(seed=seeds, family=st.sampled_from(WITHOUT_POINTS))
def test_what_is_forgotten_was_never_there(seed, family):
    """As a run that never saw it, given what was learnt; whatever the order of its items."""
    rng = np.random.default_rng(seed)
    case = lawful.make_case(rng, family)
    earlier = sl.solve(named(case))
    if earlier.kind in ("points", "neighbors"):
        return
    left = part_of(case, rng, rng.uniform(0.5, 0.95))
    gone = np.setdiff1d(np.arange(case.n_items), left)
    found = earlier.forget([f"item {item}" for item in gone])
    again = sl.solve(named(case, left, earlier.kind), like=earlier)
    order = np.argsort(left)
    assert lawful.are_same(found.labels, again.labels[order])
    np.testing.assert_allclose(found.confidence, again.confidence[order], atol=1e-6)


@some
@given(seed=seeds, family=st.sampled_from(WITHOUT_POINTS))
def test_labels_know_nothing_of_what_is_forgotten(seed, family):
    """Whatever labels their components had before, these are the same afterwards."""
    rng = np.random.default_rng(seed)
    case = lawful.make_case(rng, family)
    problem = named(case)
    earlier = sl.solve(problem)
    left = np.sort(part_of(case, rng, rng.uniform(0.5, 0.95)))
    rest, known, alpha = problem.among(left), earlier._solved.known(), earlier.path.alpha
    W = sp.coo_array(case.W)
    if problem.groups is not None:  # pairs inside groups do not count
        apart = problem.groups[W.row] != problem.groups[W.col]
        W = sp.coo_array((W.data[apart], (W.row[apart], W.col[apart])), shape=W.shape)
    W = sp.csr_array(W)
    is_lost = np.isin(left, W[np.setdiff1d(range(case.n_items), left)].indices)
    component = sp.csgraph.connected_components(W[left][:, left])[1]
    is_touched = np.isin(component, component[is_lost])
    odd = np.zeros_like(earlier.labels) if problem.groups is None else np.arange(case.n_items)
    one, other = (
        solve_like(rest, known, labels.astype(np.int32), alpha).labels[is_touched]
        for labels in (earlier.labels, odd)
    )
    assert lawful.are_same(one, other)


def test_places_are_names_where_items_have_none(seed):
    W, groups, _ = sl.datasets.make_partial_matching(9, 6, shuffled=0.2, random_state=seed)
    gone = [3, 11]
    left = np.setdiff1d(np.arange(len(groups)), gone)
    result = quiet_solve(W, groups)
    there = sl.solve(Items(W, list(range(len(W))), groups.tolist()).problem).forget(gone)
    np.testing.assert_array_equal(result.forget(gone).labels, there.labels)
    again = result.forget(gone).extend(W[left][:, left], groups[left])
    np.testing.assert_array_equal(again.labels, there.labels)


def test_names_are_known_again_in_any_order(seed):
    W, truth = candidates(seed=seed)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(truth))
    first = np.sort(order[: len(truth) * 9 // 10])
    earlier = sl.solve(Items(W[first][:, first], first.tolist(), kind="pairs").problem)
    labels = [
        sl.solve(Items(W[each][:, each], each.tolist(), kind="pairs").problem, like=earlier).labels
        for each in (np.r_[first, np.setdiff1d(order, first)], order)
    ]
    place = np.argsort(np.r_[first, np.setdiff1d(order, first)])
    assert lawful.are_same(labels[0][place], labels[1][np.argsort(order)])


def test_a_list_may_grow_in_any_number_of_steps(seed):
    """Labels are those of the hierarchy at the level of the first run, whatever came when."""
    W, _ = candidates(seed=seed)
    first, some_more = (len(range(W.shape[0])) * share // 10 for share in (6, 8))
    earlier = sl.solve(W[:first, :first], kind="pairs")
    between = earlier.extend(W[:some_more, :some_more])
    assert lawful.are_same(between.extend(W).labels, earlier.extend(W).labels)


def test_judgements_stay(seed):
    W, _ = candidates(seed=seed)
    n = W.shape[0] * 9 // 10
    result = sl.solve(W[:n, :n], kind="pairs")
    a, b = result.pairs().items[-1].tolist()
    judged = result.judge([(a, b, "different"), (0, n - 1, "same")])
    assert a > 0
    for grown in (judged.extend(W), pickle.loads(pickle.dumps(judged)).extend(W)):
        assert grown.labels[a] != grown.labels[b]
        assert grown.labels[0] == grown.labels[n - 1]
    same = sl.solve(W, like=judged, judgements=[(b, a, "same")])
    assert same.labels[a] == same.labels[b]
    assert same.labels[0] == same.labels[n - 1]
    less = judged.forget([a])
    assert less.labels[0] == less.labels[n - 2]
    assert less._solved.known().kept.pairs.tolist() == [[0, n - 2]]


def test_what_stays_cannot_be_asked_for():
    W = np.kron(np.eye(2), np.ones((4, 4)))
    earlier = sl.solve(W)
    for name, value in {
        "kind": "pairs",
        "pick": 1.0,
        "solver": "power",
        "one_per_group": "unless_copies",
    }.items():
        with pytest.raises(sl.InvalidInputError, match=f"^{name} stays what it was in like"):
            sl.solve(W, like=earlier, **{name: value})
    with pytest.raises(sl.InvalidInputError, match=r"^like must be a Result; found ndarray"):
        sl.solve(W, like=W)
    with pytest.raises(
        sl.InvalidInputError, match=r"^like needs a result of the coordinate solver"
    ):
        sl.solve(W, like=sl.solve(W, solver="power"))


def test_copies_still_share_labels(seed):
    groups = np.r_[np.zeros(12, int), np.arange(8).repeat(12)]
    things = np.tile(np.arange(12), 9)
    W = sp.csr_array((things[:, None] == things) - np.eye(len(things)))
    names = [f"{place}" for place in range(len(things))]
    order = np.random.default_rng(seed).permutation(len(things))[:100]
    earlier = sl.solve(Items(W, names, groups.tolist()).problem, one_per_group="unless_copies")
    some_names = [names[item] for item in order]
    rest = Items(W[order][:, order], some_names, groups[order].tolist()).problem
    found = sl.solve(rest, like=earlier)
    assert lawful.are_same(found.labels, things[order])
    (clear,) = [one for one in found.duplicates() if one.is_clear]
    assert set(groups[order][clear.pairs].ravel()) == {0}
    assert clear.n_items == np.count_nonzero(groups[order] == 0)


def test_names_that_are_the_same_are_not_mixed_up():
    """Text and numbers are the same name; sources tell records apart."""
    sources, ids = ["a b", "a", "x"], ["c", "b c", 1]
    records = Records(np.ones((3, 3)), ids, None, sources)
    assert len(set(records.names)) == 2
    assert len(set(records.problem.names.tolist())) == 3
    other = Records(np.ones((3, 3)), ["c", "b c", "1"], None, sources)
    np.testing.assert_array_equal(records.problem.names, other.problem.names)


def test_items_of_one_group_leave_their_label():
    """Where groups are new; other components rest."""
    W = np.kron(np.eye(3), np.ones((4, 4)))
    groups = [0, 1, 2, 2, *range(3, 11)]
    labels = sl.solve(W, kind="graph").extend(W, groups).labels
    assert labels[2] != labels[3]
    np.testing.assert_array_equal(labels[4:] - labels[4], [0] * 4 + [1] * 4)


def test_a_list_that_cannot_tell_goes_on_to_join_nothing(seed):
    """The level at which nothing is joined is next to one at which something is."""
    rng = np.random.default_rng(seed)
    half = np.triu(rng.uniform(0.3, 0.7, (60, 60)) * (rng.random((60, 60)) < 0.2), 1)
    W = sp.csr_array(half + half.T)
    earlier = sl.solve(W[:55, :55], kind="pairs")
    assert earlier.status == sl.Status.NOISE
    assert earlier.extend(W).n_labels == 60
