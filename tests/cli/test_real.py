"""The real program on real data."""

import csv
import json
from pathlib import Path

import pytest
from scipy.sparse import triu
from sklearn.feature_extraction.text import TfidfVectorizer
from support.program import run, said

from spherelax.metrics import pairwise_scores


def columns_of(path: Path) -> dict[str, list[str]]:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


def test_football_conferences(data_home: Path) -> None:
    graphs = data_home / "graphs"
    code, _, _ = run("cluster", graphs / "football_edges.csv", "--out", "labels.csv")
    assert code == 0
    found, truth = columns_of(Path("labels.csv")), columns_of(graphs / "football_labels.csv")
    label = dict(zip(found["item"], found["label"], strict=True))
    assert label.keys() == set(truth["node"])
    scores = pairwise_scores(truth["label"], [label[node] for node in truth["node"]])
    assert scores.f_score > 0.7


def test_castle(data_home: Path) -> None:
    castle = data_home / "sfm" / "sceaux_castle"
    code, stdout, _ = said("info", castle / "database.db", "--json")
    about = json.loads(stdout)
    assert (code, about["n_components"], about["n_components_with_conflicts"]) == (0, 3358, 95)
    pytest.importorskip("PIL.Image")
    arguments = ("--write-database", "cleaned.db", "--images", castle / "images_small")
    code, stdout, _ = run(
        "match", castle / "database.db", "--json", "--out", "tracks.csv", *arguments,
        "--report", "report.html",
    )  # fmt: skip
    assert code == 0
    assert json.loads(stdout)["n_items"] == about["n_items"]
    tracks = columns_of(Path("tracks.csv"))
    keys = list(zip(tracks["track"], tracks["image"], strict=True))
    assert len(set(keys)) == len(keys)
    assert Path("report.html").stat().st_size < 5_000_000
    code, stdout, _ = said("info", "cleaned.db", "--json")
    cleaned = json.loads(stdout)
    assert (code, cleaned["n_components_with_conflicts"]) == (0, 0)
    assert 0.98 * about["n_edges"] < cleaned["n_edges"] < about["n_edges"]


def test_songs(data_home: Path) -> None:
    songs = columns_of(data_home / "entity_resolution" / "musicbrainz20k_small.csv")
    X = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3)).fit_transform(songs["title"])
    similar = triu(X @ X.T, 1).tocoo()
    keys = list(zip(songs["source"], songs["id"], strict=True))
    with Path("pairs.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["source_a", "id_a", "source_b", "id_b", "score"])
        for i, j, score in zip(similar.row, similar.col, similar.data, strict=True):
            if score >= 0.3 and keys[i][0] != keys[j][0]:
                writer.writerow([*keys[i], *keys[j], score])
    code, stdout, _ = run("match", "-", stdin=Path("pairs.csv").read_bytes())
    assert code == 0
    rows = list(csv.DictReader(stdout.splitlines()))
    truth = dict(zip(keys, songs["cluster_id"], strict=True))
    expected = [truth[row["source"], row["id"]] for row in rows]
    entities = [row["entity"] for row in rows]
    assert pairwise_scores(expected, entities).f_score > 0.9
    assert len({(row["source"], row["entity"]) for row in rows}) == len(rows)
