"""Synthetic partial multi-matching: vary objects, universe, observed and shuffled share in turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import contenders
import figures
import trials as lab

import spherelax as sl

# The paper does not print its fixed values; with these, results can get better and worse.
BASE = {"n_groups": 20, "universe": 20, "observed": 0.6, "shuffled": 0.6}
PANELS: dict[str, list[float]] = {
    "n_groups": [10, 15, 20, 30, 40],
    "universe": [10, 20, 30, 40, 50],
    "observed": [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
    "shuffled": [0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8],
}
TITLES = {
    "n_groups": "objects q",
    "universe": "universe d",
    "observed": "observed ρ",
    "shuffled": "shuffled σ",
}
SEEDS = range(20_000, 20_050)
# The paper's settings for house; it prints none for this experiment.
METHODS: dict[str, dict[str, Any]] = {
    contenders.OURS: {},
    contenders.PAPER: {"solver": sl.Power(max_labels=100, n_inner=5, kappa=0.01)},
    "CLEAR": {},
    "HDBSCAN with groups": {},
    "MatchEig": {},
    "Spectral": {},
    "NmfSync": {},
    "MatchALS": {},
    "SparseStiefelOpt": {},
}
TOLD = {name for name in METHODS if contenders.MATCHING[name].told}
ABOUT = f"make_partial_matching with {BASE}, one value varied in each panel"


def trials(quick: bool) -> list[lab.Trial]:
    """List the trials: problem by problem, every method on each."""
    return lab.one_at_a_time(BASE, PANELS, SEEDS, METHODS, quick)


def run(trial: lab.Trial) -> list[lab.Row]:
    """Draw the problem and run the method on it."""
    problem = trial["problem"]
    W, groups, truth = sl.datasets.make_partial_matching(random_state=trial["seed"], **problem)
    universe = len(set(truth.tolist()))
    return [contenders.match(trial, W, groups, truth, universe)]


def tables(rows: list[lab.Row]) -> dict[str, list[lab.Row]]:
    """Mean F-score of each method in each panel."""
    return {"partial_means": figures.panel_means(rows, TITLES)}


def draw(rows: list[lab.Row]) -> dict[str, Any]:
    """Four panels, one for each parameter."""
    return {"partial": figures.panels(rows, TITLES, TOLD)}


if __name__ == "__main__":
    lab.main(Path(__file__).stem)
