"""Files of data sets that are missing, damaged or wrong are named, and so are wrong choices."""

import re

import numpy as np
import pytest

import spherelax as sl
from spherelax.datasets import (
    GRAPHS,
    WILLOW,
    load_graph,
    load_house,
    load_points,
    load_records,
    load_tracks,
    load_willow,
)

LOADERS = {
    "cmu_house/house_sync_data.mat": (load_house, "github.com/fbernardpi/SparseStiefelOpt"),
    "willow/car_graphmatch_derived.npz": (
        lambda **home: load_willow("car", **home),
        "github.com/Multi-View-Image-Matching-Swarthmore/multiwayPython",
    ),
    "willow/duck_pairwise.npz": (
        lambda **home: load_willow("duck", matching="linear", **home),
        "github.com/Multi-View-Image-Matching-Swarthmore/multiwayPython",
    ),
    "clustering/fcps.npz": (lambda **home: load_points("Hepta", **home), "github.com/cran/FCPS"),
    "clustering/gagolews_v1_subset.npz": (
        lambda **home: load_points("yeast", **home),
        "github.com/gagolews/clustering-data-v1",
    ),
    "graphs/football_edges.csv": (
        lambda **home: load_graph("football", **home),
        "github.com/zghh/community-detection",
    ),
    "entity_resolution/musicbrainz20k_small.csv": (
        load_records,
        "github.com/wbsg-uni-mannheim/ALMSER-GB",
    ),
    "sfm/sceaux_castle/sceaux_castle.npz": (
        load_tracks,
        "photographs at github.com/openMVG/ImageDataset_SceauxCastle, matched by COLMAP",
    ),
}


@pytest.mark.parametrize("file", LOADERS)
def test_missing_files_are_named_with_their_origin(tmp_path, monkeypatch, file):
    load, origin = LOADERS[file]
    end = (
        f"it comes from {origin}; set SPHERELAX_DATA or data_home to the folder that holds "
        f"{file.split('/')[0]}"
    )
    for home in (tmp_path, tmp_path / "no such folder"):
        with pytest.raises(FileNotFoundError) as caught:
            load(data_home=home)
        assert str(caught.value) == f"{file} not found in {home}; {end}"
    monkeypatch.setenv("SPHERELAX_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=f"not found in {re.escape(str(tmp_path))};"):
        load()
    monkeypatch.delenv("SPHERELAX_DATA")
    with pytest.raises(FileNotFoundError) as caught:
        load()
    assert str(caught.value) == f"{file} not found because no folder is given; {end}"


@pytest.mark.parametrize("name", WILLOW)
def test_files_of_willow_are_asked_for_one_by_one(tmp_path, data_home, name):
    (tmp_path / "willow").mkdir()
    for _ in range(2):
        with pytest.raises(FileNotFoundError, match=r"comes from github\.com/[^ ]+; set") as caught:
            load_willow(name, data_home=tmp_path)
        file = str(caught.value).split(" not found")[0]
        (tmp_path / file).symlink_to(data_home / file)
    data = load_willow(name, data_home=tmp_path)
    assert set(data.images) == {None}
    np.testing.assert_array_equal(data.positions, load_willow(name, data_home=data_home).positions)


def test_data_home(monkeypatch, tmp_path):
    monkeypatch.setenv("SPHERELAX_DATA", "from the environment")
    assert str(sl.datasets.data_home()) == "from the environment"
    assert sl.datasets.data_home(tmp_path) == tmp_path
    assert sl.datasets.data_home(str(tmp_path)) == tmp_path
    monkeypatch.setenv("SPHERELAX_DATA", "")
    with pytest.raises(
        FileNotFoundError, match="the folder of data sets must be given; set SPHERELAX"
    ):
        sl.datasets.data_home()


@pytest.mark.parametrize("file", LOADERS)
def test_damaged_files_are_named(tmp_path, data_home, file):
    (tmp_path / file).parent.mkdir(parents=True)
    content = (data_home / file).read_bytes()
    (tmp_path / file).write_bytes(content[: len(content) // 2] + b"\xff")
    with pytest.raises(sl.InvalidInputError) as caught:
        LOADERS[file][0](data_home=tmp_path)
    assert str(caught.value).startswith(str(tmp_path / file))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        (
            "u,v\n0,1\n1,x\n",
            r"edges.csv, row 3: column 2 must be an integer in \[0, 3\); found 'x'",
        ),
        ("u,v\n0,1\n3,1\n", r"row 3: column 1 must be an integer in \[0, 3\); found '3'"),
        ("u,v\n0,1\n-1,1\n", r"row 3: column 1 must be an integer in \[0, 3\); found '-1'"),
        ("from,to\n0,1\n", "row 1: column 1 must be .* found 'from'"),
        ("u,v,w\n0,1,1\n", "row 1: the number of columns of the table must be 2; found 3"),
        ("u,v\n", "must have rows after the header; found none"),
    ],
)
def test_faults_of_tables(tmp_path, edges, message):
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / "karate_edges.csv").write_text(edges)
    (tmp_path / "graphs" / "karate_labels.csv").write_text("node,label\n0,b\n1,a\n2,b\n")
    with pytest.raises(sl.InvalidInputError, match=message):
        load_graph("karate", data_home=tmp_path)


def test_small_graph(tmp_path):
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / "karate_edges.csv").write_text("u,v\n2,0\n0,2\n")
    (tmp_path / "graphs" / "karate_labels.csv").write_text("node,label\n0,b\n1,a\n2,b\n")
    W, labels = load_graph("karate", data_home=tmp_path)
    np.testing.assert_array_equal(W.toarray(), [[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    assert labels.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: load_house(0), r"n_images must be an integer in \[1, 111\]; found 0"),
        (lambda: load_house(112), r"n_images must be an integer in \[1, 111\]; found 112"),
        (
            lambda: load_willow("face"),
            "name must be one of car, duck, motorbike, winebottle; found 'face'",
        ),
        (
            lambda: load_willow("car", matching="best"),
            "matching must be one of graph, linear; found 'best'",
        ),
        (lambda: load_points("iris"), "name must be one of Atom, .* zigzag; found 'iris'"),
        (lambda: load_graph("jazz"), f"name must be one of {', '.join(GRAPHS)}; found 'jazz'"),
    ],
)
def test_bad_choices(call, message):
    with pytest.raises(sl.InvalidInputError, match=message):
        call()
