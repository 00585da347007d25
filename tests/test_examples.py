"""Every example and every command of the documentation runs."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import spherelax as sl

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
    for name in ("labels.csv", "sweep.png", "matches.png", "summary.txt"):
        assert (tmp_path / "demo-output" / name).stat().st_size > 0
        assert f"demo-output/{name}" in done.stdout
    summary = (tmp_path / "demo-output" / "summary.txt").read_text()
    assert summary in done.stdout


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


def test_readme_code_runs():
    readme = (ROOT / "README.md").read_text()
    code = readme.split("```python\n")[1].split("```")[0]
    grown, groups, truth = sl.datasets.make_partial_matching(10, 8, shuffled=0.1, random_state=0)
    known = groups < 8
    W, images = grown[known][:, known], groups[known]
    points = np.random.default_rng(0).normal(size=(60, 2)) + 9 * np.arange(60)[:, None] % 27
    names = {"points": points, "new_points": points[:5], "W": W, "image_of_item": images}
    anndata = pytest.importorskip("anndata")
    connectivities = sl.similarity.neighbor_graph(points).similarity
    adata = anndata.AnnData(points, obsp={"connectivities": connectivities})
    names |= {"W_grown": grown, "groups": groups, "adata": adata}
    exec(code, names)
    assert adata.obs["spherelax"].nunique() == 3
    assert sl.metrics.pairwise_scores(truth[known], names["match"].labels_, images).f_score > 0.9
    assert names["result"].n_labels < len(W)
