"""Common parts of the figures: one colour per method; dashes for methods that are told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from contenders import OURS, PAPER

Row = dict[str, Any]

COLORS = {
    OURS: "#D55E00",
    PAPER: "#CC79A7",
    **dict.fromkeys(("CLEAR", "Affinity propagation", "Spectrum", "Leiden, modularity"), "#000000"),
    **dict.fromkeys(("MatchEig", "NMF", "Gaussian mixture"), "#0072B2"),
    **dict.fromkeys(("Spectral", "Spectral + k-means"), "#009E73"),
    **dict.fromkeys(("NmfSync", "Spectral + spherical k-means"), "#56B4E9"),
    **dict.fromkeys(("MatchALS", "our points estimator"), "#E69F00"),
    "HDBSCAN with groups": "#7570B3",
    "SparseStiefelOpt": "#7F7F7F",
    "Spectral, as published": "#A6D96A",
    "PG": "#8C564B",
    "MatchLift": "#B8A100",
}


def mean_by(rows: Iterable[Row], *names: str) -> dict[tuple[Any, ...], float]:
    """Return the mean F-score of the rows that agree in some columns, in order of appearance."""
    found: dict[tuple[Any, ...], list[float]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row["f_score"])
    return {values: float(np.mean(scores)) for values, scores in found.items()}


def panel_means(rows: list[Row], titles: dict[str, str]) -> list[Row]:
    """Return a line for each method with its mean F-score in each panel."""
    means = mean_by(rows, "method", "panel")
    return [
        {"method": method}
        | {title: f"{means[method, panel]:.3f}" for panel, title in titles.items()}
        for method in dict.fromkeys(row["method"] for row in rows)
    ]


def lines(ax: Any, rows: list[Row], told: set[str]) -> None:
    """Draw the mean F-score of each method over x, with its standard error as a band."""
    for method in dict.fromkeys(row["method"] for row in rows):
        own = [row for row in rows if row["method"] == method]
        xs = sorted({row["x"] for row in own})
        scores = [np.array([row["f_score"] for row in own if row["x"] == x]) for x in xs]
        mean = np.array([each.mean() for each in scores])
        error = np.array(
            [each.std(ddof=1) / len(each) ** 0.5 if len(each) > 1 else 0 for each in scores]
        )
        color = COLORS[method]
        ax.fill_between(xs, mean - error, mean + error, color=color, alpha=0.15, lw=0)
        ax.plot(
            xs,
            mean,
            "--" if method in told else "-",
            color=color,
            lw=2.2 if method == OURS else 1.3,
            label=method + (" (told)" if method in told else ""),
            zorder=3 if method == OURS else 2,
        )
    ax.set_ylim(0, 1.02)
    ax.grid(color="0.92")
    ax.spines[["top", "right"]].set_visible(False)


def panels(rows: list[Row], titles: dict[str, str], told: set[str]) -> Any:
    """Draw one panel for each varied parameter, with a common legend."""
    figure, axes = plt.subplots(
        1, len(titles), figsize=(2.9 * len(titles), 3.8), sharey=True, layout="constrained"
    )
    for ax, (panel, title) in zip(axes, titles.items(), strict=True):
        lines(ax, [row for row in rows if row["panel"] == panel], told)
        ax.set_xlabel(title)
    axes[0].set_ylabel("F-score")
    legend(figure, axes[0])
    return figure


def legend(figure: Any, ax: Any) -> None:
    """Put the legend of one panel above the figure."""
    handles, names = ax.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=4, frameon=False, fontsize=8)
