"""New items against known labels: one more image, one more record."""

import numpy as np
import pytest

import spherelax as sl
from spherelax.io import read_pairs
from spherelax.metrics import pairwise_scores


def test_one_more_image_gets_the_tracks_of_the_others(seed):
    W, groups, truth = sl.datasets.make_partial_matching(
        12, 8, observed=0.8, shuffled=0.1, random_state=seed
    )
    known = groups < groups.max()
    result = sl.solve(W[known][:, known], groups[known])
    found = sl.assign(W, groups, to=result)
    n_new = np.count_nonzero(~known)
    assert found.labels.shape == found.confidence.shape == (n_new,)
    assert len(set(found.labels.tolist())) == n_new
    both = np.r_[result.labels, found.labels]
    assert pairwise_scores(truth, both).f_score > 0.95
    assert ((found.confidence >= 0) & (found.confidence <= 1)).all()


def test_things_that_are_not_known_get_numbers_of_their_own():
    W = np.kron(np.eye(4), np.ones((3, 3))) - np.eye(12)
    groups = np.tile(np.arange(3), 4)
    order = np.r_[:6, 6, 9, 7, 10, 8, 11]
    result = sl.solve(W[:6, :6], groups[:6])
    found = sl.assign(W[order][:, order], groups[order], to=result)
    assert result.n_labels == 2
    assert found.labels.tolist() == [2, 3, 2, 3, 2, 3]


def test_numbers_are_those_of_the_known_result_whatever_new_items_do():
    """A result of another step, whose numbers are not in the order of first appearance."""
    W = np.kron(np.eye(3), np.full((4, 4), 5.0)) + 0.1
    known = np.r_[0:3, 4:7, 8:11]
    result = sl.solve(W[known][:, known])
    order = np.r_[known, 3, 7, 11]
    found = sl.assign(W[order][:, order], to=result)
    assert found.labels.tolist() == result.labels[[0, 3, 6]].tolist()
    assert (found.confidence > 0.5).all()


def test_one_more_record_does_not_take_the_place_of_another(tmp_path):
    pairs, more = tmp_path / "pairs.csv", tmp_path / "more.csv"
    head = "source_a,id_a,source_b,id_b,score\n"
    known = "shop,1,bank,1,0.9\nshop,2,bank,2,0.9\nshop,3,bank,3,0.9\n"
    pairs.write_text(head + known)
    more.write_text(head + known + "shop,1,clinic,7,0.9\nbank,1,clinic,7,0.8\nshop,4,bank,1,0.3\n")
    records = read_pairs(pairs)
    result = sl.solve(records.problem)
    grown = read_pairs(more)
    assert grown.names[: records.n_items] == records.names
    found = sl.assign(grown.problem, to=result)
    names = dict(zip(grown.names[records.n_items :], found.labels.tolist(), strict=True))
    entity = dict(zip(records.names, result.labels.tolist(), strict=True))
    assert names["clinic 7"] == entity["shop 1"] == entity["bank 1"]
    assert names["shop 4"] == result.n_labels


def test_what_cannot_be_assigned_to_is_refused(tmp_path):
    W = np.kron(np.eye(2), np.ones((3, 3)))
    result = sl.solve(W)
    with pytest.raises(sl.InvalidInputError, match=r"to must be a Result .*; found None"):
        sl.assign(W, to=None)
    with pytest.raises(sl.InvalidInputError, match="must not have more items than similarity, 4"):
        sl.assign(W[:4, :4], to=result)
    sl.io.save_result(tmp_path / "saved.npz", result)
    with pytest.raises(sl.InvalidInputError, match="that was loaded from a file"):
        sl.assign(W, to=sl.io.load_result(tmp_path / "saved.npz"))
    with pytest.raises(sl.InvalidInputError, match="of the power solver"):
        sl.assign(W, to=sl.solve(W, solver="power"))
