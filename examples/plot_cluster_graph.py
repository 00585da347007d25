"""
A graph at two resolutions
==========================

A sparse graph with communities inside communities, like cell types and their subtypes. One run
finds labels, and keeps the labels of all resolutions from fine to coarse: the path. Coarser and
finer answers are taken from the path without another run.
"""

# %%
# The graph
# ---------
# Three communities of four parts each, twenty nodes per part. Nodes are joined with probability
# 0.6 inside a part, 0.1 inside a community and 0.01 otherwise, and then shuffled.

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

import spherelax as sl

N_COMMUNITIES, N_PARTS, SIZE, SEED = 3, 4, 20, 0

rng = np.random.default_rng(SEED)
part = rng.permutation(np.repeat(np.arange(N_COMMUNITIES * N_PARTS), SIZE))
community = part // N_PARTS
first, second = np.triu_indices(len(part), 1)
same_part, same_community = part[first] == part[second], community[first] == community[second]
joined = rng.random(len(first)) < np.select([same_part, same_community], [0.6, 0.1], 0.01)
edges = sparse.coo_array(
    (np.ones(joined.sum()), (first[joined], second[joined])), shape=(len(part), len(part))
)
graph = sparse.csr_array(edges + edges.T)
print(f"{len(part)} nodes, {graph.nnz // 2} edges, density {graph.nnz / len(part) ** 2:.1%}")

# %%
# One run
# -------

result = sl.solve(graph)


def f_scores(labels):
    """Return the F-scores of labels against communities and against parts."""
    return [sl.metrics.pairwise_scores(truth, labels).f_score for truth in (community, part)]


print(f"{result.n_labels} labels at resolution {result.resolution:.3g}: {result.status.sentence}")
print("F against communities {:.3f}, against parts {:.3f}".format(*f_scores(result.labels)))

# %%
# The matrix as given and sorted by label:

figure, axes = plt.subplots(1, 2, figsize=(8.4, 4.4), layout="constrained")
sl.plot.similarity(graph, ax=axes[0])
axes[0].set_title("as given")
sl.plot.similarity(graph, labels=result.labels, ax=axes[1])
axes[1].set_title(f"sorted by the {result.n_labels} labels found")

# %%
# The sweep
# ---------
# From right to left, the resolution falls and labels merge. The number of labels (grey) stays the
# same over a range of resolutions if the graph has structure of that size. The pink curve is the
# saving: how much the labels shorten a description of the graph. The pick is the step with the
# largest saving; here its labels are the parts.

sl.plot.sweep(result, truth=community)

# %%
# Coarser, without another run
# ----------------------------
# ``with_n_labels`` takes a number of labels, ``at`` takes a resolution. Both return a result with
# its own labels and confidence.

coarser = result.with_n_labels(N_COMMUNITIES)
print(f"{coarser.n_labels} labels at resolution {coarser.resolution:.3g}")
print("F against communities {:.3f}, against parts {:.3f}".format(*f_scores(coarser.labels)))

figure, axes = plt.subplots(1, 2, figsize=(8.4, 4.4), layout="constrained")
sl.plot.similarity(graph, labels=result.labels, ax=axes[0])
sl.plot.similarity(graph, labels=coarser.labels, ax=axes[1])
for ax, shown in zip(axes, (result, coarser), strict=True):
    ax.set_title(f"resolution {shown.resolution:.3g}: {shown.n_labels} labels")

# %%
# The path, every fifth step. A resolution says how similar the items of two labels must be on
# average to get one label, in units of the average similarity. ``stability`` is the range of
# ln(resolution) over which the labels stay nearly the same:

print(f"{'resolution':>10}{'labels':>8}{'F communities':>15}{'F parts':>9}{'stability':>11}")
path = result.path
for step in range(0, len(path.labels), 5):
    coarse, fine = f_scores(path.labels[step])
    print(
        f"{path.resolutions[step]:10.2f}{path.n_labels[step]:8}{coarse:15.3f}{fine:9.3f}"
        f"{path.stability[step]:11.2f}"
    )

# %%
# In short
# --------

counts, n_steps = np.unique(path.n_labels, return_counts=True)
longest = counts[np.argsort(-n_steps, kind="stable")][:2]
print(
    f"planted: {N_COMMUNITIES} communities of {N_PARTS} parts; picked: {result.n_labels} labels\n"
    f"numbers of labels that last longest on the path: {', '.join(map(str, longest))}"
)

# sphinx_gallery_thumbnail_number = 2
