"""WILLOW-ObjectClass: Table 1 of the paper on graph matches, and the harder linear matches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import contenders
import figures
import matplotlib.pyplot as plt
import numpy as np
import trials as lab

import spherelax as sl

CLASSES = ["car", "duck", "motorbike", "winebottle"]
INPUTS = ["graph", "linear"]
UNIVERSE = 10
# The order of the keypoints in each image is random and depends on the seed.
SEEDS = range(20_000, 20_005)
METHODS: dict[str, dict[str, Any]] = {
    contenders.OURS: {},
    # k = 100, N = 20 and kappa = 0 are the paper's settings for this experiment.
    contenders.PAPER: {"solver": sl.Power(max_labels=100, n_inner=20, kappa=0.0)},
    "HDBSCAN with groups": {},
    "PG": {},
    "Spectral": {"reference": "first"},
    "MatchLift": {},
    "MatchALS": {},
    "NmfSync": {},
    "SparseStiefelOpt": {},
}
TOLD = {name for name in METHODS if contenders.MATCHING[name].told}
ABOUT = (
    "graph: derived graph matches; linear: published linear matches; keypoints in random order; "
    "PG also sees positions where all are known (not car, nor motorbike with linear matches)"
)
# Table 1 of the paper, in the order of CLASSES; Face is 1 for every method there.
PRINTED = {
    contenders.PAPER: [0.985, 0.935, 0.983, 1.0],
    "PG": [0.990, 0.925, 1.0, 1.0],
    "Spectral": [0.990, 0.929, 0.975, 1.0],
    "MatchLift": [0.990, 0.925, 0.976, 1.0],
    "MatchALS": [0.980, 0.921, 0.960, 1.0],
    "NmfSync": [0.990, 0.925, 0.975, 1.0],
    "SparseStiefelOpt": [0.980, 0.861, 0.975, 1.0],
}


def trials(quick: bool) -> list[lab.Trial]:
    """List the trials: problem by problem, every method on each."""
    return [
        {"input": kind, "class": name, "seed": seed, "method": method, "settings": settings}
        for kind in (INPUTS[:1] if quick else INPUTS)
        for name in (["motorbike"] if quick else CLASSES)
        for seed in (SEEDS[:1] if quick else SEEDS)
        for method, settings in METHODS.items()
    ]


def run(trial: lab.Trial) -> list[lab.Row]:
    """Load the matches of a class and run the method on them."""
    data = sl.datasets.load_willow(
        trial["class"], matching=trial["input"], data_home=lab.DATA, random_state=trial["seed"]
    )
    seen = {}
    if trial["method"] == "PG" and np.isfinite(data.positions).all():
        seen["positions"] = data.positions
    return [contenders.match(trial, data.similarity, data.groups, data.labels, UNIVERSE, **seen)]


def tables(rows: list[lab.Row]) -> dict[str, list[lab.Row]]:
    """Mean F-score of each method and class, on graph matches beside the printed one."""
    means = figures.mean_by(rows, "method", "class", "input")
    shown = {
        kind: [name for name in CLASSES if (contenders.OURS, name, kind) in means]
        for kind in INPUTS
    }

    def line(method: str, kind: str) -> lab.Row:
        printed = PRINTED.get(method, [None] * len(CLASSES))
        beside = {
            name: f" ({value:.3f})" if kind == "graph" and value is not None else ""
            for name, value in zip(CLASSES, printed, strict=True)
        }
        return {"method": method} | {
            name: f"{means[method, name, kind]:.3f}{beside[name]}" for name in shown[kind]
        }

    return {
        f"willow_{kind}": [line(method, kind) for method in METHODS]
        for kind in INPUTS
        if shown[kind]
    }


def draw(rows: list[lab.Row]) -> dict[str, Any]:
    """Mean F-score of each method and class; hollow marks are the printed ones."""
    kinds = [kind for kind in INPUTS if any(row["input"] == kind for row in rows)]
    figure, axes = plt.subplots(
        1, len(kinds), figsize=(5 * len(kinds), 3.6), squeeze=False, layout="constrained"
    )
    means = figures.mean_by(rows, "method", "class", "input")
    for ax, kind in zip(axes[0], kinds, strict=True):
        for at, method in enumerate(METHODS):
            place = np.arange(len(CLASSES)) + (at - len(METHODS) / 2) * 0.09
            scores = [means.get((method, name, kind), np.nan) for name in CLASSES]
            name = method + (" (told)" if method in TOLD else "")
            ax.plot(place, scores, "o", color=figures.COLORS[method], label=name)
            if kind == "graph" and method in PRINTED:
                ax.plot(place, PRINTED[method], "o", mfc="none", color=figures.COLORS[method])
        ax.set_xticks(range(len(CLASSES)), CLASSES)
        ax.set(title=f"{kind} matches", ylabel="F-score")
        ax.grid(axis="y", color="0.92")
        ax.spines[["top", "right"]].set_visible(False)
    figures.legend(figure, axes[0, 0])
    return {"willow": figure}


if __name__ == "__main__":
    lab.main(Path(__file__).stem)
