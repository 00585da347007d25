"""Files as hloc writes them, for tests."""

import numpy as np
from support.colmap_scene import IMAGES, N_POINTS, ORDER, PAIRS, true_matches

NAMES = {image: f"view/{name}" for image, name in IMAGES.items()}
RIGHT, WRONG = 0.9, 0.3


def write_matches(path, matches):
    """Write matches of pairs: names, rows of two keypoints, scores, and keypoints of the first."""
    import h5py  # noqa: PLC0415 (optional)

    with h5py.File(path, "w", libver="latest") as file:
        for (first, second), (pairs, scores, n_first) in matches.items():
            group = file.create_group(f"{first.replace('/', '-')}/{second.replace('/', '-')}")
            to, values = np.full(n_first, -1, np.int16), np.zeros(n_first, np.float16)
            rows = np.asarray(pairs, dtype=int).reshape(-1, 2)
            to[rows[:, 0]] = rows[:, 1]
            group["matches0"] = to
            if scores is not None:
                values[rows[:, 0]] = scores
                group["matching_scores0"] = values


def write_features(path, keypoints, size=(640, 480)):
    """Write the positions of keypoints by the name of their image."""
    import h5py  # noqa: PLC0415 (optional)

    with h5py.File(path, "w", libver="latest") as file:
        for name, xy in keypoints.items():
            group = file.create_group(name)
            group["keypoints"] = np.asarray(xy, dtype=np.float32)
            group["descriptors"] = np.zeros((4, len(xy)), dtype=np.float16)
            group["image_size"] = np.array(size)


def wrong_match(number, first, second):
    """Two keypoints of different points, other ones in each pair of images."""
    points = number % N_POINTS, (number + 1) % N_POINTS
    return [
        int(np.argmax(ORDER[image] == point))
        for image, point in zip((first, second), points, strict=True)
    ]


def make_hloc(folder):
    """Write five images of twelve points, all matched, with a wrong match of each pair."""
    keypoints = {
        name: np.column_stack([ORDER[image], np.full(N_POINTS, 10.0)])
        for image, name in NAMES.items()
    }
    matches = {}
    for number, (first, second) in enumerate(PAIRS):
        right, wrong = true_matches(first, second), wrong_match(number, first, second)
        rows = right[(right[:, 0] != wrong[0]) & (right[:, 1] != wrong[1])]
        scores = np.r_[np.full(len(rows), RIGHT), WRONG]
        matches[NAMES[first], NAMES[second]] = np.vstack([rows, wrong]), scores, N_POINTS
    write_features(folder / "features.h5", keypoints)
    write_matches(folder / "matches.h5", matches)
    return folder / "matches.h5", folder / "features.h5"
