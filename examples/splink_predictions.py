"""
From splink's predictions to entities
=====================================

splink compares records and says for each candidate pair how probable a match is. Which records are
one entity is another question. Pairs contradict each other, and with a threshold, which somebody
has to choose, different people are joined or records of one person are separated. This script runs
splink from start to end on records of people in four sources, gives its predictions to spherelax,
and compares the entities with splink's own clusterings.

It needs splink: ``pip install splink``
"""

# %%
# The records
# -----------
# People from a small list of words, so many have the same name. Each source lists 70 % of them,
# each person once, with typing errors of its own.

import sys

import numpy as np
import pandas as pd

import spherelax as sl
from spherelax.io import read_pairs, to_splink

try:
    import splink.comparison_library as compare
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on
except ImportError:
    sys.exit("This example needs splink: pip install splink")

FIRST = "Anna Boris Carla David Elena Felix Greta Hugo Irene Jonas Katja Lars Maria Nils Olga Paul"
LAST = "Andersson Bergman Dietrich Eklund Fischer Hoffmann Jansen Keller Lindqvist Meyer Olsen"
TOWN = "Aachen Bremen Kassel Lund Malmo Oslo Potsdam Uppsala"
N_PEOPLE, SOURCES, KNOWN, TYPING, SEED = 400, ["bank", "clinic", "library", "shop"], 0.7, 0.25, 0
THRESHOLDS = 0.05, 0.2, 0.5, 0.8, 0.95, 0.99

rng = np.random.default_rng(SEED)


def misspell(text):
    """Replace a letter, drop one, or, in most cases, change nothing."""
    if rng.random() > TYPING:
        return text
    at = rng.integers(1, len(text))
    return text[:at] + str(rng.choice(["", *"aeinorst"])) + text[at + 1 :]


people = [
    [str(rng.choice(words.split())) for words in (FIRST, LAST, TOWN)] for _ in range(N_PEOPLE)
]
born = rng.integers(1940, 2005, N_PEOPLE)
rows = [
    (source, number, *map(misspell, people[person]), misspell(str(born[person])), int(person))
    for source in SOURCES
    for number, person in enumerate(rng.permutation(N_PEOPLE)[: int(KNOWN * N_PEOPLE)])
]
FIELDS = ["first", "last", "town", "born"]
records = pd.DataFrame(rows, columns=["source_dataset", "unique_id", *FIELDS, "person"])
print(f"{len(records)} records of {records.person.nunique()} people in {len(SOURCES)} sources")

# %%
# splink
# ------
# A table per source, a comparison per field, training without labels, and predictions.

database = DuckDBAPI()
tables = [
    database.register(
        records[records.source_dataset == source].drop(columns="person").reset_index(drop=True),
        dataset_display_name=source,
    )
    for source in SOURCES
]
settings = SettingsCreator(
    link_type="link_only",
    comparisons=[
        *(compare.JaroWinklerAtThresholds(field, [0.9, 0.8]) for field in FIELDS[:3]),
        compare.LevenshteinAtThresholds("born", 1),
    ],
    blocking_rules_to_generate_predictions=[
        block_on("last"),
        block_on("first", "town"),
        block_on("born"),
    ],
)
linker = Linker(tables, settings, log_level="ERROR")
linker.training.estimate_probability_two_random_records_match([block_on(*FIELDS)], recall=0.3)
linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=SEED)
for field in ("last", "born"):
    linker.training.estimate_parameters_using_expectation_maximisation(block_on(field))
predictions = linker.inference.predict(threshold_match_probability=THRESHOLDS[0])

# %%
# Entities
# --------
# Three lines. splink's columns are recognised. No pair joins two records of one source, so all
# four sources are taken to be free of duplicates; ``records`` adds those without any pair.

pairs = read_pairs(predictions.as_pyarrow_table(), records=records)
result = sl.solve(pairs.problem)
entities = pd.DataFrame(pairs.answer(result))
print(entities.sort_values("confidence").head(5).to_string(index=False))

# %%
# Entities in splink
# ------------------
# splink measures them as its own clusters: how many of the possible pairs of an entity were
# predicted.

edges, clusters = to_splink(linker, predictions, pairs, result)
metrics = linker.clustering.compute_graph_metrics(edges, clusters, threshold_match_probability=0)
density = metrics.clusters.as_pandas_dataframe().groupby("n_nodes").density.describe()
print(f"\n{density[['count', 'mean', 'min']].round(2)}")

# %%
# splink's own clusterings
# ------------------------
# Both need a threshold. Single best links use the fact that a source lists nobody twice; connected
# components do not.


def f_score(found, label):
    """Return the F-score of the pairs that share a label against those of the same person."""
    merged = records.merge(found, on=["source_dataset", "unique_id"])
    return sl.metrics.pairwise_scores(merged.person, merged[label]).f_score


ours = entities.rename(columns={"source": "source_dataset", "id": "unique_id"})
print(f"\n{'threshold':>10}{'components':>12}{'best links':>12}{'spherelax':>12}")
print(f"{'none':>10}{'':>24}{f_score(ours, 'entity'):12.3f}")
for threshold in THRESHOLDS:
    found = [
        linker.clustering.cluster_pairwise_predictions_at_threshold(
            predictions, threshold_match_probability=threshold
        ),
        linker.clustering.cluster_using_single_best_links(
            predictions, duplicate_free_datasets=SOURCES, threshold_match_probability=threshold
        ),
    ]
    scores = [
        f_score(table.as_pandas_dataframe().drop(columns=FIELDS), "cluster_id") for table in found
    ]
    print(f"{threshold:10.2f}{scores[0]:12.3f}{scores[1]:12.3f}")

# %%
# A threshold that is too high loses records; one that is too low joins different people, unless
# links are one to one. Single best links at a good threshold are about as good as the entities
# above, which need no threshold. But which threshold is good is known only if the truth is known.
