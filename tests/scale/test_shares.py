"""What a shard answers: sums that add up to those of the problem, and files of labels."""

from functools import reduce

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="the scale extra is not installed")
pytest.importorskip("duckdb", reason="the scale extra is not installed")

from support.shard_tables import table

from spherelax import scale
from spherelax.coordinate.graph.account import Totals
from spherelax.coordinate.readings import Plain, read_problem
from spherelax.scale.shares import CONFIDENCE, LABELS, Share
from spherelax.settings import Coordinate


@pytest.fixture
def plan(tmp_path):
    """Pairs of three sources in four shards."""
    return scale.ingest(table(), tmp_path / "plan", n_shards=4)


def shares(plan):
    return [Share(plan, shard, Coordinate(), n_threads=1) for shard in plan.shards]


def test_shards_measure_what_the_whole_has(plan):
    answers = [share.perform("measure", {}) for share in shares(plan)]
    assert sum(found["sizes"].sum() for found in answers) == plan.n_items
    assert max(found["largest"] for found in answers) == pytest.approx(
        max(table()["score"].to_pylist())
    )


def test_totals_of_shards_are_those_of_one(plan, tmp_path):
    whole = scale.ingest(table(), tmp_path / "whole", n_shards=1)
    order = {"reading": Plain(), "is_grouped": True}
    several, one = (
        reduce(Totals.plus, (share.perform("learn", order)["totals"] for share in shares(each)))
        for each in (plan, whole)
    )
    assert several.n_present == one.n_present
    assert several.similarity == one.similarity
    np.testing.assert_array_equal(several.of_group, one.of_group)
    model = read_problem(whole.shards[0].problem("graph"))
    assert several.n_pairs == pytest.approx(model.totals.n_pairs)


def test_labels_that_were_found_elsewhere_are_taken(plan):
    labels = np.arange(plan.n_items) // 2
    for share in shares(plan):
        answer = share.perform(
            "take",
            {
                "labels": labels,
                "confidence": np.full(plan.n_items, 0.25),
                "numbers": np.arange(plan.n_items),
            },
        )
        found = np.load(share.shard.folder / LABELS)
        own = labels[share.numbers]
        np.testing.assert_array_equal(found[:, None] == found, own[:, None] == own)
        assert answer["of_size"] @ np.arange(len(answer["of_size"])) == len(own)
        assert np.load(share.shard.folder / CONFIDENCE).tolist() == [0.25] * len(own)
