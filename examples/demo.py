"""Match the corners of a building over twelve photographs, from files to files.

Run by ``make demo``. The photographs are simulated: a camera moves around a building, and each
photograph shows the corners on the near side. A corner has a descriptor, which changes with the
viewing direction. Two photographs are matched in the usual way: two keypoints match if each has the
best descriptor for the other. That is often wrong. The rest works as with real photographs: matches
in a file, ``spherelax match``, labels in a file.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import spherelax as sl

OUTPUT = Path("demo-output")
N_IMAGES, N_CORNERS, N_FEATURES = 12, 60, 32
NOISE, DRIFT, ALIKE, SPAN, SEED = 1.0, 0.6, 0.35, 1.0, 0
SHOWN = (0, 1, 2)


def photographs(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Simulate the photographs: image, corner, position and descriptor of every keypoint."""
    around, height = rng.uniform(0, 2 * np.pi, N_CORNERS), rng.uniform(0, 2, N_CORNERS)
    looks = rng.normal(size=(N_CORNERS, N_FEATURES))
    turns = rng.normal(size=(2, N_CORNERS, N_FEATURES))
    images, corners, positions, descriptors = [], [], [], []
    for image, camera in enumerate(np.linspace(0, SPAN, N_IMAGES)):
        angle = around - camera
        seen = rng.permutation(
            np.flatnonzero((np.cos(angle) > 0.2) & (rng.random(N_CORNERS) < 0.9))
        )
        images += [image] * len(seen)
        corners += seen.tolist()
        positions.append(np.c_[150 + 130 * np.sin(angle[seen]), 230 - 100 * height[seen]])
        turned = np.sin(angle[seen])[:, None] * turns[0, seen] + np.cos(camera) * turns[1, seen]
        noise = rng.normal(size=(len(seen), N_FEATURES))
        descriptors.append(looks[seen] + DRIFT * turned + NOISE * noise)
    return np.array(images), np.array(corners), np.vstack(positions), np.vstack(descriptors)


def mutual_best(images: np.ndarray, descriptors: np.ndarray) -> list[tuple[int, int, float]]:
    """Match every two photographs: keypoints that are each other's best, and how alike they are."""
    unit = descriptors / np.linalg.norm(descriptors, axis=1, keepdims=True)
    matches = []
    for a in range(N_IMAGES):
        for b in range(a + 1, N_IMAGES):
            here, there = np.flatnonzero(images == a), np.flatnonzero(images == b)
            alike = unit[here] @ unit[there].T
            best = alike.argmax(axis=1)
            mutual = alike.argmax(axis=0)[best] == np.arange(len(here))
            matches += [
                (int(here[i]), int(there[best[i]]), float(alike[i, best[i]]))
                for i in np.flatnonzero(mutual & (alike.max(axis=1) > ALIKE))
            ]
    return matches


def write_csv(name: str, header: list[str], rows: list[tuple]) -> Path:
    """Write a table into the output folder."""
    path = OUTPUT / name
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def main() -> None:
    """Simulate, match, score and draw."""
    mpl.use("Agg")
    OUTPUT.mkdir(exist_ok=True)
    images, corners, positions, descriptors = photographs(np.random.default_rng(SEED))
    matches = mutual_best(images, descriptors)
    edges = write_csv("matches.csv", ["item_a", "item_b", "similarity"], matches)
    groups = write_csv("images.csv", ["item", "group"], list(enumerate(images.tolist())))
    labels_file, sweep_file = OUTPUT / "labels.csv", OUTPUT / "sweep.png"
    command = [
        *("spherelax", "match", str(edges), "--groups", str(groups)),
        *("--out", str(labels_file), "--plot", str(sweep_file)),
    ]
    print("$", *command, flush=True)
    subprocess.run([sys.executable, "-m", *command], check=True)

    with labels_file.open() as file:
        label_of = {int(row["item"]): int(row["label"]) for row in csv.DictReader(file)}
    labels = np.array([label_of[item] for item in range(len(images))])
    given = np.array([match[:2] for match in matches])
    right = corners[given[:, 0]] == corners[given[:, 1]]
    scores = sl.metrics.pairwise_scores(corners, labels, groups=images)
    joined = coo_array((np.ones(len(given)), given.T), shape=(len(images), len(images)))
    glued = sl.metrics.pairwise_scores(corners, connected_components(joined)[1], groups=images)
    draw(images, corners, positions, labels)
    summary = [
        f"{len(images)} keypoints in {N_IMAGES} photographs of a building with "
        f"{len(set(corners.tolist()))} visible corners,",
        f"{len(given)} matches between two photographs, {right.mean():.0%} of them right "
        f"(cycle consistency {sl.metrics.cycle_consistency(given, images):.2f}).",
        f"spherelax found {len(set(labels.tolist()))} different corners without being told; "
        f"{scores.precision:.0%} of its pairs are right,",
        f"and it found {scores.recall:.0%} of all right pairs: F-score {scores.f_score:.2f}, "
        f"where union-find reaches {glued.f_score:.2f}.",
    ]
    (OUTPUT / "summary.txt").write_text("\n".join(summary) + "\n")
    print("", *summary, "", sep="\n")
    print(f"labels of the keypoints   {labels_file}")
    print(f"the sweep                 {sweep_file}")
    print(f"three of the photographs  {OUTPUT / 'matches.png'}")
    print(f"this summary              {OUTPUT / 'summary.txt'}")


def draw(
    images: np.ndarray, corners: np.ndarray, positions: np.ndarray, labels: np.ndarray
) -> None:
    """Draw the matches between neighbouring photographs that follow from the labels."""
    pairs = np.argwhere((labels[:, None] == labels) & (images - images[:, None] == 1))
    right = corners[pairs[:, 0]] == corners[pairs[:, 1]]
    ax = sl.plot.matches(dict.fromkeys(SHOWN), positions, images, pairs, correct=right)
    ax.figure.savefig(OUTPUT / "matches.png", dpi=150)


if __name__ == "__main__":
    main()
