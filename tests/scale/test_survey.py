"""What pairs hold, and what they will cost."""

import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")

from spherelax import scale  # noqa: E402 (it needs both)


def test_a_chain_and_a_pair_by_floor():
    pairs = {"id_a": ["a", "b", "c", "x"], "id_b": ["b", "c", "d", "y"], "score": [9, 5, 9, 7]}
    found = scale.survey(pa.table(pairs))
    assert (found.n_items, found.n_pairs, found.n_components, found.n_isolated) == (6, 4, 2, 0)
    assert [(size.at_least, size.n_components, size.n_pairs) for size in found.sizes] == [
        (2, 1, 1),
        (4, 1, 3),
    ]
    by_floor = {each.floor: each for each in found.floors}
    assert (by_floor[5].giant_pairs, by_floor[5].giant_items) == (3, 4)
    assert (by_floor[9].n_pairs, by_floor[9].n_components, by_floor[9].giant_pairs) == (2, 4, 1)
    assert found.memory > found.giant_memory
