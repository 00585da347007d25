"""The paper's worked example on nine items, and eta over alpha with the pick and the F-score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import contenders
import figures
import matplotlib.pyplot as plt
import numpy as np
import trials as lab

import spherelax as sl

# A universe of three points in four images, and three wrong pairs.
GROUPS = np.array([0, 0, 0, 1, 1, 2, 2, 3, 3])
TRUTH = np.array([0, 1, 2, 0, 1, 1, 2, 0, 2])
WRONG = [(0, 4), (3, 5), (2, 7)]
BOUND = 6
# The sample clustering problem of the curves.
SAMPLE = {"n_items": 150, "n_clusters": 5, "rewired": 0.4, "missing": 0.2}
SEED = 20_000
METHODS: dict[str, dict[str, Any]] = {
    contenders.OURS: {},
    contenders.PAPER: {"solver": sl.Power(max_labels=100, n_inner=20, kappa=0.01)},
}
# The bound of the nine items.
SMALL = {contenders.PAPER: {"solver": sl.Power(max_labels=BOUND, n_inner=20, kappa=0.01)}}
ABOUT = f"matching: nine items, bound {BOUND}; clustering: make_binary_similarity with {SAMPLE}"


def trials(quick: bool) -> list[lab.Trial]:  # noqa: ARG001 (as all experiments)
    """List the trials: both problems by both solvers."""
    return [
        {"problem": problem, "seed": SEED, "method": method, "settings": settings}
        for problem in ("matching", "clustering")
        for method, settings in (METHODS | (SMALL if problem == "matching" else {})).items()
    ]


def matching() -> np.ndarray:
    """Return the similarities of the nine items."""
    W = (TRUTH[:, None] == TRUTH).astype(float)
    for i, j in WRONG:
        W[i, j] = W[j, i] = 1.0
    return W


def run(trial: lab.Trial) -> list[lab.Row]:
    """Solve, and return a row for each step of the path."""
    if trial["problem"] == "matching":
        W, groups, truth = matching(), GROUPS, TRUTH
    else:
        W, truth = sl.datasets.make_binary_similarity(random_state=SEED, **SAMPLE)
        groups = None
    result = sl.solve(W, groups, **trial["settings"])
    path = result.path
    return [
        {
            "alpha": float(alpha),
            "eta": float(eta),
            "n_labels": len(np.unique(labels)),
            "f_score": sl.metrics.pairwise_scores(truth, labels, groups).f_score,
            "picked": int(step == result.path.picked),
        }
        for step, (alpha, eta, labels) in enumerate(
            zip(path.alphas, path.etas, result.path.labels, strict=True)
        )
    ]


def tables(rows: list[lab.Row]) -> dict[str, list[lab.Row]]:
    """Return what was picked."""
    return {
        "illustration_picks": [
            {
                "problem": row["problem"],
                "method": row["method"],
                "alpha*": f"{row['alpha']:.3f}",
                "labels": row["n_labels"],
                "F": f"{row['f_score']:.3f}",
            }
            for row in rows
            if row["picked"]
        ]
    }


def draw(rows: list[lab.Row]) -> dict[str, Any]:
    """Draw the worked example; eta alone, and eta with the pick and the F-score."""
    return {"illustration": draw_matrices(), "illustration_eta": draw_curves(rows)}


def draw_matrices() -> Any:
    """Draw W with its wrong entries, the start, the rows at the pick, and the assignment."""
    result = sl.solve(matching(), GROUPS, solver=sl.Power(max_labels=BOUND))
    start = np.eye(BOUND)[np.arange(len(TRUTH)) % BOUND]
    found = np.eye(result.n_labels)[result.labels]
    shown = {
        "W": matching(),
        "U₀": start,
        f"U at α* = {result.path.alpha:g}": result.embedding(),
        "assigned": found,
    }
    figure, axes = plt.subplots(
        1, 4, figsize=(9, 3.4), width_ratios=[9, 6, 6, 3], sharey=True, layout="constrained"
    )
    for ax, (title, matrix) in zip(axes, shown.items(), strict=True):
        width = matrix.shape[1]
        ax.imshow(matrix, cmap="Greys", vmin=0, vmax=1)
        ax.hlines(np.flatnonzero(np.diff(GROUPS)) + 0.5, -0.5, width - 0.5, color="#0072B2")
        ax.set(title=title, xticks=range(width), yticks=range(len(TRUTH)))
    for i, j in WRONG:
        axes[0].plot([j, i], [i, j], "s", color="#D55E00", ms=9)
    axes[0].set_ylabel("item")
    return figure


def draw_curves(rows: list[lab.Row]) -> Any:
    """Draw eta over alpha; on the right with the pick and the F-score at each alpha."""
    own = [r for r in rows if r["problem"] == "clustering" and r["method"] == contenders.PAPER]
    alphas, etas, scores = (
        np.array([r[name] for r in own]) for name in ("alpha", "eta", "f_score")
    )
    picked = next(r for r in own if r["picked"])
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for ax in axes:
        ax.plot(alphas, etas, color=figures.COLORS[contenders.PAPER])
        ax.set(xlabel="α", ylabel="η", xlim=(0, 1), ylim=(0, None))
        ax.spines["top"].set_visible(False)
    right = axes[1].twinx()
    right.plot(alphas, scores, color="#0072B2", lw=1)
    right.axhline(picked["f_score"], color="black", ls="--", lw=1)
    right.set(ylabel="F-score", ylim=(0, 1.05))
    right.spines["top"].set_visible(False)
    axes[1].plot(picked["alpha"], picked["eta"], "o", color="#009E73", zorder=5, clip_on=False)
    return figure


if __name__ == "__main__":
    lab.main(Path(__file__).stem)
