"""The command explain."""

from pathlib import Path

import pytest
from support.program import invoke

PAIRS = """source_a,id_a,source_b,id_b,score
shop,1,bank,1,0.95
shop,2,bank,2,0.9
shop,3,bank,3,0.85
shop,3,bank,2,0.8
bank,1,club,1,0.9
shop,1,club,1,0.8
club,2,bank,2,0.9
club,3,shop,3,0.7
"""


@pytest.fixture(autouse=True)
def shops(folder: Path) -> None:
    (folder / "shops.csv").write_text(PAIRS)


def test_a_pair() -> None:
    done = invoke("explain", "shops.csv", "--pair", "shop 3", "bank 2")
    assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith(
        "shop 3 and bank 2 are apart, in entities of 3 records and 3 records"
    )
    assert lines[1].startswith("shop 2 is of the same source as shop 3 and has its place")
    assert lines[-1].startswith("They join ")


def test_an_entity_and_a_table_of_edges() -> None:
    done = invoke("explain", "shops.csv", "--entity", "1")
    assert "They part without" in done.stdout
    assert invoke("explain", "edges.csv", "--entity", "0").exit_code == 0
    track = invoke("explain", "db.db", "--entity", "0")
    assert track.exit_code != 0 or "track" in track.stdout


def test_judgements_count() -> None:
    head = "source_a,id_a,source_b,id_b,verdict\n"
    Path("judged.csv").write_text(f"{head}shop,1,bank,1,different\n")
    asked = ("explain", "shops.csv", "--judgements", "judged.csv", "--pair", "shop 1", "bank 1")
    assert "A judgement says that they are different." in invoke(*asked).stdout


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((), "explain needs one of --pair and --entity"),
        (("--pair", "1", "bank 2"), "--pair must name one record; found shop 1, bank 1, club 1"),
        (("--pair", "x", "bank 2"), "--pair must name records of FILE; found 'x'"),
        (("--pair", "bank 2", "bank 2"), "explain needs two items"),
        (("--entity", "99"), "--entity must be the number of one entity; found 99"),
    ],
)
def test_what_is_wrong_is_said(asked: tuple[str, ...], said: str) -> None:
    done = invoke("explain", "shops.csv", *asked)
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_saved_result_has_no_pairs() -> None:
    assert invoke("match", "shops.csv", "--out", "r.npz").exit_code == 0
    done = invoke("explain", "r.npz", "--entity", "0")
    assert done.exit_code == 2
    assert "holds no similarities, which an explanation needs; solve again" in done.stderr
