"""Samples are random, in strata, and have all pairs that must be judged."""

import numpy as np
import pytest

import spherelax as sl
from spherelax.quality.sample import STRATA, allocate, list_outside, stratify


def cases_of(drawn):
    """Pairs of each case, in order."""
    found = {}
    for case, a, b in zip(drawn["case"], drawn["item_a"], drawn["item_b"], strict=True):
        found.setdefault(case, []).append((a, b))
    return found


def test_a_record_is_judged_with_its_label_and_its_candidates(answer):
    result, _ = answer
    outside = list_outside(result).toarray()
    found = cases_of(sl.sample(result, 30))
    assert len(found) == 30
    for pairs in found.values():
        (item,) = {a for a, _ in pairs}
        mates = set(np.flatnonzero(result.labels == result.labels[item]).tolist()) - {item}
        assert [b for _, b in pairs[: len(mates)]] == sorted(mates)
        others = [b for _, b in pairs[len(mates) :]]
        assert set(others) == set(np.flatnonzero(outside[item]).tolist())
        assert (np.diff(outside[item, others]) <= 0).all()  # the likeliest first


def test_an_entity_begins_with_its_representative(answer):
    result, _ = answer
    for pairs in cases_of(sl.sample(result, 20, of="entities")).values():
        label = result.labels[pairs[0][0]]
        size = np.count_nonzero(result.labels == label)
        assert {a for a, _ in pairs[: size - 1]} <= {result.representatives()[label]}
        assert {result.labels[b] for _, b in pairs[: size - 1]} <= {label}
        assert all(result.labels[a] == label for a, _ in pairs)
        n_inside = sum(result.labels[b] == label for _, b in pairs)
        assert n_inside == size * (size - 1) // 2


def test_pairs_are_drawn_inside_labels_and_outside(answer):
    result, _ = answer
    drawn = sl.sample(result, 60, of="pairs")
    labels, stratum = result.labels, np.array(drawn["stratum"])
    inside = labels[drawn["item_a"]] == labels[drawn["item_b"]]
    assert set(stratum[inside]).isdisjoint(stratum[~inside])
    assert set(np.bincount(stratum)) == {6}
    assert len(set(stratum[inside])) == len(set(stratum[~inside])) == STRATA
    sizes = dict(zip(drawn["stratum"], drawn["out_of"], strict=True))
    n_outside = list_outside(result).nnz // 2
    assert sum(sizes.values()) == len(result.pairs().items) + n_outside


def test_seeds_and_names(answer):
    result, _ = answer
    m = len(result.labels)
    names = [f"r{item}" for item in range(m)]
    items = sl.io.Records(np.eye(m), names, sources=["shop"] * m)
    drawn = sl.sample(result, 10, items=items)
    plain = sl.sample(result, 10)
    assert drawn["id_a"] == [f"r{item}" for item in plain["item_a"]]
    assert set(drawn["source_b"]) == {"shop"}
    assert sl.sample(result, 10) == plain
    assert sl.sample(result, 10, random_state=1) != plain


def test_every_record_is_as_likely(answer):
    result, _ = answer
    drawn = [set(sl.sample(result, 100, random_state=seed)["item_a"]) for seed in range(60)]
    counts = np.bincount([item for one in drawn for item in one], minlength=len(result.labels))
    has_rows = counts > 0
    assert not has_rows[-3:].any()  # nothing can be judged of them
    share = 100 / has_rows.sum()
    assert counts[has_rows].std() < 1.3 * np.sqrt(60 * share * (1 - share))


def test_strata():
    rng = np.random.default_rng(0)
    by, weight = rng.random(1000), rng.random(1000)
    found = stratify(by, weight)
    np.testing.assert_allclose(np.bincount(found, weight), weight.sum() / STRATA, rtol=0.02)
    assert (np.diff(found[np.argsort(by)]) >= 0).all()
    assert stratify(np.ones(1), np.ones(1)).tolist() == [0]
    assert len(stratify(np.empty(0), np.empty(0))) == 0


@pytest.mark.parametrize(
    ("sizes", "n", "found"), [([9, 9], 7, [3, 4]), ([1, 90], 10, [1, 9]), ([2, 3], 9, [2, 3])]
)
def test_allocation(sizes, n, found):
    assert allocate(np.array(sizes), n).tolist() == found


def test_a_graph_has_pairs_inside_labels_alone():
    result = sl.solve(np.kron(np.eye(5), np.ones((4, 4))))
    drawn = sl.sample(result, 99, of="pairs")
    assert len(drawn["case"]) == 30
    assert set(sl.sample(result, 10, of="entities")["of"]) == {"entities"}


def test_what_is_refused(answer):
    result, _ = answer
    with pytest.raises(sl.InvalidInputError, match="of must be one of records, entities, pairs"):
        sl.sample(result, 10, of="labels")
    with pytest.raises(sl.InvalidInputError, match="n must be an integer >= 1; found 0"):
        sl.sample(result, 0)
    with pytest.raises(sl.InvalidInputError, match="at least 2 for each of 10 strata; found 19"):
        sl.sample(result, 19, of="pairs")
    with pytest.raises(sl.InvalidInputError, match="one label for each of 2 items"):
        sl.sample(result, 10, items=sl.io.Items(np.eye(2), None))
    alone = sl.solve([[0, -3.0], [-3.0, 0]], kind="odds").at(0.0)
    assert sl.sample(alone, 2)["item_b"] == [1, 0] or sl.sample(alone, 2)["item_b"] == [0, 1]
    nothing = sl.solve(np.kron(np.eye(2), np.ones((2, 2))), pick=1e9)
    with pytest.raises(sl.InvalidInputError, match="must have pairs to judge; found none"):
        sl.sample(nothing, 2)
