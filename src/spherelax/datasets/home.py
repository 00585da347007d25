"""The folder of the real data sets, and the errors for files that are missing."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from spherelax.io import read_arrays
from spherelax.io.files.mapped import Array
from spherelax.io.tables.rows import Columns, Table, read_table

VARIABLE = "SPHERELAX_DATA"

HYPERGRAPH = (
    "github.com/quynhnn89/An-Efficient-Multilinear-Optimization-Framework-for-Hypergraph-Matching"
)
# The publisher of each file, by the start of its path; the first one that fits counts.
ORIGINS = {
    "cmu_house/house_landmarks": "github.com/zhfe99/fgm",
    "cmu_house/": "github.com/fbernardpi/SparseStiefelOpt",
    "willow/car_keypoints": "github.com/bsham/ProposalFlow",
    "willow/motorbike_keypoints": "github.com/bsham/ProposalFlow",
    "willow/duck_keypoints": HYPERGRAPH,
    "willow/winebottle_keypoints": HYPERGRAPH,
    "willow/": "github.com/Multi-View-Image-Matching-Swarthmore/multiwayPython",
    "clustering/fcps": "github.com/cran/FCPS",
    "clustering/": "github.com/gagolews/clustering-data-v1",
    "graphs/football": "github.com/zghh/community-detection",
    "graphs/karate": "networkx.karate_club_graph",
    "graphs/": "github.com/RamdhanZiane/LRC-Q-NetRA",
    "entity_resolution/": "github.com/wbsg-uni-mannheim/ALMSER-GB",
    "sfm/": "photographs at github.com/openMVG/ImageDataset_SceauxCastle, matched by COLMAP",
}


def data_home(path: str | Path | None = None) -> Path:
    """Return the folder of the data sets: the argument, or else the value of SPHERELAX_DATA.

    Parameters
    ----------
    path : str or Path, optional
        The folder. None: the value of the environment variable SPHERELAX_DATA.

    Returns
    -------
    Path
        The folder in which loaders look for files; it need not exist.

    Raises
    ------
    FileNotFoundError
        If neither is given.

    Examples
    --------
    >>> data_home("downloads").name
    'downloads'
    """
    chosen = path if path is not None else os.environ.get(VARIABLE)
    if not chosen:
        raise FileNotFoundError(
            f"the folder of data sets must be given; set {VARIABLE} or data_home to it"
        )
    return Path(chosen)


def find_file(home: str | Path | None, file: str) -> Path:
    """Return the path of a file; if it is missing, the error says where it comes from."""
    origin = next(origin for start, origin in ORIGINS.items() if file.startswith(start))
    try:
        folder = data_home(home)
    except FileNotFoundError:
        where = "because no folder is given"
    else:
        if (folder / file).is_file():
            return folder / file
        where = f"in {folder}"
    raise FileNotFoundError(
        f"{file} not found {where}; it comes from {origin}; "
        f"set {VARIABLE} or data_home to the folder that holds {Path(file).parts[0]}"
    )


def find_arrays(home: str | Path | None, file: str, *names: str) -> dict[str, Array]:
    """Read the arrays of a file; refuse a file without the given names."""
    return read_arrays(find_file(home, file), *names)


def find_table(home: str | Path | None, file: str, names: tuple[str, ...]) -> Table:
    """Read a table with a known header."""

    def has_header(columns: Columns) -> bool:
        return tuple(column[0] for column in columns) == names

    return read_table(find_file(home, file), "the table", (len(names),), has_header)


def find_images(
    home: str | Path | None, folder: str, names: Iterable[str]
) -> tuple[Path | None, ...]:
    """Return the paths of image files; None for those that are missing."""
    paths = (data_home(home) / folder / name for name in names)
    return tuple(path if path.is_file() else None for path in paths)
