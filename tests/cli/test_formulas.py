"""Names that a spreadsheet would take for formulas."""

from pathlib import Path

from support.program import invoke


def test_formulas_are_escaped_on_request() -> None:
    Path("names.csv").write_text("=1+1,b,1\nb,@c,1\n=1+1,@c,1\n")
    assert "\n=1+1," in invoke("cluster", "names.csv").stdout
    done = invoke("cluster", "names.csv", "--escape-formulas", "--pairs", "pairs.csv")
    assert "\n'=1+1," in done.stdout
    assert "'@c" in Path("pairs.csv").read_text()
