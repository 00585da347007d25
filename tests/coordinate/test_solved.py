"""What a result asks back: labels are drawn once, whatever is asked of them."""

from pathlib import Path

import numpy as np
import pytest
from support.lists import entities, matrix
from support.program import invoke

import spherelax as sl
from spherelax.coordinate.lists import odds
from spherelax.labels import inside_pairs


@pytest.fixture
def runs(monkeypatch):
    """Return a list that grows by one entry whenever a chain is drawn: whether it has pairs."""
    found = []
    original = odds.draw_posterior

    def counting(*args, has_pairs):
        found.append(has_pairs)
        return original(*args, has_pairs=has_pairs)

    monkeypatch.setattr(odds, "draw_posterior", counting)
    return found


def test_one_chain_serves_labels_entities_pairs_and_report(runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = (f"{a},{i},{b},{i},1\n" for i in range(6) for a, b in ("xy", "xz", "yz"))
    Path("pairs.csv").write_text("source_a,id_a,source_b,id_b,score\n" + "".join(rows))
    files = {"out": "l.csv", "entities": "e.csv", "pairs": "p.csv", "report": "r.html"}
    named = [part for name, path in files.items() for part in (f"--{name}", path)]
    assert invoke("match", "pairs.csv", *named).exit_code == 0
    assert all(Path(path).exists() for path in files.values())
    assert runs == [True]


def test_what_is_kept_is_what_would_be_drawn_again(runs, seed):
    pairs, _ = entities(seed, apart=3.0)
    result = sl.solve(matrix(pairs), kind="pairs")
    everything = result.pairs().probability, result.confidence, *result.entities()
    assert len(runs) == 1
    again = sl.solve(matrix(pairs), kind="pairs")
    pure, whole = again.entities()
    for found, expected in zip(
        (again.pairs().probability, again.confidence, pure, whole), everything, strict=True
    ):
        np.testing.assert_array_equal(found, expected)
    assert len(runs) == 2


def test_other_labels_are_drawn_anew(runs):
    pairs, _ = entities(0)
    result = sl.solve(matrix(pairs), kind="pairs")
    alone = np.arange(pairs.n_items, dtype=np.int32)
    for labels in (result.labels, alone, alone, result.labels):
        found = result._solved.posterior(labels)
        assert len(found.pure) == labels.max() + 1
    assert len(runs) == 3


def test_pairs_of_large_labels_are_not_kept_unless_they_are_asked_for(runs):
    pairs, _ = entities(0)
    source = sl.solve(matrix(pairs), kind="pairs")._solved
    one = np.zeros(pairs.n_items, dtype=np.int32)
    item = source.posterior(one).item
    assert len(source.posterior(one).pairs) == 0
    found = source.posterior(one, has_pairs=True)
    assert len(found.pairs) == len(inside_pairs(one))
    np.testing.assert_array_equal(found.item, item)
    assert source.posterior(one) is found
    assert runs == [False, True]
