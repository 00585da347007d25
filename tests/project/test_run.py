"""Entities get ids of the run before, and a run its rows."""

import pytest

import spherelax as sl
from spherelax import io
from spherelax.project.run import number_entities


@pytest.fixture
def solved(june):
    records = io.read_pairs(june)
    return records, sl.solve(records.problem)


def test_ids_start_where_none_was_used(solved):
    records, result = solved
    items = list(range(24))
    nothing = {"item": [], "entity": []}
    run = number_entities(records, result, items, number=1, before=nothing, free=7)
    assert run.ids.numbers[:4].tolist() == [7, 7, 8, 8]
    assert run.ids.next_free == 19
    assert run.diff is None


def test_items_are_known_by_their_numbers(solved):
    records, result = solved
    items = list(range(100, 124))
    before = {"item": [102, 103, 55], "entity": [40, 40, 41]}
    run = number_entities(records, result, items, number=2, before=before, free=50)
    assert run.items.answer(result)["entity"][:4] == [50, 50, 40, 40]
    assert run.ids.n_ended == 1
    assert str(run) == (
        "run 2, entities since run 1: 1 kept, 11 new, 1 gone; 1 id kept, 11 new, 1 ended; "
        "the next one is 61"
    )
