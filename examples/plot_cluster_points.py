"""
Points in a scikit-learn pipeline
=================================

``SphereClustering`` is a scikit-learn estimator. Points become similarities by its ``affinity``,
similarities become labels, and the number of clusters is part of the answer. Which clusters can be
found depends on the affinity; this page shows where each one works and where it does not.
"""

# %%
# One line
# --------
# Four round clusters of different widths, and the default affinity: a graph that joins each point
# with its ten nearest neighbours. Two labels are merged unless the density is lower between them (a
# valley).

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, make_blobs, make_moons
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

import spherelax as sl

points, truth = make_blobs(100, centers=4, cluster_std=[0.4, 0.6, 0.8, 1.0], random_state=3)
labels = sl.SphereClustering().fit_predict(points)
print(f"{len(set(labels))} clusters found, {len(set(truth))} drawn")

# %%
# Four affinities
# ---------------
# Four affinities on the clusters above and on two crescents. ``affinity_params`` are the keyword
# arguments of the function of that name in :mod:`spherelax.similarity`.

AFFINITIES = {
    "nearest_neighbors": {"n_neighbors": 10},
    "adaptive": {},
    "rbf, median scale": {"scale": "median"},
    "rbf, local scale": {"scale": "local"},
}
moons = make_moons(400, noise=0.05, random_state=0)

figure, axes = plt.subplots(2, 4, figsize=(11, 5.4), layout="constrained")
for row, (name, (X, y)) in zip(
    axes, {"blobs": (points, truth), "moons": moons}.items(), strict=True
):
    for ax, (affinity, settings) in zip(row, AFFINITIES.items(), strict=True):
        model = sl.SphereClustering(affinity.split(",")[0], affinity_params=settings)
        model.fit(X)
        f_score = sl.metrics.pairwise_scores(y, model.labels_).f_score
        ax.scatter(*X.T, c=model.labels_ % 20, cmap="tab20", s=9)
        ax.set_title(
            f"{affinity}\n{model.n_clusters_} clusters, F = {f_score:.2f}", fontsize="medium"
        )
        ax.set(xticks=[], yticks=[], aspect="equal")
        print(f"{name:8}{affinity:20}{model.n_clusters_:4} clusters  F = {f_score:.3f}")

# %%
# The objective is large for clusters whose members are all similar to *each other*, not for chains
# of neighbours. A crescent is a chain, so the kernels of all pairs leave it in pieces. With the
# neighbour graph, valleys in density show which pieces are separate clusters, if there are enough
# points. The median scale is too wide for clusters that are much smaller than the whole data.

# %%
# A pipeline on digits
# --------------------
# 400 of the 8 x 8 images of handwritten digits that come with scikit-learn. Features that seem to
# be measurements in different units get equal variances; principal components stay as they are.

digits, numbers = load_digits(return_X_y=True)
digits, numbers = digits[:400], numbers[:400]
pipeline = make_pipeline(PCA(40, random_state=0), sl.SphereClustering())
labels = pipeline.fit_predict(digits)
model = pipeline[-1]
score = sl.metrics.pairwise_scores(numbers, labels)
print(
    f"{model.n_clusters_} clusters for {len(set(numbers))} digits: "
    f"precision {score.precision:.3f}, recall {score.recall:.3f}, F = {score.f_score:.3f}"
)

# %%
# Each row of the picture is a cluster: its ten images with the highest confidence.

order = np.argsort(-np.bincount(labels))
figure, ax = plt.subplots(figsize=(5, 0.5 * min(len(order), 12)), layout="constrained")
strips = []
for label in order[:12]:
    members = np.flatnonzero(labels == label)
    members = members[np.argsort(-model.confidence_[members], kind="stable")][:10]
    strip = np.zeros((10, 10, 10))
    strip[: len(members), 1:9, 1:9] = digits[members].reshape(-1, 8, 8)
    strips.append(np.hstack(list(strip)))
ax.imshow(np.vstack(strips), cmap="Greys")
ax.set_axis_off()

# %%
# How much the settings matter
# ----------------------------
# The same pipeline with fewer and with more neighbours. With eight, not all valleys are found.

for n_neighbors in (8, 10, 12, 15):
    pipeline.set_params(sphereclustering__affinity_params={"n_neighbors": n_neighbors})
    labels = pipeline.fit_predict(digits)
    f_score = sl.metrics.pairwise_scores(numbers, labels).f_score
    print(f"{n_neighbors:2} neighbours: {len(set(labels)):2} clusters, F = {f_score:.3f}")
