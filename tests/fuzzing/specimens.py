"""A good file of each format that is read, and of each saved result."""

import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.io
import scipy.sparse as sp
from support.colmap_scene import make_scene
from support.hloc_scene import make_hloc
from support.program import BLOCKS, EDGES, GROUPS, PAIRS

import spherelax as sl

N_POINTS = 40
# HDF5 is read in another process, which takes a second: such files are damaged seldom.
SELDOM = ("cells.h5ad", "features.h5", "matches.h5")


def make_specimens(folder: Path) -> list[Path]:
    """Write the files and return their paths."""
    W, points = sp.csr_array(BLOCKS), np.random.default_rng(0).normal(size=(N_POINTS, 3))
    points[:20] += 5.0
    texts = {
        "edges.csv": EDGES,
        "edges.txt": EDGES.replace(",", " "),
        "groups.tsv": GROUPS.replace(",", "\t"),
        "pairs.csv": PAIRS,
        "points.csv": "".join(f"p{i},{x},{y},{z}\n" for i, (x, y, z) in enumerate(points)),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    np.save(folder / "dense.npy", BLOCKS)
    np.save(folder / "points.npy", points)
    sp.save_npz(folder / "rows.npz", W)
    sp.save_npz(folder / "list.npz", W.tocoo())
    np.savez(folder / "arrays.npz", X=points, y=np.arange(N_POINTS))
    scipy.io.savemat(folder / "arrays.mat", {"X": points, "y": np.arange(N_POINTS)})
    scipy.io.mmwrite(folder / "sparse.mtx", W, symmetry="symmetric")
    scipy.io.mmwrite(folder / "full.mtx", BLOCKS)
    pq.write_table(_table(PAIRS), folder / "pairs.parquet")
    columns = {"id": [f"p{i}" for i in range(N_POINTS)], "x": points[:, 0], "y": points[:, 1]}
    pq.write_table(pa.table(columns), folder / "points.parquet")
    make_scene(folder / "database.db")
    _write_cells(folder / "cells.h5ad")
    make_hloc(folder)
    items = sl.io.read(folder / "pairs.csv")
    sl.io.save_result(folder / "result.npz", sl.solve(items.problem), items)
    sl.io.save_result(folder / "power.npz", sl.solve(BLOCKS, solver="power"))
    likely = sl.solve(3.0 * BLOCKS, kind="odds")
    sl.io.save_result(folder / "likely.npz", likely)
    return sorted(folder.iterdir())


def _table(text: str) -> pa.Table:
    header, *rows = np.genfromtxt(io.StringIO(text), dtype=str, delimiter=",")
    columns = dict(zip(header.tolist(), zip(*rows, strict=True), strict=True))
    columns["score"] = tuple(map(float, columns["score"]))
    return pa.table({name: list(map(_plain, column)) for name, column in columns.items()})


def _plain(value: object) -> object:
    return str(value) if isinstance(value, str) else value


def _write_cells(path: Path) -> None:
    import anndata  # noqa: PLC0415 (optional)
    import pandas as pd  # noqa: PLC0415 (optional)

    obs = pd.DataFrame({"type": ["a", "b", "c"] * 3}, index=[f"cell-{i}" for i in range(9)])
    adata = anndata.AnnData(np.ones((9, 2), dtype=np.float32), obs=obs)
    adata.obsp["connectivities"] = sp.csr_matrix(BLOCKS)
    adata.write_h5ad(path)
