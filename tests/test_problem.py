"""Input is checked once, before any work; bad input gets one clear sentence."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import spherelax as sl
from spherelax.power import sweep as power
from spherelax.problem import Problem
from spherelax.settings import SOLVERS

GOOD = np.array([[0.0, 1.0, 0.2], [1.0, 0.0, 0.0], [0.2, 0.0, 0.0]])


def with_entry(value, symmetric=True):
    W = GOOD.copy()
    W[0, 1] = value
    if symmetric:
        W[1, 0] = value
    return W


BAD_SIMILARITY = {
    "not a matrix": (np.ones(4), r"square matrix; found shape \(4,\)"),
    "not square": (np.ones((3, 4)), r"square matrix; found shape \(3, 4\)"),
    "three axes": (np.ones((2, 2, 2)), r"square matrix; found shape \(2, 2, 2\)"),
    "ragged": ([[1, 2], [3]], "rows of different lengths"),
    "asymmetric": (
        with_entry(0.25, symmetric=False),
        r"largest \|W - W.T\| is 7.5e-01, at items 0",
    ),
    "NaN": (with_entry(np.nan), "finite; found NaN"),
    "infinite": (with_entry(np.inf), "finite; found infinity"),
    "negative": (with_entry(-0.5), "non-negative; smallest value is -0.5"),
    "empty": (np.empty((0, 0)), "at least two items; found none"),
    "single item": (np.ones((1, 1)), "at least two items; found one"),
    "complex": (GOOD.astype(complex), "real numbers; found dtype complex128"),
    "object": (GOOD.astype(object), "real numbers; found dtype object"),
    "text": (GOOD.astype(str), "real numbers; found dtype <U32"),
}


@pytest.mark.parametrize("name", BAD_SIMILARITY)
def test_bad_similarity(name):
    W, message = BAD_SIMILARITY[name]
    with pytest.raises(sl.InvalidInputError, match=f"^similarity must .*{message}"):
        sl.solve(W)


@pytest.mark.parametrize(
    "name",
    ["not square", "asymmetric", "NaN", "infinite", "negative", "empty", "single item", "complex"],
)
@pytest.mark.parametrize("kind", [sp.csr_array, sp.coo_matrix])
def test_bad_sparse_similarity(name, kind):
    W, message = BAD_SIMILARITY[name]
    with pytest.raises(sl.InvalidInputError, match=f"^similarity must .*{message}"):
        sl.solve(kind(W))


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([0, 1], "one label per item, 3; found 2"),
        ([], "one label per item, 3; found 0"),
        ([0.0, 1.0, np.nan], r"no missing values; found nan at 2 \(None marks an item without"),
        (pd.Series(["a", pd.NA, "b"], dtype=object), "no missing values; found <NA> at 1"),
        (pd.Series(pd.to_datetime(["2020", None, "2021"])), "no missing values; found NaT at 1"),
        (np.array(["2020", "NaT", "2021"], dtype="M8[D]"), "no missing values; found .*NaT.* at 1"),
        ({"x", "y", "z"}, "a sequence, one label per item; found a set"),
        ({0: "x", 1: "x", 2: "y"}, "a sequence, one label per item; found a dict"),
        ([0, [1], 2], r"one hashable label per item; found \[1\] at 1"),
        (5, "sequence of labels; found 5"),
        ("abc", "sequence of labels; found 'abc'"),
        (b"abc", "sequence of labels; found b'abc'"),
        (np.zeros((3, 2)), "one hashable label per item"),
    ],
)
def test_bad_groups(groups, message):
    with pytest.raises(sl.InvalidInputError, match=f"^groups must .*{message}"):
        sl.solve(GOOD, groups)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("pick", 0, "a finite number > 0"),
        ("pick", -1.0, "a finite number > 0"),
        ("pick", np.nan, "a finite number > 0"),
        ("pick", np.inf, "a finite number > 0"),
        ("pick", True, "a finite number > 0"),
        ("pick", "best", "one of description, eta, stability or a resolution"),
        ("n_jobs", 0, "an integer >= 1"),
        ("n_jobs", -2, "an integer >= 1"),
        ("n_jobs", 1.0, "an integer >= 1"),
        ("solver", "magic", "one of 'coordinate', 'power', or an instance of Coordinate or Power"),
        ("solver", None, "one of 'coordinate', 'power', or an instance of Coordinate or Power"),
        ("solver", sl.Power, "one of 'coordinate', 'power', or an instance of Coordinate or Power"),
    ],
)
def test_bad_settings(name, value, expected):
    with pytest.raises(sl.InvalidInputError, match=f"^{name} must be {expected}; found"):
        sl.solve(GOOD, **{name: value})


@pytest.mark.parametrize("name", ["n_steps", "max_universe", "max_labels", "kappa"])
def test_settings_of_a_solver_are_no_settings_of_solve(name):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        sl.solve(GOOD, **{name: 5})


def test_fewer_labels_than_items_in_a_group():
    message = "^max_labels must be at least the size of the largest group, 2; found 1$"
    with pytest.raises(sl.InvalidInputError, match=message):
        sl.solve(GOOD, ["a", "b", "a"], solver=sl.Power(max_labels=1))


@pytest.mark.parametrize(
    ("scales", "settings", "message"),
    [
        (None, {"groups": list("aba")}, "^a NeighborGraph must be solved without groups"),
        (
            None,
            {"kind": "pairs"},
            "^kind of a NeighborGraph .* 'graph'; found 'pairs'$",
        ),
        ([1, 1], {}, r"one positive number per item, 3; .*\(2,\)"),
        ([1, 0, 1], {}, "one positive number per item.* smallest 0"),
    ],
)
def test_what_a_neighbour_graph_cannot_have(scales, settings, message):
    with pytest.raises(sl.InvalidInputError, match=message):
        sl.solve(sl.similarity.NeighborGraph(GOOD, scales), **settings)


@pytest.mark.parametrize("solver", SOLVERS)
def test_bad_input_costs_nothing(monkeypatch, solver):
    monkeypatch.setattr("spherelax.power.rebalance.smallest_eigenvalues", None)
    monkeypatch.setattr("spherelax.coordinate.run.build_graph", None)
    with pytest.raises(sl.InvalidInputError):
        sl.solve(GOOD, ["a", "b"], solver=solver)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int64, np.float16, np.float32])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("solver", SOLVERS)
def test_any_real_dtype(dtype, sparse, solver):
    W = (np.kron(np.eye(3), np.ones((4, 4))) * 3).astype(dtype)
    result = sl.solve(sp.csr_array(W) if sparse and dtype != np.float16 else W, solver=solver)
    np.testing.assert_array_equal(result.labels, np.repeat(np.arange(3), 4))


@pytest.mark.parametrize("kind", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize("family", ["array", "matrix"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_any_sparse_format(kind, family, solver):
    W = np.kron(np.eye(3), np.ones((4, 4)))
    given = getattr(sp, f"{kind}_{family}")(W)
    labels = sl.solve(given, solver=solver).labels
    np.testing.assert_array_equal(labels, np.repeat(np.arange(3), 4))


@pytest.mark.parametrize("solver", SOLVERS)
def test_input_is_not_changed(solver):
    W = np.asfortranarray(np.kron(np.eye(3), np.ones((4, 4))))
    W.flags.writeable = False
    sparse = sp.coo_array(W)
    sparse = sp.csr_array((sparse.data, (sparse.row, sparse.col)), shape=W.shape)
    sparse.data.flags.writeable = False
    before = sparse.copy()
    expected = np.repeat(np.arange(3), 4)
    np.testing.assert_array_equal(sl.solve(W, solver=solver).labels, expected)
    np.testing.assert_array_equal(sl.solve(sparse, solver=solver).labels, expected)
    assert (sparse != before).nnz == 0


def test_repeated_and_explicit_zero_entries():
    rows, columns = [0, 1, 1, 0, 0, 2], [1, 0, 0, 1, 2, 0]
    values = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0]
    W = sp.csr_matrix((values, (rows, columns)), shape=(3, 3))
    loose = sp.csr_matrix((W.data, W.indices, W.indptr), shape=(3, 3))
    problem = Problem.check(loose)
    assert problem.similarity[0, 1] == 2.0
    np.testing.assert_array_equal(problem.isolated, [False, False, True])


@pytest.mark.parametrize("sparse", [False, True])
def test_what_counts_as_present_and_isolated(sparse):
    W = np.diag([1.0, 0.0, 0.0, 2.0])
    W[0, 3] = W[3, 0] = 1.0
    W[1, 1] = 5.0
    problem = Problem.check(sp.csr_array(W) if sparse else W)
    np.testing.assert_array_equal(problem.present, [0, 1, 3])
    np.testing.assert_array_equal(problem.isolated, [False, True, True, False])
    np.testing.assert_allclose(power._effective_neighbors(problem), [1.0, 0.0, 0.0, 1.0])


def test_groups_of_any_hashable_kind():
    names = ["x", ("tuple", 1), 3.5, "x", frozenset({2}), ("tuple", 1)]
    problem = Problem.check(np.ones((6, 6)), names)
    np.testing.assert_array_equal(problem.groups, [0, 1, 2, 0, 3, 1])
    assert problem.largest_group == 2
    as_array = Problem.check(np.ones((6, 6)), np.array(["b", "a", "c", "b", "d", "a"]))
    np.testing.assert_array_equal(as_array.groups, problem.groups)


def test_every_item_without_a_group_is_a_group_of_its_own():
    for names in (["a", None, "a", None], np.array(["a", None, "a", None], dtype=object)):
        np.testing.assert_array_equal(Problem.check(np.ones((4, 4)), names).groups, [0, 1, 0, 2])


def test_asymmetry_is_found_in_every_tile(seed):
    rng = np.random.default_rng(seed)
    W = rng.random((600, 600))
    W = W + W.T
    i, j = sorted(rng.choice(600, 2, replace=False))
    W[i, j] += 1.0
    with pytest.raises(sl.InvalidInputError, match=f"1.0e\\+00, at items {i} and {j}$"):
        Problem.check(W)


def test_rounding_is_not_asymmetry():
    W = np.random.default_rng(0).random((20, 20)).astype(np.float32)
    W = W + W.T
    W[3, 4] = np.nextafter(W[3, 4], np.float32(9))
    assert Problem.check(W).n_items == 20


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">f2", ">i4", "<f8"])
def test_bytes_of_numbers_may_have_any_order(dtype):
    W = np.kron(np.eye(2), np.ones((3, 3)))
    found = Problem.check(W.astype(dtype)).similarity
    assert found.dtype.isnative
    np.testing.assert_array_equal(found, W)
    np.testing.assert_array_equal(sl.solve(W.astype(dtype)).labels, [0, 0, 0, 1, 1, 1])


def test_similarities_that_need_no_change_are_not_copied():
    W = np.ones((3, 3))
    assert Problem.check(W).similarity is W


@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_similarities_of_items_to_themselves_hide_no_asymmetry(make):
    with pytest.raises(sl.InvalidInputError, match=r"at items 0 and 1$"):
        Problem.check(make([[1e8, 0.0], [1.0, 1.0]]))
    assert Problem.check(make([[1e8, 1.0], [1.0, 1.0]])).n_items == 2


@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_log_odds_above_zero_alone(make):
    odds = make([[0.0, 3.0, -2.0], [3.0, 0.0, 0.0], [-2.0, 0.0, 0.0]])
    problem = Problem.check(odds, ["x", "y", "y"], "odds")
    found = problem.positive()
    assert sp.issparse(found.similarity) == sp.issparse(odds)
    dense = found.similarity.toarray() if sp.issparse(odds) else found.similarity
    np.testing.assert_array_equal(dense, [[0, 3, 0], [3, 0, 0], [0, 0, 0]])
    assert found.isolated.tolist() == [False, False, True]
    assert found.groups is problem.groups
    assert problem.similarity.min() == -2.0
    plain = Problem.check(abs(odds))
    assert plain.positive() is plain


def test_masked_groups_are_free():
    W = np.ones((3, 3))
    masked = np.ma.array([1, 1, 1], mask=[False, True, False])
    np.testing.assert_array_equal(
        Problem.check(W, masked).groups, Problem.check(W, [1, None, 1]).groups
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_rounding_below_0_is_0(make, dtype):
    eps = np.finfo(dtype).eps
    W = with_entry(1.0).astype(dtype)
    W[1, 2] = W[2, 1] = -eps
    found = Problem.check(make(W)).similarity
    assert found.min() == 0.0
    assert not sp.issparse(found) or found.nnz == 4
    W[1, 2] = W[2, 1] = -100 * eps
    with pytest.raises(sl.InvalidInputError, match="non-negative; smallest value is -"):
        Problem.check(make(W))
