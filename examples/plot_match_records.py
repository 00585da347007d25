"""
Records of the same people in five sources
==========================================

Five sources list people, each with its own abbreviations and typing errors, and no common key. Two
records of one source are never the same person; records of different sources may be. This page goes
from strings to entities, compares with connected components of the pairs above a threshold, and
shows which records a person should check.
"""

# %%
# The records
# -----------
# Sixty people from a small list of words; each source lists 80 % of them.
# First names may be cut to an initial, the street may be missing, and every record has two typing
# errors on average.

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

import spherelax as sl

FIRST = "Anna Boris Carla David Elena Felix Greta Hugo Irene Jonas Katja Lars Maria Nils Olga Paul"
LAST = (
    "Andersson Bergman Dietrich Eklund Fischer Hoffmann Jansen Keller Lindqvist Meyer Olsen Vogel"
)
STREET = "Birch Castle Church Garden Harbour High Lake Market Mill Museum Orchard Park River School"
TOWN = "Aachen Bremen Kassel Lund Malmo Oslo Potsdam Uppsala"
N_PEOPLE, N_SOURCES, KNOWN, N_TYPOS, SEED = 60, 5, 0.8, 2, 0

rng = np.random.default_rng(SEED)


def misspell(text):
    """Drop, insert, replace or swap a few letters."""
    for _ in range(rng.poisson(N_TYPOS)):
        at, letter = rng.integers(1, len(text) - 1), rng.choice(list("aeinorst"))
        before, here, after = text[:at], text[at], text[at + 1 :]
        changed = ["", letter + here, letter, after[0] + here]
        kind = rng.integers(4)
        text = before + changed[kind] + (after[1:] if kind == 3 else after)
    return text


people = [
    [rng.choice(words.split()) for words in (FIRST, LAST, STREET, TOWN)] for _ in range(N_PEOPLE)
]
numbers = rng.integers(1, 60, N_PEOPLE)
records, sources, truth = [], [], []
for source in "ABCDE":
    for person in rng.permutation(N_PEOPLE)[: int(KNOWN * N_PEOPLE)]:
        first, last, street, town = people[person]
        first = first if rng.random() < 0.7 else first[0] + "."
        address = f" {street} Street {numbers[person]}" if rng.random() < 0.7 else ""
        records.append(misspell(f"{first} {last}{address} {town}"))
        sources.append(source)
        truth.append(person)
sources, truth = np.array(sources), np.array(truth)
print(f"{len(records)} records of {len(set(truth))} people in {N_SOURCES} sources; person 0:")
for record in np.flatnonzero(truth == 0):
    print(f"  {sources[record]}  {records[record]}")

# %%
# Scored pairs
# ------------
# Strings are compared by the cosine of their character bigrams and trigrams. A pair is kept if
# each record is the best candidate of the other in its source, and the score is at least 0.25. Some
# wrong pairs remain, so the scores are raised to the fourth power: one strong pair then counts for
# more than several weak ones. The result is a sparse matrix.

vectors = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3)).fit_transform(records)
scores = (vectors @ vectors.T).toarray()
best = np.zeros(scores.shape, dtype=bool)
for source in "ABCDE":
    there, elsewhere = np.flatnonzero(sources == source), np.flatnonzero(sources != source)
    best[elsewhere, there[scores[np.ix_(elsewhere, there)].argmax(axis=1)]] = True
kept = best & best.T & (scores >= 0.25)
W = sparse.csr_array(np.where(kept, np.maximum(scores, scores.T) ** 4, 0))
right = kept & (truth[:, None] == truth)
print(f"{W.nnz // 2} scored pairs kept, {right.sum() / kept.sum():.0%} of them right")
print(f"median score: right pairs {np.median(scores[right]):.2f}, ", end="")
print(f"wrong pairs {np.median(scores[kept & ~right]):.2f}")

# %%
# Entities
# --------
# ``groups`` is the source of each record, so no entity has two records of one source.

matching = sl.SphereMatching().fit(W, groups=sources)
ours = sl.metrics.pairwise_scores(truth, matching.labels_, sources)
print(f"{matching.n_labels_} entities found, {len(set(truth))} people\n")

thresholds = np.arange(0.25, 0.81, 0.05)
rivals = []
for threshold in thresholds:
    _, components = sparse.csgraph.connected_components(
        sparse.csr_array(kept & (scores >= threshold))
    )
    rivals.append(sl.metrics.pairwise_scores(truth, components, sources))
print(f"{'method':32}{'precision':>10}{'recall':>10}{'F':>10}")
for threshold, rival in zip(thresholds, rivals, strict=True):
    name = f"components of scores >= {threshold:.2f}"
    print(f"{name:32}{rival.precision:10.3f}{rival.recall:10.3f}{rival.f_score:10.3f}")
print(f"{'SphereMatching':32}{ours.precision:10.3f}{ours.recall:10.3f}{ours.f_score:10.3f}")

# %%
# A threshold that is too low puts different people into one entity, one that is too high loses
# records. The best threshold is known only if the truth is known.

figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
ax.plot(thresholds, [rival.f_score for rival in rivals], "o-", label="connected components")
ax.axhline(ours.f_score, color="#009E73", label="SphereMatching, no threshold to choose")
ax.set(xlabel="threshold on the score", ylabel="F-score", ylim=(0, 1.02))
ax.legend(frameon=False)

# %%
# Which records to check
# ----------------------
# ``confidence_`` is how likely a record's entity is right, as learnt from the scores: the expected
# share of the entity's other records that are the same person or, for a record that is alone, the
# probability that no other record is. The ten records below have the lowest confidence; the last
# column has what is true.

confidence = matching.confidence_
right = sl.metrics.correctness(truth, matching.labels_).items
order = np.argsort(confidence, kind="stable")
for record in order[:10]:
    print(f"{confidence[record]:.2f}  {sources[record]}  {records[record]:42}{right[record]:.2f}")
unsure = confidence < 0.5
print(
    f"\nright: {right[unsure].mean():.0%} of the {unsure.sum()} below 0.5, "
    f"{right[~unsure].mean():.0%} of the {(~unsure).sum()} others"
)
print(f"expected to be wrong: {np.sum(1 - confidence):.0f}; wrong: {np.sum(1 - right):.0f}")

# %%
# In short
# --------

top = int(np.argmax([rival.f_score for rival in rivals]))
print(
    f"F: SphereMatching {ours.f_score:.3f}; components, best threshold ({thresholds[top]:.2f}) "
    f"{rivals[top].f_score:.3f}, worst {min(rival.f_score for rival in rivals):.3f}"
)
path = matching.result_.path
along = [sl.metrics.pairwise_scores(truth, step, sources).f_score for step in path.labels]
at = path.resolutions[np.argmax(along)]
print(f"best F on the whole path: {max(along):.3f}, at resolution {at:.3g}")
