"""Every example runs."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / "examples" / "demo.py"
OTHERS = sorted(set(DEMO.parent.glob("*.py")) - {DEMO})


@pytest.mark.parametrize("example", OTHERS, ids=lambda path: path.stem)
def test_example_runs(example, tmp_path, monkeypatch, capsys):
    """In this process, which has loaded all packages and takes warnings for errors."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setattr(sys, "argv", [str(example)])
    monkeypatch.chdir(tmp_path)
    pyplot.switch_backend("Agg")
    runpy.run_path(str(example), run_name="__main__")
    pyplot.close("all")
    assert capsys.readouterr().out


def test_demo_leaves_what_it_promises(tmp_path):
    run_demo(tmp_path, "nowhere", ["report", "people"])


def test_demo_shows_the_house_if_it_is_there(data_home, tmp_path):
    run_demo(tmp_path, data_home, ["report", "house", "people"])


def run_demo(tmp_path, home, pages):
    """Run the demo, and check that it leaves pages and is about as often wrong as it says."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(DEMO)],
        cwd=tmp_path,
        env={**os.environ, "SPHERELAX_DATA": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for name in (*(f"{page}.html" for page in pages), "summary.txt"):
        assert (tmp_path / "demo-output" / name).stat().st_size > 0
        assert f"demo-output/{name}" in done.stdout
    summary = (tmp_path / "demo-output" / "summary.txt").read_text()
    assert summary in done.stdout
    answers = re.findall(r"about (\d+) of ([\d,]+) \w+ are in .* it is (\d+)\.", summary)
    assert len(answers) == len(pages)
    for said, among, wrong in answers:
        assert abs(int(said) - int(wrong)) < 0.1 * int(among.replace(",", ""))
    shares = re.findall(r"(\d+)% of the pairs .* every match, (\d+)%", summary)
    assert all(int(ours) > int(theirs) for ours, theirs in shares)
    readme = " ".join((ROOT / "README.md").read_text().split())
    assert "in tracks {} % are right; if every match is followed, {} %".format(*shares[0]) in readme


def test_benchmark_runs_on_a_small_problem(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import bench_power  # noqa: PLC0415 (found only after the path is set)

    for name, value in {"N_ITEMS": 120, "N_COLUMNS": 20, "N_INNER": 2}.items():
        monkeypatch.setattr(bench_power, name, value)
    monkeypatch.setattr(sys, "argv", ["bench_power.py", "--quick"])
    bench_power.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("m = 120, k = 20, N = 2")
    assert sum(" s   " in line for line in lines) == 2
