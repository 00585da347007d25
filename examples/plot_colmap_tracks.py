"""
Feature tracks from a COLMAP database
=====================================

A house front with rows of equal windows is photographed from several places. Keypoints are matched
between each two photographs, and sometimes a corner of a window is mistaken for that of the window
below it. Structure from motion needs *tracks*. A track is the set of all keypoints that show one
point of the scene. The usual way, union-find, follows every match. So one wrong match joins two
tracks, and one photograph then has two keypoints for the same point.

This page makes such a database in COLMAP's format, reads it, finds the tracks, and writes a copy
without the matches that contradict the others. COLMAP can map the copy. With a database of your
own, start at the third section.
"""

# %%
# The photographs
# ---------------
# Twenty-four windows with four corners each, seen by eight cameras on an arc. 30 % of the keypoints
# are missed.

import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import spherelax as sl
from spherelax.io import read_colmap, write_colmap

N_CAMERAS, WIDTH, HEIGHT, FOCAL = 8, 640, 480, 500
MISSED, WRONG, SEED = 0.3, 0.15, 0

rng = np.random.default_rng(SEED)
window, floor, corner = (index.ravel() for index in np.mgrid[:6, :4, :4])
points = np.column_stack(
    [
        1.5 * (window - 2.5) + 0.6 * (corner % 2),
        1.5 * (floor - 1.5) + 0.9 * (corner // 2),
        0.3 * rng.random(len(window)),
    ]
)


def photograph(camera):
    """Return which points are seen from a place on the arc, where, and the picture."""
    angle = np.deg2rad(8) * (camera - (N_CAMERAS - 1) / 2)
    turn = np.array(
        [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
    )
    x, y, depth = (points @ turn.T + [0, 0, 9]).T
    position = np.column_stack([WIDTH / 2 + FOCAL * x / depth, HEIGHT / 2 + FOCAL * y / depth])
    picture = np.full((HEIGHT, WIDTH), 0.95)
    for corners in position.reshape(-1, 4, 2):
        (left, top), (right, bottom) = (
            np.array([corners.min(0), corners.max(0)]).clip(0).astype(int)
        )
        picture[top:bottom, left:right] = 0.8
    position += 0.5 * rng.standard_normal(position.shape)
    inside = (position > 0).all(axis=1) & (position < [WIDTH, HEIGHT]).all(axis=1)
    seen = rng.permutation(np.flatnonzero(inside & (rng.random(len(points)) > MISSED)))
    return seen, position[seen], picture


photographs = {f"front{camera}.jpg": photograph(camera) for camera in range(N_CAMERAS)}


# %%
# A database as COLMAP makes it
# -----------------------------
# COLMAP keeps images, keypoints and matches in one SQLite file. Two images with the ids ``a < b``
# are the pair ``2147483647 a + b``; the matches of a pair are rows of two keypoint numbers. Of the
# keypoints above the lowest floor, 15 % are mistaken for the same corner of the window below.


def matched(first, second):
    """Return the matches of two photographs: rows of keypoints, a few of them wrong."""
    there = {point: keypoint for keypoint, point in enumerate(second)}
    mistaken = rng.random(len(first)) < WRONG
    goals = np.where(mistaken & (floor[first] < 3), first + 4, first)
    pairs = [(keypoint, there[goal]) for keypoint, goal in enumerate(goals) if goal in there]
    return np.array(pairs, dtype=np.uint32)


folder = tempfile.TemporaryDirectory()
path = Path(folder.name, "database.db")
with closing(sqlite3.connect(path)) as database:
    database.executescript(
        """
        CREATE TABLE images (image_id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE keypoints
            (image_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER, data BLOB);
        CREATE TABLE two_view_geometries
            (pair_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER, data BLOB, config INTEGER);
        """
    )
    for image, (name, (_, position, _)) in enumerate(photographs.items(), start=1):
        keypoints = position.astype(np.float32)
        database.execute("INSERT INTO images VALUES (?, ?)", (image, name))
        database.execute(
            "INSERT INTO keypoints VALUES (?, ?, 2, ?)",
            (image, len(keypoints), keypoints.tobytes()),
        )
    views = [seen for seen, _, _ in photographs.values()]
    for a in range(N_CAMERAS):
        for b in range(a + 1, N_CAMERAS):
            matches = matched(views[a], views[b])
            database.execute(
                "INSERT INTO two_view_geometries VALUES (?, ?, 2, ?, 2)",
                (2147483647 * (a + 1) + b + 1, len(matches), matches.tobytes()),
            )
    database.commit()

# %%
# Three lines
# -----------
# Keypoints are the items, photographs are the groups, and a match is a similarity of 1.

items = read_colmap(path)
result = sl.solve(items.problem)
tracks = items.answer(result)

print(f"{len(items.ids)} keypoints, {items.similarity.nnz // 2} matches")
print(f"{max(tracks['track']) + 1} tracks of {len(points)} points; the first rows:")
print(*tracks, sep="\t")
for row in list(zip(*tracks.values(), strict=True))[:4]:
    print(*(f"{cell:.2f}" if isinstance(cell, float) else cell for cell in row), sep="\t")

# %%
# Against union-find
# ------------------
# Some programs keep all tracks of union-find. Others drop each component that has two keypoints in
# one photograph. Here there are so many wrong matches that neither works well.

truth = np.array([photographs[name][0][keypoint] for name, keypoint in items.ids])


def n_conflicting(labels):
    """Count the labels that are in one photograph twice."""
    cells = Counter(zip(labels, items.groups, strict=True))
    return len({label for (label, _), size in cells.items() if size > 1})


answers = {
    "union-find": sl.baselines.union_find(items.similarity, items.groups),
    "conflicts dropped": sl.baselines.union_find(items.similarity, items.groups, conflicts="drop"),
    "spherelax": result.labels,
}
print(f"{'method':20}{'tracks':>8}{'conflicts':>11}{'precision':>11}{'recall':>8}{'F':>7}")
for method, labels in answers.items():
    precision, recall, f_score = sl.metrics.pairwise_scores(truth, labels, items.groups)
    n_tracks = (np.bincount(labels) > 1).sum()
    print(
        f"{method:20}{n_tracks:8}{n_conflicting(labels):11}"
        f"{precision:11.3f}{recall:8.3f}{f_score:7.3f}"
    )

# %%
# The cleaned database
# --------------------
# The copy has the matches whose two keypoints share a track, and with ``add_missing`` also those
# that follow from a track and were not found. Everything else in it is unchanged.

cleaned = path.with_name("cleaned.db")
counts = write_colmap(cleaned, items, result, add_missing=True)
print(f"{counts.kept} matches kept, {counts.removed} removed, {counts.added} added")


def pairs_in(file):
    """Return the matches in a database as rows of items."""
    number = {name: item for item, name in enumerate(items.ids)}
    again = read_colmap(file)
    pairs = np.argwhere(np.triu(again.similarity.toarray()))
    return np.array([[number[again.ids[i]], number[again.ids[j]]] for i, j in pairs])


shown = ["front0.jpg", "front3.jpg", "front6.jpg"]
pictures = {name: np.dstack([photographs[name][2]] * 3) for name in shown}
image_of_item = np.array(items.groups)
figure, axes = plt.subplots(2, 1, figsize=(9, 6.4), layout="constrained")
for ax, file, title in zip(axes, (path, cleaned), ("as it was", "cleaned"), strict=True):
    pairs = pairs_in(file)
    steps = [list(image_of_item[pair]) in (shown[:2], shown[1:]) for pair in pairs]
    pairs = pairs[steps]
    right = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    sl.plot.matches(pictures, items.positions, image_of_item, pairs, correct=right, ax=ax)
    ax.set_title(f"{title}: {len(pairs)} matches, {(~right).sum()} wrong", y=1.12)

# %%
# In short
# --------
# The next step is COLMAP's: ``pycolmap.incremental_mapping("cleaned.db", ...)``.

for file in (path, cleaned):
    ends = truth[pairs_in(file)]
    print(f"{file.name}: {len(ends)} matches, {(ends[:, 0] != ends[:, 1]).sum()} of them wrong")
folder.cleanup()
