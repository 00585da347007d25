"""diff, and numbers of labels that stay."""

from pathlib import Path

from support.program import invoke


def test_diff_prints_and_writes() -> None:
    Path("june.csv").write_text("id,entity\na,0\nb,0\nc,1\n")
    Path("july.csv").write_text("id,entity\nc,0\nb,0\na,0\n")
    done = invoke("diff", "june.csv", "july.csv", "--out", "changes.csv", "--page", "c.html")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("2 entities of 3 items before, 1 entity of 3 items after\n")
    assert Path("changes.csv").read_text().splitlines() == [
        "change,kind,before,after,items",
        "0,merged,0,0,2",
        "0,merged,1,0,1",
    ]
    assert "From june.csv to july.csv" in Path("c.html").read_text()


def test_diff_refuses() -> None:
    Path("june.csv").write_text("id,entity\na,0\na,1\n")
    found = invoke("diff", "june.csv", "june.csv")
    assert found.exit_code == 2
    assert found.stderr == (
        "spherelax: june.csv, row 3: items must be listed once; found 'a' again\n"
    )
    assert "need a file" in invoke("diff", "june.csv", "june.csv", "--out", "-").stderr


def test_numbers_stay() -> None:
    assert invoke("match", "pairs.csv", "--out", "june.csv").exit_code == 0
    head, *body = Path("june.csv").read_text().splitlines()
    Path("june.csv").write_text("\n".join([head, *(_raised(row) for row in body)]) + "\n")
    again = ("match", "pairs.csv", "--ids-like", "june.csv", "--entities", "sizes.csv")
    done = invoke(*again, "--out", "july.csv")
    assert done.exit_code == 0, done.stderr
    assert "numbers: 3 ids kept, 0 new, 0 ended; the next one is 53" in done.stderr
    assert "all numbers ever given: july.ids.csv" in done.stderr
    assert {row.split(",")[2] for row in Path("july.csv").read_text().splitlines()[1:]} == {
        "50",
        "51",
        "52",
    }
    assert Path("sizes.csv").read_text().splitlines()[1].startswith("50,3")
    assert Path("july.ids.csv").read_text().splitlines()[:2] == [
        "id,state,items,successor",
        "50,living,3,",
    ]


def _raised(row: str) -> str:
    """A row of an answer with a number of its entity that is larger by 50."""
    source, name, entity, sure = row.split(",")
    return f"{source},{name},{int(entity) + 50},{sure}"


def test_numbers_need_a_table() -> None:
    found = invoke("match", "pairs.csv", "--ids-like", "june.csv", "--out", "r.npz")
    assert "--ids-like needs --out with one of .csv, .tsv, .parquet" in found.stderr
