"""Every example and every command of the documentation runs."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from spherelax.metrics import pairwise_scores

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
    done = subprocess.run(
        [sys.executable, "-W", "error", str(DEMO)],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for name in ("entities.csv", "report.html", "summary.txt"):
        assert (tmp_path / "demo-output" / name).stat().st_size > 0
        assert f"demo-output/{name}" in done.stdout
    summary = (tmp_path / "demo-output" / "summary.txt").read_text()
    assert summary in done.stdout
    said, wrong = map(int, re.search(r"about (\d+) records .* it is (\d+)\.", summary).groups())
    assert f"about {said} records may be in a wrong entity" in done.stderr + done.stdout
    assert abs(said - wrong) < 0.05 * int(summary.split()[0])


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


def test_readme_code_runs_as_printed():
    readme = (ROOT / "README.md").read_text()
    names = {}
    for block in readme.split("```python\n")[1:]:
        exec(block.split("```")[0], names)
    found = pairwise_scores(names["truth"], names["match"].labels_, names["images"])
    assert found.f_score > 0.9
    assert np.unique(names["clustering"].labels_).size == 3
