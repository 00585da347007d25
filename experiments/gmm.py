"""Overlapping Gaussian mixtures in two dimensions: our methods compared with Spectrum."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import contenders
import figures
import matplotlib.pyplot as plt
import numpy as np
import trials as lab
from sklearn.mixture import GaussianMixture

import spherelax as sl
from spherelax import baselines

COMPONENTS = list(range(2, 11))
N_SAMPLES = 200
SEEDS = range(20_000, 20_030)
POINTS = "our points estimator"
METHODS: dict[str, dict[str, Any]] = {
    contenders.OURS: {},
    # The settings of the paper's other clustering experiment; it prints none for this one.
    contenders.PAPER: {"solver": sl.Power(max_labels=100, n_inner=20, kappa=0.0)},
    POINTS: {},
    "Spectrum": {},
    "Gaussian mixture": {},
}
TOLD = {"Gaussian mixture"}
ABOUT = (
    f"make_gaussian_mixture({N_SAMPLES}, x), adaptive kernel; our points estimator is "
    "SphereClustering() with its own neighbour graph; Gaussian mixture is told x"
)


def trials(quick: bool) -> list[lab.Trial]:
    """List the trials: problem by problem, every method on each."""
    return [
        {"x": k, "seed": seed, "method": method, "settings": settings}
        for k in (COMPONENTS[::4] if quick else COMPONENTS)
        for seed in (SEEDS[:1] if quick else SEEDS)
        for method, settings in METHODS.items()
    ]


def run(trial: lab.Trial) -> list[lab.Row]:
    """Draw the points and run the method on them."""
    X, truth = sl.datasets.make_gaussian_mixture(N_SAMPLES, trial["x"], random_state=trial["seed"])
    start = time.process_time()
    labels = find(trial["method"], trial["settings"], X, trial["x"])
    seconds = time.process_time() - start
    return [contenders.outcome(sl.metrics.pairwise_scores(truth, labels), labels, seconds)]


def find(method: str, settings: dict[str, Any], X: np.ndarray, k: int) -> np.ndarray:
    """Return the labels that a method gives to points."""
    if method == "Spectrum":
        return baselines.spectrum(X)
    if method == POINTS:
        return sl.SphereClustering().fit_predict(X)
    if method == "Gaussian mixture":
        return GaussianMixture(k, n_init=5, random_state=0).fit_predict(X)
    return sl.solve(sl.similarity.adaptive(X), **settings).labels


def tables(rows: list[lab.Row]) -> dict[str, list[lab.Row]]:
    """Mean F-score of each method for each number of components."""
    means = figures.mean_by(rows, "method", "x")
    numbers = sorted({row["x"] for row in rows})
    return {
        "gmm_means": [
            {"method": method} | {f"k* = {k}": f"{means[method, k]:.3f}" for k in numbers}
            for method in METHODS
        ]
    }


def draw(rows: list[lab.Row]) -> dict[str, Any]:
    """F-score over the number of components."""
    figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    figures.lines(ax, rows, TOLD)
    ax.set(xlabel="components k*", ylabel="F-score")
    figures.legend(figure, ax)
    return {"gmm": figure}


if __name__ == "__main__":
    lab.main(Path(__file__).stem)
