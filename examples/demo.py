"""Two answers, from files to pages: corners of a real photograph, and people in four lists.

Run by ``make demo``. It is known what is right, so what each answer says of its own errors is
compared with the truth. What is real and what is made up:

- The photograph of a palace comes with scikit-learn. Eight views of it are computed, from other
  sides and in other light; corners are found and matched as anybody would, and the palace has many
  that look alike. If the house of CMU is found (``SPHERELAX_DATA``), its ten photographs and their
  published matches follow.
- The customers are made up: typing errors, initials, missing streets, people who have moved,
  relatives and namesakes.
"""

from __future__ import annotations

import csv
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image
from scipy import ndimage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import load_sample_image
from sklearn.feature_extraction.text import TfidfVectorizer

import spherelax as sl

OUTPUT = Path("demo-output")
SEED = 0
HOME = os.environ.get("SPHERELAX_DATA", "../shared/data")

N_VIEWS, WIDTH, HEIGHT, N_CORNERS, MARGIN = 8, 480, 360, 500, 16
RATIO = 0.8  # of the distances to the nearest and the second nearest, as usual
NEAR = 3.0  # corners of two views are the same if they are so near, in pixels of the photograph

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
N_HOUSEHOLDS, KNOWN, N_TYPOS, LEAST, N_CANDIDATES = 60, 0.7, 0.8, 0.3, 1
LETTERS = list("aeinorst")


class Photographs(NamedTuple):
    """Pictures, their keypoints, where these are in the scene, and matches of pairs of pictures."""

    names: list[str]
    pictures: list[Image.Image]
    keypoints: list[np.ndarray]
    places: list[np.ndarray]
    matches: dict[tuple[int, int], np.ndarray]


