"""
The method on nine items
========================

The smallest problem that shows every part of the paper's method, ``solver="power"``: three points
(the universe), four images with two or three of them each, nine items in all, and three pairs of
items that are wrongly called similar. The bound on the number of labels is 6, twice what is needed.
Alpha and eta are explained on the page :doc:`/method`.
"""

# %%
# The input
# ---------

import matplotlib.pyplot as plt
import numpy as np

import spherelax as sl

images = np.array([0, 0, 0, 1, 1, 2, 2, 3, 3])
truth = np.array([0, 1, 2, 0, 1, 1, 2, 0, 2])
wrong = [(0, 4), (3, 5), (2, 7)]

W = (truth[:, None] == truth).astype(float)
for i, j in wrong:
    W[i, j] = W[j, i] = 1
print(W.astype(int))

# %%
# The sweep and the pick
# ----------------------
# Left: eta, how much the objective rose in the last of the power iterations at each alpha. Right:
# the same with the two maxima, the pick between them and the F-score of the labels at each alpha.
# The sweep goes from right to left. First, single items join. In the valley of eta there are three
# labels, and nothing changes. Then these three join too.

result = sl.solve(W, groups=images, solver=sl.Power(max_labels=6))
sl.plot.illustration(result, truth, groups=images)
print(f"alpha* = {result.path.alpha:g}, {result.n_labels} labels")
print("true ", truth)
print("found", result.labels)

# %%
# Input, relaxed rows, labels
# ---------------------------
# From left to right: ``W`` with its wrong entries in red; the rows of ``U`` at the pick; and the
# labels, which one linear assignment per image makes of these rows. Lines separate the images.
# Several columns of ``U`` can stand for one label, because only the products of rows count.

U = result.embedding()
onehot = np.eye(result.n_labels)[result.labels]
figure, axes = plt.subplots(
    1, 3, figsize=(9, 3.8), width_ratios=[9, 6, 3], layout="constrained", sharey=True
)
for ax, array, title in zip(axes, (W, U, onehot), ("W", "U", "labels"), strict=True):
    ax.imshow(array, cmap="Greys", vmin=0, vmax=1)
    ax.hlines(np.flatnonzero(np.diff(images)) + 0.5, -0.5, array.shape[1] - 0.5, color="#0072B2")
    ax.set(title=title, xticks=range(array.shape[1]), yticks=range(9))
axes[0].set_ylabel("item")
for i, j in wrong:
    axes[0].plot([j, i], [i, j], "s", color="#D55E00", ms=9)

# %%
# On the sphere
# -------------
# With a bound of 3 the rows of ``U`` are points in three dimensions and can be drawn. A corner is a
# label. Near alpha = 1 the rows are at the corners of the start and do not depend on ``W``. In the
# valley of eta each row is near the corner of its true point; the wrong entries move it a little
# away. As alpha falls further, the rows move together. Colours are the true points. Equal rows
# cover each other.

tight = sl.solve(W, groups=images, solver=sl.Power(max_labels=3))
stages = [tight.at(99.0), tight, tight.at(0.05)]
figure, axes = plt.subplots(
    1, 3, figsize=(11, 4), layout="constrained", subplot_kw={"projection": "3d"}
)
for ax, stage in zip(axes, stages, strict=True):
    sl.plot.sphere(stage.embedding(), labels=truth, ax=ax)
    ax.set_title(f"alpha = {stage.path.alpha:g}")

# %%
# In short
# --------

for name, answer in (("bound 6", result), ("bound 3", tight)):
    f_score = sl.metrics.pairwise_scores(truth, answer.labels, images).f_score
    print(f"{name}: alpha* = {answer.path.alpha:g}, {answer.n_labels} labels, F = {f_score:.3f}")

# sphinx_gallery_thumbnail_number = 3
