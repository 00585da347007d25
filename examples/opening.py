"""The first picture of the documentation: the problem, the usual answer, and ours.

Four photographs of a house, matches between their corners, some of them wrong. The picture is
written to ``opening.png``.
"""

from itertools import combinations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import spherelax as sl

# Corners of the house, x to the right and y up, and its lines.
CORNERS = np.array([[0, 0], [4, 0], [4, 3], [2, 5], [0, 3], [1.2, 2.4], [2.8, 2.4]])
LINES = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (2, 4), (5, 6)]
# How each photograph sees it: a matrix, and the place of the photograph on the page.
VIEWS = [
    ([[1.0, 0.0], [0.0, 1.0]], (0, 9)),
    ([[0.85, 0.1], [0.08, 1.0]], (9, 9)),
    ([[0.8, -0.1], [-0.1, 0.9]], (0, 0)),
    ([[1.05, 0.15], [0.0, 0.8]], (9, 0)),
]
# A wrong match: photograph and corner, photograph and corner.
WRONG = [(0, 2, 1, 3), (2, 0, 3, 5), (1, 6, 3, 1), (0, 4, 2, 5), (1, 0, 2, 6), (1, 3, 3, 4)]
MISSING = 5  # every fifth right match was not found
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195"]

n_corners = len(CORNERS)
photograph = np.repeat(np.arange(len(VIEWS)), n_corners)
places = np.concatenate([
    CORNERS @ np.array(matrix).T + [at[0] + 1.6, at[1] + 1.3] for matrix, at in VIEWS
])  # fmt: skip
right = [
    (a * n_corners + corner, b * n_corners + corner)
    for a, b in combinations(range(len(VIEWS)), 2)
    for corner in range(n_corners)
]
right = [pair for number, pair in enumerate(right) if number % MISSING]
wrong = [(a * n_corners + i, b * n_corners + j) for a, i, b, j in WRONG]
similarity = np.zeros((len(places),) * 2)
for i, j in right + wrong:
    similarity[i, j] = similarity[j, i] = 1.0

joined = sl.baselines.union_find(similarity, photograph)
result = sl.solve(similarity, photograph)
print(f"union-find: {joined.max() + 1} tracks; spherelax: {result.n_labels} tracks")
kept = result.labels[[i for i, _ in wrong]] == result.labels[[j for _, j in wrong]]
print(f"{np.count_nonzero(~kept)} of {len(wrong)} wrong matches are dropped")


def draw(ax, title, labels=None):
    """Draw photographs, matches and corners; matches between different labels are dashed."""
    for (_, at), corners in zip(VIEWS, np.split(places, len(VIEWS)), strict=True):
        ax.add_patch(Rectangle(at, 8, 8, facecolor="#f4f6f8", edgecolor="#8a949e"))
        for line in LINES:
            ax.plot(*corners[list(line)].T, color="#c9cfd5", linewidth=3, zorder=1)
    for i, j in right + wrong:
        is_dropped = labels is not None and labels[i] != labels[j]
        style = {"color": "#c00000", "linestyle": (0, (3, 3)), "linewidth": 1.1}
        plain = {"color": "#333333", "linewidth": 0.7, "alpha": 0.45}
        if labels is not None and not is_dropped:
            plain |= {"color": COLOURS[labels[i] % len(COLOURS)], "alpha": 0.7}
        ax.plot(*places[[i, j]].T, zorder=2, **(style if is_dropped else plain))
    colours = "#333333" if labels is None else [COLOURS[n % len(COLOURS)] for n in labels]
    ax.scatter(*places.T, c=colours, s=34, edgecolor="white", linewidth=0.8, zorder=3)
    ax.set(aspect="equal", xticks=[], yticks=[])
    ax.set_title(title, fontsize=12)
    ax.spines[:].set_visible(False)


figure = Figure(figsize=(12, 4.6), layout="constrained")
left, middle, last = figure.subplots(1, 3)
draw(left, f"In: matches between photographs,\n{len(wrong)} of them wrong")
draw(middle, f"Following every match:\n{joined.max() + 1} track, with all corners in it", joined)
draw(last, f"spherelax: {result.n_labels} tracks,\none for each corner of the house", result.labels)
figure.savefig("opening.png", dpi=100, facecolor="white", bbox_inches="tight")
