"""
How far to believe a probability
================================

Where the worth of scores is learnt, a result says how likely it is right: every pair that shares a
label, every label, and every item. No truth is needed for that. This page has the truth, because it
makes up the records, and compares: of the pairs that are said to be right with a probability of 0.9
to 1, how many are?
"""

# %%
# A table with duplicates
# -----------------------
# Six hundred things with one to four records each. A blocking rule proposes pairs: those of the
# same thing, and four random ones for each record. Scores of right pairs are higher, but both kinds
# overlap.

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

import spherelax as sl

N_THINGS, N_RANDOM, APART, SEED = 600, 4, 2.7, 0

rng = np.random.default_rng(SEED)
truth = np.repeat(np.arange(N_THINGS), rng.integers(1, 5, N_THINGS))
n_records = len(truth)
same = np.argwhere(np.triu(truth[:, None] == truth, 1))
proposed = np.c_[
    np.repeat(np.arange(n_records), N_RANDOM), rng.integers(n_records, size=n_records * N_RANDOM)
]
pairs = np.unique(np.r_[same, np.sort(proposed[proposed[:, 0] != proposed[:, 1]])], axis=0)
is_right = truth[pairs[:, 0]] == truth[pairs[:, 1]]
score = np.exp(0.2 * rng.normal(size=len(pairs)) + 0.2 * APART * is_right)
half = sparse.coo_array((score, pairs.T), shape=(n_records, n_records))
print(f"{n_records} records, {len(pairs)} pairs, {is_right.mean():.0%} of them right")

# %%
# What the result says
# --------------------

result = sl.solve(half + half.T)
entities = result.entities()
wrong = np.sum(1 - result.confidence)
print(result.status.sentence)
print(f"F-score: {sl.metrics.pairwise_scores(truth, result.labels).f_score:.2f}")
print(f"about {wrong:.0f} of {n_records} records are expected to have a wrong label")
print(f"about {np.sum(1 - entities.pure):.0f} of {result.n_labels} labels are expected to be mixed")

# %%
# The least likely pairs that share a label, listed or not, are the first ones to check:

pairs = result.pairs()
for at in np.argsort(pairs.probability)[:5]:
    one, other = pairs.items[at]
    judged = "right" if truth[one] == truth[other] else "wrong"
    print(f"{one:4} {other:4}  {pairs.probability[at]:.2f}  {judged}")

# %%
# Whether it is so
# ----------------
# On the diagonal a probability is worth what it says. Below it, it is too sure. Grey bars are the
# range in which points of a true probability lie nearly always; the error is the mean distance to
# the diagonal.

figure, axes = plt.subplots(2, 2, figsize=(9, 9), layout="constrained")
for ax, kind in zip(axes.flat, ("pairs", "items", "pure", "whole"), strict=True):
    sl.plot.reliability(result, truth, of=kind, ax=ax)
plt.show()
