"""Random binary similarities: vary items, clusters, rewired and missing share in turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import contenders
import figures
import trials as lab

import spherelax as sl

# The paper does not print its fixed values; with these, results can get better and worse.
BASE = {"n_items": 150, "n_clusters": 5, "rewired": 0.5, "missing": 0.3}
PANELS: dict[str, list[float]] = {
    "n_items": [50, 100, 150, 200, 300],
    "n_clusters": [2, 3, 5, 7, 10, 15],
    "rewired": [0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8],
    "missing": [0.0, 0.2, 0.4, 0.6, 0.8, 0.9],
}
TITLES = {
    "n_items": "items m",
    "n_clusters": "clusters k*",
    "rewired": "rewired ρ",
    "missing": "missing ν",
}
SEEDS = range(20_000, 20_050)
METHODS: dict[str, dict[str, Any]] = {
    contenders.OURS: {},
    # k = 100, N = 20 and kappa = 0 are the paper's settings for this experiment.
    contenders.PAPER: {"solver": sl.Power(max_labels=100, n_inner=20, kappa=0.0)},
    "Affinity propagation": {},
    "NMF": {},
    "Spectral + k-means": {},
    "Spectral + spherical k-means": {},
}
TOLD = {name for name in METHODS if contenders.CLUSTERING[name].told}
ABOUT = f"make_binary_similarity with {BASE}, one value varied in each panel"


def trials(quick: bool) -> list[lab.Trial]:
    """List the trials: problem by problem, every method on each."""
    return lab.one_at_a_time(BASE, PANELS, SEEDS, METHODS, quick)


def run(trial: lab.Trial) -> list[lab.Row]:
    """Draw the problem and run the method on it."""
    W, truth = sl.datasets.make_binary_similarity(random_state=trial["seed"], **trial["problem"])
    n_clusters = len(set(truth.tolist()))
    return [contenders.cluster(trial, W, truth, n_clusters)]


def tables(rows: list[lab.Row]) -> dict[str, list[lab.Row]]:
    """Mean F-score of each method in each panel, and its largest processor time."""
    short = figures.panel_means(rows, TITLES)
    for line in short:
        own = [row["cpu_seconds"] for row in rows if row["method"] == line["method"]]
        line["largest CPU time, s"] = f"{max(own):.2f}"
    return {"binary_means": short}


def draw(rows: list[lab.Row]) -> dict[str, Any]:
    """Four panels, one for each parameter."""
    return {"binary": figures.panels(rows, TITLES, TOLD)}


if __name__ == "__main__":
    lab.main(Path(__file__).stem)
