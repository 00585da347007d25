"""Ids stay, are never used twice, and the register says what became of them."""

import numpy as np
import pytest

import spherelax as sl
from spherelax import io
from spherelax.changes.ids import register_beside


def generation(rng, names):
    """A random answer for some of the names, in a random order."""
    chosen = rng.permutation(names)[: rng.integers(5, len(names))]
    return {"id": chosen.tolist(), "entity": rng.integers(0, 8, len(chosen)).tolist()}


def test_ids_are_never_used_twice(seed):
    rng = np.random.default_rng(seed)
    names = [f"r{number}" for number in range(30)]
    ids = sl.keep_ids(generation(rng, names), generation(rng, names))
    ever, living = set(ids.numbers.tolist()), set(ids.numbers.tolist())
    for _ in range(10):
        ids = sl.keep_ids(ids, generation(rng, names))
        now = set(ids.numbers.tolist())
        assert not (now - living) & ever
        ended = {
            number
            for number, state in zip(*(ids.register()[x] for x in ("id", "state")), strict=True)
            if state == "ended"
        }
        assert not ended & now
        assert living - now <= ended
        ever, living = ever | now, now
        assert ids.next_free > max(ever)


def test_an_answer_keeps_all_its_ids_and_order_does_not_matter():
    before = {"id": list("abcd"), "entity": [9, 9, 4, 4]}
    ids = sl.keep_ids(before, before)
    assert ids.numbers.tolist() == before["entity"]
    assert (ids.n_kept, ids.n_new, ids.n_ended, ids.next_free) == (2, 0, 0, 10)
    turned = sl.keep_ids(before, {"id": list("dcba"), "entity": [0, 0, 1, 2]})
    assert turned.numbers.tolist() == [4, 4, 10, 9]


def test_a_register_goes_through_files(tmp_path):
    june, july = tmp_path / "june.csv", tmp_path / "july.csv"
    io.write_columns(june, {"id": list("abc"), "entity": [0, 1, 2]})
    ids = sl.keep_ids(june, {"id": list("ab"), "entity": [0, 0]})
    io.write_columns(july, {"id": list("ab"), "entity": ids.numbers.tolist()})
    io.write_columns(register_beside(july), ids.register())
    assert sl.keep_ids(july, {"id": list("xy"), "entity": [0, 1]}).numbers.tolist() == [3, 4]
    register_beside(july).unlink()
    assert sl.keep_ids(july, {"id": list("xy"), "entity": [0, 1]}).numbers.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("before", "register", "message"),
    [
        (["x"], None, "ids to keep must be whole numbers from 0; found label 'x'"),
        ([0], {"id": [1]}, "must have the columns id, state, items, successor; found id"),
        (
            [0],
            {"id": [5], "state": ["living"], "items": [1], "successor": [None]},
            "must be the register of the earlier answer; id 0 is in that only",
        ),
    ],
)
def test_bad_input(before, register, message):
    with pytest.raises(sl.InvalidInputError, match=message):
        sl.keep_ids(before, [0], register=register)
