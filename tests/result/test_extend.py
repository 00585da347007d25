"""New items against known labels: one more image, one more record."""

import pickle
import warnings

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
    found = result.assign(W, groups)
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
    found = result.assign(W[order][:, order], groups[order])
    assert result.n_labels == 2
    assert found.labels.tolist() == [2, 3, 2, 3, 2, 3]


def test_numbers_are_those_of_the_known_result_whatever_new_items_do():
    """A result of another step, whose numbers are not in the order of first appearance."""
    W = np.kron(np.eye(3), np.full((4, 4), 5.0)) + 0.1
    known = np.r_[0:3, 4:7, 8:11]
    result = sl.solve(W[known][:, known])
    order = np.r_[known, 3, 7, 11]
    found = result.assign(W[order][:, order])
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
    found = result.assign(grown.problem)
    names = dict(zip(grown.names[records.n_items :], found.labels.tolist(), strict=True))
    entity = dict(zip(records.names, result.labels.tolist(), strict=True))
    assert names["clinic 7"] == entity["shop 1"] == entity["bank 1"]
    assert names["shop 4"] == result.n_labels


@pytest.mark.parametrize("method", ["assign", "extend"])
def test_groups_are_never_broken_and_known_items_keep_their_labels(method, seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        m, n_known = int(rng.integers(4, 25)), int(rng.integers(2, 4))
        half = np.triu(rng.integers(0, 4, (m, m)) * (rng.random((m, m)) < 0.5), 1)
        W, groups = (half + half.T).astype(float), rng.integers(max(2, m // 3), size=m)
        W[:2, :2] = 1.0 - np.eye(2)
        groups[:2] = 0, 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sl.SphereWarning)
            known = sl.solve(W[:n_known, :n_known], groups[:n_known])
            found = getattr(known, method)(W, groups)
        if method == "assign":
            labels = np.r_[known.labels, found.labels]
            assert len(found.confidence) == m - n_known
        else:
            labels = found.labels
        assert len(set(zip(groups.tolist(), labels.tolist(), strict=True))) == m


def test_a_new_item_does_not_take_the_place_of_a_known_one():
    W = np.array([[0, 0, 2, 3], [0, 0, 0, 0], [2, 0, 0, 0], [3, 0, 0, 0]])
    groups = np.array([0, 1, 1, 1])
    known = sl.solve(W[:3, :3], groups[:3])
    assert known.labels.tolist() == [0, 1, 0]
    assert known.assign(W, groups).labels.tolist() == [2]
    assert known.extend(W, groups).labels.tolist() == [0, 1, 2, 0]  # the better match has it


def test_what_cannot_be_assigned_to_is_refused(tmp_path):
    W = np.kron(np.eye(2), np.ones((3, 3)))
    result, of_power = sl.solve(W), sl.solve(W, solver="power")
    sl.io.save_result(tmp_path / "saved.npz", of_power)
    loaded = sl.io.load_result(tmp_path / "saved.npz")
    for method in ("extend", "assign"):
        message = f"^{method} needs similarities of the 6 known items, and of more; found 4 items$"
        with pytest.raises(sl.InvalidInputError, match=message):
            getattr(result, method)(W[:4, :4])
        message = f"^{method} needs a result of the coordinate solver; found one "
        with pytest.raises(sl.InvalidInputError, match=f"{message}that was loaded from a file$"):
            getattr(loaded, method)(W)
        with pytest.raises(sl.InvalidInputError, match=f"{message}of the power solver$"):
            getattr(of_power, method)(W)


def test_kind_and_copies_hold_on(seed):
    """Log odds stay log odds, whatever was read; a result can be extended again, and saved."""
    rng = np.random.default_rng(seed)
    odds = np.triu(rng.normal(-1.0, 2.0, (12, 12)), 1)
    odds = odds + odds.T
    first = sl.solve(odds[:8, :8], kind="odds")
    grown = pickle.loads(pickle.dumps(first)).extend(odds[:10, :10]).extend(odds)
    assert (grown.kind, grown.status) == ("odds", sl.Status.ABSORBED)
    with pytest.raises(sl.InvalidInputError, match="kind must stay what it was"):
        first.extend(sl.io.Items(np.abs(odds), None).problem)


def test_warnings_point_at_the_caller():
    W = np.eye(4)
    with pytest.warns(sl.SphereWarning, match="No item is similar") as solved:
        result = sl.solve(W[:3, :3])
    with pytest.warns(sl.SphereWarning, match="No item is similar") as extended:
        result.extend(W)
    with pytest.warns(sl.SphereWarning, match="No item is similar") as assigned:
        result.assign(W)
    for caught in (solved, extended, assigned):
        assert (caught[0].message.about, caught[0].filename) == ("isolated", __file__)
