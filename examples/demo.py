"""Find the same people in four lists of customers, from files to a page.

Run by ``make demo``. The people are made up, and so the truth is known. Each source lists some of
them, with typing errors, initials, missing streets and people who have moved; relatives and
namesakes look alike. Pairs of records are scored by their letters, as anybody would. The rest works
as with real records: a file of scored pairs, ``spherelax match``, entities in a file, and a report.
At the end, what the report says of its own errors is compared with the truth.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.feature_extraction.text import TfidfVectorizer

import spherelax as sl

OUTPUT = Path("demo-output")
FIRST = (
    "Anna Boris Carla David Elena Felix Greta Hugo Irene Jonas Katja Lars Maria Nils Olga Paul "
    "Quirin Rosa Stefan Tilda Ulrich Vera Walter Xenia"
)
LAST = (
    "Andersson Bergman Cornelius Dietrich Eklund Fischer Gruber Hoffmann Ivarsson Jansen Keller "
    "Lindqvist Meyer Novak Olsen Petersen Quandt Richter Sandberg Thomsen Ullmann Vogel Winkler"
)
STREET = "Birch Castle Church Garden Harbour High Lake Market Mill Museum Orchard Park River"
TOWN = "Aachen Bremen Kassel Lund Malmo Oslo Potsdam Uppsala"
SOURCES = ("shop", "bank", "clinic", "library")
N_HOUSEHOLDS, KNOWN, N_TYPOS, LEAST, N_CANDIDATES, SEED = 60, 0.7, 0.8, 0.3, 1, 0
LETTERS = list("aeinorst")


def make_people(rng: np.random.Generator) -> list[tuple[str, ...]]:
    """Make up households, who share a last name, street and town; and when each was born."""
    first, last, streets, towns = (words.split() for words in (FIRST, LAST, STREET, TOWN))
    people = []
    for _ in range(N_HOUSEHOLDS):
        street = f"{rng.choice(streets)} Street {rng.integers(1, 60)}"
        home = str(rng.choice(last)), street, str(rng.choice(towns))
        names = rng.choice(first, rng.integers(1, 4), replace=False)
        people += [(str(name), *home, make_date(rng)) for name in names]
    return people


def make_date(rng: np.random.Generator) -> str:
    """Make up a date of birth."""
    return f"{rng.integers(1940, 2005)}-{rng.integers(1, 13):02}-{rng.integers(1, 29):02}"


def misspell(words: str, rng: np.random.Generator) -> str:
    """Drop, double or replace a few letters."""
    for _ in range(rng.poisson(N_TYPOS)):
        if len(words) > 2:
            at = int(rng.integers(1, len(words)))
            letter = ("", 2 * words[at], str(rng.choice(LETTERS)))[rng.integers(3)]
            words = words[:at] + letter + words[at + 1 :]
    return words


def make_records(rng: np.random.Generator) -> tuple[list[tuple[str, ...]], np.ndarray]:
    """Let every source list its customers: and who they are."""
    people = make_people(rng)
    records, truth = [], []
    for source in SOURCES:
        for person in rng.permutation(len(people))[: int(KNOWN * len(people))].tolist():
            first, last, street, town, born = people[person]
            first = first if rng.random() < 0.8 else f"{first[0]}."
            street = (
                street if rng.random() < 0.9 else f"{rng.choice(STREET.split())} Street 7"
            )  # has moved
            street = street if rng.random() < 0.8 else ""
            row = [misspell(words, rng) for words in (f"{first} {last}", street, town)]
            born = born if rng.random() < 0.9 else ""
            records.append((source, f"{source[0]}{len(records)}", *row, born))
            truth.append(person)
    return records, np.array(truth)


def score_pairs(records: list[tuple[str, ...]]) -> list[tuple[int, int, float]]:
    """Score each record and its few best candidates in each other source, by their letters."""
    words = [" ".join(record[2:]) for record in records]
    vectors = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3)).fit_transform(words)
    scores = (vectors @ vectors.T).toarray()
    source = np.array([record[0] for record in records])
    pairs = set()
    for one in range(len(records)):
        for other in SOURCES:
            there = np.flatnonzero(source == other)
            best = there[np.argsort(-scores[one, there], kind="stable")[:N_CANDIDATES]].tolist()
            pairs |= {(min(one, at), max(one, at)) for at in best if other != records[one][0]}
    return [
        (*pair, round(float(scores[pair]), 4)) for pair in sorted(pairs) if scores[pair] > LEAST
    ]


def write_csv(name: str, header: list[str], rows: list[tuple]) -> Path:
    """Write a table into the output folder."""
    path = OUTPUT / name
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def main() -> None:
    """Make records, score pairs, match, and compare with the truth."""
    OUTPUT.mkdir(exist_ok=True)
    records, truth = make_records(np.random.default_rng(SEED))
    scored = score_pairs(records)
    table = write_csv("records.csv", ["source", "id", "name", "street", "town", "born"], records)
    header = ["source_a", "id_a", "source_b", "id_b", "score"]
    rows = [(*records[i][:2], *records[j][:2], score) for i, j, score in scored]
    pairs = write_csv("pairs.csv", header, rows)
    entities, page = OUTPUT / "entities.csv", OUTPUT / "report.html"
    command = [
        *("spherelax", "match", str(pairs), "--records", str(table)),
        *("--out", str(entities), "--report", str(page)),
    ]
    print("$", *command, flush=True)
    subprocess.run([sys.executable, "-m", *command], check=True)

    with entities.open() as file:
        found = {(row["source"], row["id"]): row for row in csv.DictReader(file)}
    answers = [found[record[:2]] for record in records]
    labels = np.unique([row["entity"] for row in answers], return_inverse=True)[1]
    said = sum(1 - float(row["confidence"]) for row in answers)
    wrong = np.sum(1 - sl.metrics.correctness(truth, labels).items)
    source = [record[0] for record in records]
    scores = sl.metrics.pairwise_scores(truth, labels, groups=source)
    ends = np.array([pair[:2] for pair in scored]).T
    size = (len(records), len(records))
    best = max(
        sl.metrics.pairwise_scores(
            truth,
            connected_components(coo_array((np.ones(kept.sum()), ends[:, kept]), shape=size))[1],
            groups=source,
        ).f_score
        for kept in (np.array([pair[2] for pair in scored]) >= at for at in np.arange(0.3, 1, 0.05))
    )
    right = truth[ends[0]] == truth[ends[1]]
    summary = [
        f"{len(records)} records of {len(set(truth.tolist()))} made-up people in {len(SOURCES)} "
        f"sources; {right.mean():.0%} of the {len(scored)} scored pairs are right.",
        f"spherelax found {labels.max() + 1} entities without being told how many: "
        f"{scores.precision:.0%} of its pairs are right,",
        f"and it found {scores.recall:.0%} of all right pairs: F-score {scores.f_score:.2f}, where "
        f"connected components reach {best:.2f} at the best of all thresholds.",
        f"It says that about {said:.0f} records are in a wrong entity; by the truth, it is "
        f"{wrong:.0f}.",
    ]
    (OUTPUT / "summary.txt").write_text("\n".join(summary) + "\n")
    print("", *summary, "", sep="\n")
    print(f"entity of each record  {entities}")
    print(f"this summary           {OUTPUT / 'summary.txt'}")
    print(f"open in a browser      {page}")


if __name__ == "__main__":
    main()
