"""
Cell types, without choosing a resolution
=========================================

The steps of a single-cell analysis up to clustering: counts, normalisation, principal components, a
neighbour graph in an AnnData. Leiden needs a resolution; here the resolution is found, and the same
run also holds answers with more and with fewer labels. The cells are simulated, so the right answer
is known.
"""

# %%
# Counts
# ------
# Four types of cells, two subtypes of each; types differ in 60 genes, the two subtypes in 30. Some
# types are rare. Counts have a Poisson distribution, and cells differ in the number of molecules
# that were detected.

from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA

import spherelax as sl
from spherelax.io import from_anndata, from_graph, label_obs

N_CELLS, N_GENES, SEED = 1500, 500, 0
SHARES = [0.24, 0.2, 0.14, 0.12, 0.1, 0.08, 0.07, 0.05]
RESOLUTIONS = [0.1, 0.3, 1.0, 2.0, 4.0]
COMPONENTS, NEIGHBOURS = 15, 15
COARSE = 0.03  # times the average similarity

rng = np.random.default_rng(SEED)
subtype = rng.choice(len(SHARES), N_CELLS, p=SHARES)
cell_type = subtype // 2
rate = np.tile(rng.gamma(0.6, 1.0, N_GENES), (len(SHARES), 1))
for kind in range(len(SHARES)):
    rate[kind, rng.choice(N_GENES, 30, replace=False)] *= np.exp(rng.normal(0.65, 0.3, 30))
for kind in range(0, len(SHARES), 2):
    rate[kind : kind + 2, rng.choice(N_GENES, 60, replace=False)] *= np.exp(
        rng.normal(1.5, 0.4, 60)
    )
caught = rng.lognormal(0.0, 0.3, N_CELLS)
counts = rng.poisson(caught[:, None] * rate[subtype])
print(f"{N_CELLS} cells, {N_GENES} genes, {(counts == 0).mean():.0%} of the counts are zero")

# %%
# The neighbour graph
# -------------------
# The usual steps: the same total for each cell, logarithm, principal components, neighbours. With
# scanpy these are ``normalize_total``, ``log1p``, ``pca`` and ``neighbors``, and then the graph is
# in ``adata.obsp["connectivities"]``.

total = counts.sum(axis=1, keepdims=True)
expression = np.log1p(counts / total * np.median(total))
components = PCA(COMPONENTS, random_state=SEED).fit_transform(expression)
connectivities = sl.similarity.nearest_neighbors(
    components, n_neighbors=NEIGHBOURS, standardize=False
)

# %%
# Labels in ``obs``
# -----------------
# Take the graph, solve, write the labels back; ``sl.cells.label(adata)`` does the same in one line.
# ``adata.obs["spherelax"]`` is categorical, like the labels that scanpy writes for Leiden, so that
# scanpy can plot it. Without anndata, the graph is used directly.

adata = None
if find_spec("anndata"):
    from anndata import AnnData

    adata = AnnData(counts.astype(np.float32), obsp={"connectivities": connectivities})
    adata.obs_names = [f"cell-{number}" for number in range(N_CELLS)]

items = from_graph(connectivities) if adata is None else from_anndata(adata)
result = sl.solve(items.problem)


def f_scores(labels):
    """Return the F-scores of labels against types and against subtypes."""
    return [sl.metrics.pairwise_scores(truth, labels).f_score for truth in (cell_type, subtype)]


print(f"{result.n_labels} labels at resolution {result.resolution:.3g}: {result.status.sentence}")
print("F against types {:.3f}, against subtypes {:.3f}".format(*f_scores(result.labels)))
if adata is not None:
    label_obs(adata, result)
    print(adata.obs["spherelax"].value_counts().to_dict())

# %%
# Another resolution
# ------------------
# One run holds the labels at many resolutions; ``with_n_labels`` and ``at`` take them from the
# result. The path ends where coarser labels describe the graph worse and worse. If no step has the
# number of labels that was asked for, a warning says which one was taken. A run with
# ``pick=COARSE`` goes on to that resolution. Each answer may have a column of its own.

fewest = result.with_n_labels(int(result.path.n_labels.min()))
print(f"{fewest.n_labels} labels at resolution {fewest.resolution:.3g}: {fewest.status.sentence}")
coarse = sl.solve(items.problem, pick=COARSE)
print(f"{coarse.n_labels} labels at resolution {coarse.resolution:.3g}: {coarse.status.sentence}")
print("F against types {:.3f}, against subtypes {:.3f}".format(*f_scores(coarse.labels)))
if adata is not None:
    label_obs(adata, coarse, key="coarse")
    print(", ".join(adata.obs.columns))

figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained")
for ax, (title, labels) in zip(
    axes,
    {
        "subtypes as made": subtype,
        f"picked: {result.n_labels} labels": result.labels,
        f"coarser: {coarse.n_labels} labels": coarse.labels,
    }.items(),
    strict=True,
):
    ax.scatter(*components[:, :2].T, c=labels, cmap="tab10", s=4)
    ax.set(title=title, xticks=[], yticks=[], xlabel="component 1", ylabel="component 2")

# %%
# The confidence of each cell
# ---------------------------
# Confidence says, from 0 to 1, how much better a label is than the next best. Cells whose label
# belongs mostly to another subtype should have low values.

majority = np.array([np.bincount(subtype[result.labels == n]).argmax() for n in result.labels])
wrong = majority != subtype
print(f"{wrong.sum()} cells are among those of another subtype")
if wrong.any():
    print(
        f"confidence: {result.confidence[wrong].mean():.2f} on average for them, "
        f"{result.confidence[~wrong].mean():.2f} for the others"
    )

# %%
# Leiden on the same graph
# ------------------------
# Leiden finds good labels too, at the right resolution. But the graph does not say which one that
# is.

print(f"{'':<18}{'labels':>7}{'F types':>9}{'F subtypes':>12}")
rows = {"spherelax, picked": result.labels, f"spherelax at {COARSE:g}": coarse.labels}
if find_spec("igraph"):
    rows |= {
        f"Leiden at {resolution:g}": sl.baselines.leiden(items.similarity, resolution=resolution)
        for resolution in RESOLUTIONS
    }
for name, labels in rows.items():
    print("{:<18}{:>7}{:9.3f}{:12.3f}".format(name, labels.max() + 1, *f_scores(labels)))

# %%
# The sweep
# ---------
# The number of labels (grey) stays the same over a range of resolutions if the graph has structure
# of that size.

sl.plot.sweep(result, truth=subtype)

# sphinx_gallery_thumbnail_number = 1
