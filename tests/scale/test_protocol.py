"""Rounds from file to file: nothing is done twice that is there."""

import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")

from support.shard_tables import table  # noqa: E402 (it needs pyarrow)

from spherelax import Coordinate, InvalidInputError, scale  # noqa: E402
from spherelax.scale.protocol import advance, perform  # noqa: E402


def test_rounds_end_and_ask_only_for_what_is_left(tmp_path):
    plan = scale.ingest(table(), tmp_path, n_shards=3)
    settings = Coordinate(n_steps=6)
    numbers = []
    while (order := advance(plan.folder, settings)) is not None:
        assert order.shards == (0, 1, 2)
        perform(plan.folder, order.number, 1)
        again = advance(plan.folder, settings)
        assert (again.number, again.what, again.shards) == (order.number, order.what, (0, 2))
        for shard in again.shards:
            perform(plan.folder, order.number, shard)
        numbers.append(order.number)
    assert numbers == list(range(len(numbers)))
    assert advance(plan.folder, settings) is None
    with pytest.raises(InvalidInputError, match="holds a run with other settings"):
        advance(plan.folder, Coordinate())
