"""Lists of candidates from real records: entities, probabilities, and what must not change them."""

import numpy as np
import pytest
import scipy.sparse as sp
from support.lists import calibration_error

import spherelax as sl

TWO_SOURCES = {
    "2src_abt-buy_tri_k3": 0.91,
    "2src_abt-buy_word_k10": 0.763,
    "2src_dblp-acm_title_only_tri_k3": 0.975,
    "2src_dblp-acm_tri_k3": 0.986,
    "2src_dblp-acm_word_k10": 0.98,
    "2src_febrl4_names_address_only_tri_k3": 0.995,
}
DUPLICATES = {
    "dedupe_febrl1_tri_k5": 0.98,
    "dedupe_febrl1_weak_tri_k10": 0.98,
    "dedupe_febrl3_weak_tri_k5": 0.93,
}


@pytest.fixture
def table(data_home):
    """Read a table by name: similarities, sources, truth."""

    def read(name):
        with np.load(data_home / "entity_resolution" / "scored_pairs" / f"{name}.npz") as file:
            m = len(file["truth"])
            half = sp.coo_array((file["score"].astype(float), (file["i"], file["j"])), shape=(m, m))
            return sp.csr_array(half + half.T), file["source"], file["truth"]

    return read


def f_score(truth, labels):
    return sl.metrics.pairwise_scores(truth, labels).f_score


def error_of(result, truth):
    pairs = sp.triu(result.listed_probability()).tocoo()
    return calibration_error(pairs.data, truth[pairs.row] == truth[pairs.col])


def check_answer(result, truth):
    """The probabilities of pairs inside labels and of items are calibrated."""
    right = sl.metrics.correctness(truth, result.labels)
    assert sl.metrics.reliability(result.pairs().probability, right.pairs).error < 0.1
    assert sl.metrics.reliability(result.confidence, right.items).error < 0.1


@pytest.mark.parametrize(("name", "least"), TWO_SOURCES.items())
def test_two_sources_reach_single_best_links(table, name, least):
    W, sources, truth = table(name)
    told, untold = sl.solve(W, sources), sl.solve(W)
    assert f_score(truth, told.labels) > least
    assert f_score(truth, untold.labels) > least - 0.01
    assert error_of(told, truth) < 0.05
    check_answer(told, truth)


@pytest.mark.parametrize(("name", "least"), DUPLICATES.items())
def test_duplicates_are_found_without_sources(table, name, least):
    W, _, truth = table(name)
    result = sl.solve(W)
    assert f_score(truth, result.labels) > least
    assert error_of(result, truth) < 0.05
    check_answer(result, truth)


@pytest.mark.parametrize("name", ["2src_dblp-acm_tri_k3", "dedupe_febrl3_weak_tri_k5"])
def test_rising_functions_and_outliers_change_little(table, name):
    W, sources, truth = table(name)
    groups = sources if name.startswith("2src") else None
    expected = f_score(truth, sl.solve(W, groups).labels)
    for change in (np.square, np.sqrt, np.log1p, lambda x: np.exp(8.0 * x)):
        again = W.copy()
        again.data = change(again.data)
        assert abs(f_score(truth, sl.solve(again, groups).labels) - expected) < 0.01
    outlier = W.copy()
    one = W.tocoo()
    at = int(np.argmin(one.data))
    far = sp.coo_array(([1e3], ([one.row[at]], [one.col[at]])), shape=W.shape)
    assert abs(f_score(truth, sl.solve(outlier + far + far.T, groups).labels) - expected) < 0.01