def project(homography: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Map points of the plane."""
    mapped = np.column_stack([points, np.ones(len(points))]) @ homography.T
    return mapped[:, :2] / mapped[:, 2:]


def draw_homography(rng: np.random.Generator) -> np.ndarray:
    """Draw where a view looks: rotated, larger or smaller, and from the side."""
    angle, scale = rng.uniform(-0.2, 0.2), rng.uniform(0.8, 1.15)
    to_picture = np.eye(3)
    turn = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    to_picture[:2, :2] = scale * np.array(turn) + rng.uniform(-0.08, 0.08, (2, 2))
    to_picture[2, :2] = rng.uniform(-2e-4, 2e-4, 2)
    middle = np.array([WIDTH / 2, HEIGHT / 2])
    goal = rng.uniform([255, 183], [385, 243])
    to_picture[:2, 2] = goal * (to_picture[2] @ [*middle, 1]) - to_picture[:2, :2] @ middle
    return to_picture


def take_view(picture: np.ndarray, homography: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Compute a view, brighter or darker, with the noise of a camera."""
    y, x = np.indices((HEIGHT, WIDTH))
    at = project(homography, np.column_stack([x.ravel(), y.ravel()]))[:, ::-1].T
    planes = [
        ndimage.map_coordinates(picture[..., colour], at, order=1, mode="mirror")
        for colour in range(3)
    ]
    view = rng.uniform(0.8, 1.2) * np.stack(planes, axis=-1).reshape(HEIGHT, WIDTH, 3)
    return np.clip(view + rng.normal(0, 4, view.shape), 0, 255).astype(np.uint8)


def find_corners(view: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find corners by Harris's rule: where they are, and what is around them."""
    grey = ndimage.gaussian_filter(view.mean(axis=2), 1.0)
    dy, dx = np.gradient(grey)
    xx, xy, yy = (ndimage.gaussian_filter(product, 1.5) for product in (dx**2, dx * dy, dy**2))
    strength = (xx * yy - xy**2) / (xx + yy + 1e-9)
    is_peak = strength == ndimage.maximum_filter(strength, 7)
    inside = np.zeros_like(is_peak)
    inside[MARGIN:-MARGIN, MARGIN:-MARGIN] = True
    y, x = np.nonzero(is_peak & inside)
    best = np.argsort(-strength[y, x], kind="stable")[:N_CORNERS]
    y, x = y[best], x[best]
    steps = np.arange(-12, 13, 3)
    down, right = (steps.ravel() for steps in np.meshgrid(steps, steps, indexing="ij"))
    around = ndimage.gaussian_filter(grey, 2.0)[y[:, None] + down, x[:, None] + right]
    around = around - around.mean(axis=1, keepdims=True)
    around /= np.linalg.norm(around, axis=1, keepdims=True) + 1e-9
    return np.column_stack([x, y]).astype(float), around


def match_corners(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Match corners that are each other's nearest, and clearly nearer than the second nearest."""
    distance = np.sqrt(np.maximum(2 - 2 * first @ second.T, 0))
    nearest = distance.argmin(axis=1)
    one, two = np.partition(distance, 1, axis=1)[:, :2].T
    is_mutual = distance.argmin(axis=0)[nearest] == np.arange(len(first))
    matched = np.flatnonzero(is_mutual & (one < RATIO * two))
    return np.column_stack([matched, nearest[matched]])


def photograph_palace(rng: np.random.Generator) -> Photographs:
    """Return views of a real photograph, their corners and matches."""
    picture = load_sample_image("china.jpg").astype(float)
    looks = [draw_homography(rng) for _ in range(N_VIEWS)]
    views = [take_view(picture, look, rng) for look in looks]
    corners, around = zip(*map(find_corners, views), strict=True)
    return Photographs(
        [f"view{number}.jpg" for number in range(N_VIEWS)],
        [Image.fromarray(view) for view in views],
        list(corners),
        [project(look, found) for look, found in zip(looks, corners, strict=True)],
        {
            (a, b): match_corners(around[a], around[b])
            for a in range(N_VIEWS)
            for b in range(a + 1, N_VIEWS)
        },
    )


def photograph_house() -> Photographs | None:
    """Return ten photographs of a house with their published matches; None: they are not here."""
    try:
        data = sl.datasets.load_house(10, data_home=HOME)
    except FileNotFoundError:
        return None
    of_image = [np.flatnonzero(data.groups == image) for image in range(len(data.images))]
    return Photographs(
        [path.name for path in data.images],
        [Image.open(path) for path in data.images],
        [data.positions[items] for items in of_image],
        [np.outer(data.labels[items], [1000, 0]) for items in of_image],  # the same, or far apart
        {
            (a, b): np.argwhere(data.similarity[of_image[a]][:, of_image[b]].toarray())
            for a in range(len(of_image))
            for b in range(a + 1, len(of_image))
        },
    )


def write_database(path: Path, scene: Photographs) -> None:
    """Write pictures, keypoints and matches as COLMAP does."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            """
            CREATE TABLE cameras (camera_id INTEGER PRIMARY KEY, width INTEGER, height INTEGER);
            CREATE TABLE images (image_id INTEGER PRIMARY KEY, name TEXT, camera_id INTEGER);
            CREATE TABLE keypoints
                (image_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER, data BLOB);
            CREATE TABLE matches
                (pair_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER, data BLOB);
            """
        )
        database.execute("INSERT INTO cameras VALUES (1, ?, ?)", scene.pictures[0].size)
        for number, (name, found) in enumerate(zip(scene.names, scene.keypoints, strict=True), 1):
            data = (found + 0.5).astype("<f4")  # COLMAP counts from the corner of the first pixel
            database.execute("INSERT INTO images VALUES (?, ?, 1)", (number, name))
            database.execute(
                "INSERT INTO keypoints VALUES (?, ?, 2, ?)", (number, len(data), data.tobytes())
            )
        for (a, b), pairs in scene.matches.items():
            database.execute(
                "INSERT INTO matches VALUES (?, ?, 2, ?)",
                (2147483647 * (a + 1) + b + 1, len(pairs), pairs.astype("<u4").tobytes()),
            )
        database.commit()


def run(*arguments: str | Path) -> None:
    """Run the program as one would by hand."""
    command = ["spherelax", *map(str, arguments)]
    print("\n$", *command, flush=True)
    subprocess.run([sys.executable, "-m", *command], check=True)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read a table."""
    with path.open() as file:
        return list(csv.DictReader(file))


def show_photographs(scene: Photographs, what: str, name: str, page: Path) -> list[str]:
    """Find the tracks of photographs, leave a page, and compare with the truth."""
    folder, database = OUTPUT / name, OUTPUT / f"{name}.db"
    tracks = OUTPUT / f"{name}.csv"
    folder.mkdir(exist_ok=True)
    for title, picture in zip(scene.names, scene.pictures, strict=True):
        picture.save(folder / title)
    write_database(database, scene)
    run("match", database, "--images", folder, "--out", tracks, "--report", page)
    image = {title: number for number, title in enumerate(scene.names)}
    rows = read_rows(tracks)
    at = [scene.places[image[row["image"]]][int(row["keypoint"])] for row in rows]
    said = sum(1 - float(row["confidence"]) for row in rows)
    precision, n_wrong = judge([int(row["track"]) for row in rows], np.array(at))
    items = sl.io.read_colmap(database)
    at = np.array([scene.places[image[title]][point] for title, point in items.ids])
    joined, _ = judge(sl.baselines.union_find(items.similarity, items.groups), at)
    first, second = np.array(items.similarity.nonzero())
    wrong = np.mean(np.linalg.norm(at[first] - at[second], axis=1) > NEAR)
    return [
        f"{what}: {wrong:.0%} of {len(first) // 2:,} matches are wrong.",
        f"  {precision:.0%} of the pairs of keypoints in its tracks are right; in those of "
        f"union-find, which follows every match, {joined:.0%}.",
        f"  It says that about {said:.0f} of {len(rows):,} keypoints are in a wrong track; by the "
        f"truth, it is {n_wrong:.0f}.",
    ]


def judge(labels: list[int] | np.ndarray, places: np.ndarray) -> tuple[float, float]:
    """Return which share of the pairs inside labels is right, and how many keypoints are wrong.

    A keypoint is as wrong as the share of the others of its track that show something else.
    """
    n_right, n_pairs, n_wrong = 0.0, 0, 0.0
    for label in np.unique(labels):
        inside = places[np.asarray(labels) == label]
        others = len(inside) - 1
        far = np.linalg.norm(inside[:, None] - inside, axis=2) > NEAR
        n_right += np.count_nonzero(~far) - len(inside)
        n_pairs += len(inside) * others
        n_wrong += far.sum() / max(others, 1)
    return n_right / n_pairs, n_wrong


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


def show_people(page: Path) -> list[str]:
    """Match records of people from scored pairs, leave a page, and compare with the truth."""
    records, truth = make_records(np.random.default_rng(SEED))
    scored = score_pairs(records)
    table = write_csv("records.csv", ["source", "id", "name", "street", "town", "born"], records)
    header = ["source_a", "id_a", "source_b", "id_b", "score"]
    rows = [(*records[i][:2], *records[j][:2], score) for i, j, score in scored]
    pairs, entities = write_csv("pairs.csv", header, rows), OUTPUT / "entities.csv"
    run("match", pairs, "--records", table, "--out", entities, "--report", page)

    found = {(row["source"], row["id"]): row for row in read_rows(entities)}
    answers = [found[record[:2]] for record in records]
    labels = np.unique([row["entity"] for row in answers], return_inverse=True)[1]
    said = sum(1 - float(row["confidence"]) for row in answers)
    wrong = np.sum(1 - sl.metrics.correctness(truth, labels).items)
    source = [record[0] for record in records]
    f_score = sl.metrics.pairwise_scores(truth, labels, groups=source).f_score
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
    return [
        f"People (made up), {len(records)} records in {len(SOURCES)} sources: "
        f"{1 - right.mean():.0%} of {len(scored)} scored pairs are wrong.",
        f"  {labels.max() + 1} entities of {len(set(truth.tolist()))} people: F-score "
        f"{f_score:.2f}; connected components reach {best:.2f} at the best of all thresholds.",
        f"  It says that about {said:.0f} of {len(records)} records are in a wrong entity; by the "
        f"truth, it is {wrong:.0f}.",
    ]


def main() -> None:
    """Find tracks and people, leave a page on each, and print the summary."""
    OUTPUT.mkdir(exist_ok=True)
    page, rng = OUTPUT / "report.html", np.random.default_rng(SEED)
    pages = {"photographs": page, "people": OUTPUT / "people.html"}
    what = f"Palace, {N_VIEWS} views computed from a real photograph"
    summary = show_photographs(photograph_palace(rng), what, "palace", page)
    if scene := photograph_house():
        pages["house"] = OUTPUT / "house.html"
        what = f"House, {len(scene.names)} real photographs with published matches"
        summary += show_photographs(scene, what, "house", pages["house"])
    summary += show_people(pages["people"])
    (OUTPUT / "summary.txt").write_text("\n".join(summary) + "\n")
    print("", *summary, "", f"This summary is in {OUTPUT / 'summary.txt'}.", sep="\n")
    print("Open in a browser:", *pages.values())


if __name__ == "__main__":
    main()
