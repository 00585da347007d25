"""evaluate: what the model says, a sample, and what it says once it is judged."""

import csv
from pathlib import Path

import pytest
from support.program import invoke


def fill(path: str, verdict: str) -> None:
    """Write the same verdict into all rows of a sample."""
    with Path(path).open() as file:
        rows = list(csv.DictReader(file))
    with Path(path).open("w") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "verdict": verdict} for row in rows)


def test_the_model_says_how_good_it_is() -> None:
    done = invoke("evaluate", "pairs.csv")
    assert done.exit_code == 0, done.stderr
    head, *body = done.stdout.splitlines()
    assert head.split() == ["model"]
    assert [line[:18].rstrip() for line in body] == [
        "pair precision",
        "pair recall",
        "B-cubed precision",
        "B-cubed recall",
    ]


@pytest.mark.parametrize("of", ["records", "entities", "pairs"])
def test_a_sample_is_written_judged_and_read(of: str) -> None:
    done = invoke("evaluate", "pairs.csv", "--sample", "s.csv", "--of", of, "--n", "50")
    assert done.exit_code == 0, done.stderr
    assert f" {of} to judge, " in done.stderr
    assert "--judged s.csv" in done.stderr
    assert done.stdout == ""
    unjudged = invoke("evaluate", "pairs.csv", "--judged", "s.csv")
    assert unjudged.exit_code == 2
    assert "s.csv: each stratum must have a judged case" in unjudged.stderr
    fill("s.csv", "same")
    found = invoke("evaluate", "pairs.csv", "--judged", "s.csv")
    assert found.exit_code == 0, found.stderr
    head, first, *_, last, recall = found.stdout.splitlines()
    assert recall.startswith("recall is that among listed pairs")
    assert head.split() == ["judged", "95", "%", "interval", "model"]
    assert first.split()[2:6] == ["1.000", "1.000", "to", "1.000"]
    assert last.endswith(f"{of} of the sample judged")


def test_seeds_draw_other_samples() -> None:
    for seed in ("0", "1"):
        given = ("--sample", f"{seed}.csv", "--n", "3", "--seed", seed)
        assert invoke("evaluate", "pairs.csv", *given).exit_code == 0
    assert Path("0.csv").read_text() != Path("1.csv").read_text()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--n", "5"), "--n needs --sample"),
        (("--of", "pairs"), "--of needs --sample"),
        (("--judged", "a.csv", "--sample", "b.csv"), "give one of them"),
        (("--sample", "-"), "--sample needs a file; found -"),
        (("--sample", "s.csv", "--n", "0"), "--n must be an integer >= 1; found 0"),
        (("--sample", "s.csv", "--seed", "-1"), "--seed must be an integer >= 0; found -1"),
        (("--sample", "s.json"), "a sample must end in one of .csv, .tsv, .parquet"),
        (("--sample", "pairs.csv"), "pairs.csv would be overwritten"),
        (("--judged", "none.csv"), "none.csv"),
        (("--judged", "pairs.csv"), "pairs.csv: must have the columns case, of, size"),
    ],
)
def test_what_is_refused(given: tuple[str, ...], message: str) -> None:
    found = invoke("evaluate", "pairs.csv", *given)
    assert found.exit_code == 2
    assert message in found.stderr
