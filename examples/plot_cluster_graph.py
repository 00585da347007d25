"""
A graph at two resolutions
==========================

A sparse graph with communities inside communities, as in cell types and their subtypes: one run
gives labels and the whole way from every node alone to all nodes together. Coarser and finer
answers are read off that path without another run.
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


print(f"{result.n_labels} labels at alpha = {result.alpha:g}: {result.status}")
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
# From right to left, alpha falls and labels merge. The number of labels (grey) has a plateau
# wherever the graph has a structure at that scale. Eta (pink) says how much the iteration still
# gained in its last step at that alpha: it falls into the valley from which the pick is taken.

sl.plot.sweep(result, truth=community)

# %%
# Finer, without another run
# --------------------------
# ``with_n_labels`` takes the quietest step with that many labels, ``at`` the step at an alpha.
# Both return a result with its own labels and confidence.

finer = result.with_n_labels(N_COMMUNITIES * N_PARTS)
print("F against communities {:.3f}, against parts {:.3f}".format(*f_scores(finer.labels)))
print(f"{finer.n_labels} labels at alpha = {finer.alpha:g}")

figure, axes = plt.subplots(1, 2, figsize=(8.4, 4.4), layout="constrained")
sl.plot.similarity(graph, labels=result.labels, ax=axes[0])
sl.plot.similarity(graph, labels=finer.labels, ax=axes[1])
for ax, shown in zip(axes, (result, finer), strict=True):
    ax.set_title(f"alpha = {shown.alpha:g}: {shown.n_labels} labels")

# %%
# The table of the path, every tenth step:

print(f"{'alpha':>6}{'labels':>8}{'F communities':>15}{'F parts':>9}{'mean confidence':>17}")
for alpha in np.arange(9, -1, -1) / 10:
    step = result.at(alpha)
    coarse, fine = f_scores(step.labels)
    mean = step.confidence.mean()
    print(f"{step.alpha:6g}{step.n_labels:8}{coarse:15.3f}{fine:9.3f}{mean:17.2f}")

# %%
# In short
# --------

counts, n_steps = np.unique(result.path.n_labels, return_counts=True)
longest = counts[np.argsort(-n_steps, kind="stable")][:3]
print(
    f"planted: {N_COMMUNITIES} communities of {N_PARTS} parts; picked: {result.n_labels} labels\n"
    f"numbers of labels that last longest on the path: {', '.join(map(str, longest))}"
)

# sphinx_gallery_thumbnail_number = 2
