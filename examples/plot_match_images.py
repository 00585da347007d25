"""
Matches between photographs
===========================

A textured ball turns in front of a camera. Each photograph shows the keypoints of the visible
side, and each two photographs are matched by the descriptors of their keypoints. Some of these
matches are wrong. A few wrong ones are enough to make a method fail that uses them all.

This page matches all photographs at once: keypoints with the same label are the same point of the
ball, and no two keypoints of one photograph share a label. The number of points is not given.
"""

# %%
# The photographs
# ---------------
# Thirty points on a ball, ten photographs, seven degrees of rotation between two of them. A point
# faces the camera or is hidden; of those that face it, one in ten is missed by chance. A keypoint
# has the descriptor of its point plus noise of 0.7 times the standard deviation of descriptors.

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

import spherelax as sl

N_POINTS, N_IMAGES, N_NUMBERS = 30, 10, 16
TURN, NOISE, SEED = np.deg2rad(7), 0.7, 0
SIZE, RADIUS = 220, 95

rng = np.random.default_rng(SEED)
ball = rng.standard_normal((N_POINTS, 3))
ball /= np.linalg.norm(ball, axis=1, keepdims=True)
true_descriptors = rng.standard_normal((N_POINTS, N_NUMBERS))

images, point_of_item, positions, descriptors = [], [], [], []
for image in range(N_IMAGES):
    cos, sin = np.cos(image * TURN), np.sin(image * TURN)
    x, y, z = np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]]) @ ball.T
    seen = rng.permutation(np.flatnonzero((z > 0.1) & (rng.random(N_POINTS) < 0.9)))
    images.append(np.full(len(seen), image))
    point_of_item.append(seen)
    positions.append(SIZE / 2 + RADIUS * np.column_stack([x, y])[seen])
    descriptors.append(true_descriptors[seen] + NOISE * rng.standard_normal((len(seen), N_NUMBERS)))

image_of_item, truth = np.concatenate(images), np.concatenate(point_of_item)
positions, descriptors = np.concatenate(positions), np.concatenate(descriptors)
print(f"{len(truth)} keypoints in {N_IMAGES} photographs, of {len(set(truth))} different points")

# %%
# Pairwise matches
# ----------------
# The usual first step: two keypoints of different photographs match if each is the other's most
# similar one. The similarity of a match is the cosine of the two descriptors.

unit = descriptors / np.linalg.norm(descriptors, axis=1, keepdims=True)
cosine = unit @ unit.T
chosen = np.zeros(cosine.shape, dtype=bool)
for image in range(N_IMAGES):
    there = np.flatnonzero(image_of_item == image)
    elsewhere = np.flatnonzero(image_of_item != image)
    best = there[cosine[np.ix_(elsewhere, there)].argmax(axis=1)]
    chosen[elsewhere, best] = True
W = sparse.csr_array(np.where(chosen & chosen.T, cosine.clip(0), 0))
input_pairs = np.argwhere(np.triu(W.toarray(), 1))


def is_right(pairs):
    """Tell which pairs show the same point."""
    return truth[pairs[:, 0]] == truth[pairs[:, 1]]


n_true = sum(n * (n - 1) // 2 for n in np.bincount(truth))
n_right = is_right(input_pairs).sum()
input_f = 2 * n_right / (len(input_pairs) + n_true)
print(f"{len(input_pairs)} pairwise matches, {n_right / len(input_pairs):.1%} of them right")

# %%
# All photographs at once
# -----------------------
# ``groups`` says which photograph each keypoint is from. For comparison: *union-find*, which uses
# every pairwise match and labels the connected components.

matching = sl.SphereMatching().fit(W, groups=image_of_item)
n_components, components = sparse.csgraph.connected_components(W)

scores = {
    "union-find": sl.metrics.pairwise_scores(truth, components, image_of_item),
    "SphereMatching": sl.metrics.pairwise_scores(truth, matching.labels_, image_of_item),
}
print(f"{'method':18}{'precision':>10}{'recall':>10}{'F':>10}")
print(
    f"{'input matches':18}{n_right / len(input_pairs):10.3f}{n_right / n_true:10.3f}{input_f:10.3f}"
)
for name, score in scores.items():
    print(f"{name:18}{score.precision:10.3f}{score.recall:10.3f}{score.f_score:10.3f}")

# %%
# Three of the photographs, with the matches between neighbours: first the input, then the matches
# that follow from the labels. Green is right, dashed red is wrong.

SHOWN = [0, 3, 6]
rows, columns = np.mgrid[:SIZE, :SIZE]
height = 1 - ((rows - SIZE / 2) ** 2 + (columns - SIZE / 2) ** 2) / RADIUS**2
shade = np.where(height > 0, 0.45 + 0.45 * np.sqrt(height.clip(0)), 1)
photographs = dict.fromkeys(SHOWN, np.dstack([shade] * 3))


def draw(pairs, title, ax):
    """Draw the matches between neighbours among the photographs shown."""
    apart = np.abs(np.diff(image_of_item[pairs], axis=1)).ravel()
    pairs = pairs[apart == SHOWN[1] - SHOWN[0]]
    sl.plot.matches(photographs, positions, image_of_item, pairs, correct=is_right(pairs), ax=ax)
    ax.set_title(title, y=1.12)


figure, axes = plt.subplots(2, 1, figsize=(9, 7.4), layout="constrained")
draw(input_pairs, "pairwise matches as they came in", axes[0])
draw(matching.matches(), "matches that follow from the labels", axes[1])

# %%
# Cycle consistency
# -----------------
# If keypoint i matches j, and j matches l in a third photograph, then i should match l. This is
# always true for matches that follow from labels. It is not always true for the input.

before = sl.metrics.cycle_consistency(input_pairs, image_of_item)
after = sl.metrics.cycle_consistency(matching.matches(), image_of_item)
print(f"chains that close: {before:.1%} before, {after:.1%} after")

# %%
# In short
# --------

print(
    f"{len(set(truth))} points, {matching.n_labels_} labels, "
    f"resolution {matching.resolution_:.3g}\n"
    f"F: input matches {input_f:.3f}, union-find {scores['union-find'].f_score:.3f}, "
    f"SphereMatching {scores['SphereMatching'].f_score:.3f}\n"
    f"{matching.result_.status.sentence}"
)
