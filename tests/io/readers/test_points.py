"""Tables of features."""

import sys

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import spherelax as sl
from spherelax.io.readers.points import Points, read_points

X = [[1.0, 2.5], [-3.0, 4e-2]]


def write(path, content):
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("name", "text", "ids"),
    [
        ("p.csv", "1,2.5\n-3,4e-2\n", None),
        ("p.csv", "x,y\n1,2.5\n-3,4e-2\n", None),
        ("p.csv", "name,x,y\nann,1,2.5\nbob,-3,4e-2\n", ["ann", "bob"]),
        ("p.csv", "anything,x,y\nann,1,2.5\nbob,-3,4e-2\n", ["ann", "bob"]),
        ("p.csv", "ann,1,2.5\nbob,-3,4e-2\n", ["ann", "bob"]),
        ("p.csv", "x,who,y\n1,ann,2.5\n-3,bob,4e-2\n", ["ann", "bob"]),
        ("p.csv", "x,y,ID\n1,2.5,007\n-3,4e-2,08\n", ["007", "08"]),
        ("p.csv", "id,2019,2020\n7,1,2.5\n8,-3,4e-2\n", ["7", "8"]),
        ("p.csv", ",x,y\n0,1,2.5\n1,-3,4e-2\n", ["0", "1"]),
        ("p.csv", "# from the lab\n\nx;y\n1;2.5\n-3;4e-2\n", None),
        ("p.tsv", "x\ty\n1\t2.5\n-3\t4e-2\n", None),
        ("p.txt", "x y\n1  2.5\n-3 4e-2\n", None),
        ("P.CSV", "\ufeffsample,x,y\nä b,1,2.5\n猫,-3,4e-2\n", ["ä b", "猫"]),
    ],
)
def test_ids_and_headers_are_recognised(tmp_path, name, text, ids):
    table = read_points(write(tmp_path / name, text))
    np.testing.assert_array_equal(table.points, X)
    assert table.points.dtype == float
    assert table.ids == ids
    assert table.names == (["0", "1"] if ids is None else ids)


def test_columns_can_be_chosen(tmp_path):
    text = "kind,where,x,when,y\nann,here,1,never,2.5\nbob,there,-3,ever,4e-2\n"
    path = write(tmp_path / "p.csv", text)
    with pytest.raises(sl.InvalidInputError, match="column 'where' must hold finite numbers"):
        read_points(path)
    table = read_points(path, columns=["x", "y"])
    np.testing.assert_array_equal(table.points, X)
    assert table.ids == ["ann", "bob"]
    swapped = sl.io.read(path, reads_as="points", columns=["y", "x"])
    np.testing.assert_array_equal(swapped.points, np.array(X)[:, ::-1])
    with pytest.raises(sl.InvalidInputError, match=r"must be among 'kind', .*; found 'z'"):
        read_points(path, columns=["x", "z"])
    path = parquet(tmp_path / "p.parquet", kind=["a", "b"], x=[1, 2], when=["c", "d"])
    assert read_points(path, columns=["x"]).points.tolist() == [[1.0], [2.0]]
    np.save(tmp_path / "p.npy", X)
    with pytest.raises(sl.InvalidInputError, match="columns of an array have no names"):
        read_points(tmp_path / "p.npy", columns=["x"])


@pytest.mark.parametrize("dtype", [float, np.float32, int, bool, np.uint8])
def test_npy(tmp_path, dtype):
    array = np.array([[1, 0, 1], [0, 1, 1]], dtype=dtype)
    np.save(tmp_path / "p.npy", array)
    table = read_points(tmp_path / "p.npy")
    np.testing.assert_array_equal(table.points, array)
    assert table.points.dtype == float
    assert table.ids is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n1,2\n3,\n", "p.csv, row 3: column 'y' must hold finite numbers; found nothing"),
        ("x,y\n1,2\n ,4\n", "p.csv, row 3: column 'x' must hold finite numbers; found nothing"),
        ("x,y\n1,2\n3,O.5\n", "p.csv, row 3: column 'y' must hold finite numbers; found 'O.5'"),
        ("x,y\n1,2\nabc,4\n5,6\n", "row 3: column 'x' must hold finite numbers; found 'abc'"),
        (",2\n3,4\n", "p.csv, row 1: column '1' must hold finite numbers; found nothing"),
        ("1,2\n3,x\n", "p.csv, row 2: column '2' must hold finite numbers; found 'x'"),
        ("x,y\n1,nan\n3,4\n", "row 2: column 'y' must hold finite numbers; found 'nan'"),
        ("x,y\n1,inf\n3,4\n", "row 2: column 'y' must hold finite numbers; found 'inf'"),
        ("x,y\n1,NA\n3,4\n5,6\n", "row 2: column 'y' must hold finite numbers; found 'NA'"),
        (
            "id,x,kind\na,1,rose\nb,2,lily\n",
            "row 2: column 'kind' must hold finite numbers; found 'rose'",
        ),
        ("x,y\n1,2\n3\n", "row 3: the number of columns of a table of features must be 2"),
        ("x,y\n1,2\n", "p.csv: must hold at least two items; found 1"),
        ("id\n1\n2\n", "p.csv: must have a column of numbers; found none"),
        ("ann\nbob\n", "p.csv: must have a column of numbers; found none"),
        ("id,x\n", "p.csv: must have rows after the header; found none"),
        ("", "p.csv: must hold a table of features; found an empty file"),
        (b"x,y\n1,\xff\n", "row 2: must be text in UTF-8; found byte 0xff"),
    ],
)
def test_faults_name_file_row_column_and_reason(tmp_path, text, message):
    path = write(tmp_path / "p.csv", text)
    with pytest.raises(sl.InvalidInputError) as caught:
        read_points(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.ones(3), "items by features; found shape (3,) and dtype float64"),
        (np.ones((3, 0)), "items by features; found shape (3, 0)"),
        (np.array([["a"], ["b"]]), "found shape (2, 1) and dtype <U1"),
        (np.array([[0, 1], [np.nan, 2]]), "row 1, column 0: must be a finite number; found nan"),
        (np.ones((1, 3)), "must hold at least two items; found 1"),
    ],
)
def test_arrays_that_are_no_points(tmp_path, array, message):
    np.save(tmp_path / "p.npy", array)
    with pytest.raises(sl.InvalidInputError) as caught:
        read_points(tmp_path / "p.npy")
    assert message in str(caught.value)


def test_other_endings_and_missing_files(tmp_path):
    with pytest.raises(sl.InvalidInputError, match=r"p\.xlsx: a table of features must end in one"):
        read_points(tmp_path / "p.xlsx")
    for name in ("p.csv", "p.npy"):
        with pytest.raises(sl.InvalidInputError, match="No such file"):
            read_points(tmp_path / name)


def parquet(path, **columns):
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table(columns), path)
    return path


@pytest.mark.parametrize(
    "ids", [["a", "b"], [7, 8], [b"x", b"y"], [None, "b"]], ids=lambda ids: type(ids[0]).__name__
)
def test_parquet_keeps_ids_of_any_type(tmp_path, ids):
    table = read_points(parquet(tmp_path / "p.parquet", x=[1, -3], id=ids, y=[2.5, 4e-2]))
    np.testing.assert_array_equal(table.points, X)
    assert table.ids == ids


def test_parquet_without_ids_and_with_those_of_pandas(tmp_path):
    pandas = pytest.importorskip("pandas")
    assert read_points(parquet(tmp_path / "p.parquet", x=[1, 2], y=[True, False])).ids is None
    frame = pandas.DataFrame({"x": [1.0, -3.0], "y": [2.5, 4e-2]}, index=["ann", "bob"])
    frame.to_parquet(tmp_path / "f.parquet")
    table = read_points(tmp_path / "f.parquet")
    np.testing.assert_array_equal(table.points, X)
    assert table.ids == ["ann", "bob"]
    frame.to_csv(tmp_path / "f.csv")
    assert read_points(tmp_path / "f.csv").ids == ["ann", "bob"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": [1, None]}, "row 2: column 'x' must hold finite numbers; found nothing"),
        ({"x": [np.nan, 1.0]}, "row 1: column 'x' must hold finite numbers; found nan"),
        (
            {"id": [1, 2], "x": [1, 2], "z": ["a", "b"]},
            "column 'z': must hold numbers; found string",
        ),
        ({"id": ["a", "b"]}, "must have a column of numbers; found none"),
        ({"x": [1]}, "must hold at least two items; found 1"),
    ],
)
def test_faults_of_parquet(tmp_path, columns, message):
    path = parquet(tmp_path / "p.parquet", **columns)
    with pytest.raises(sl.InvalidInputError) as caught:
        read_points(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)


def test_broken_parquet(tmp_path):
    content = parquet(tmp_path / "p.parquet", x=[1, 2]).read_bytes()
    for broken in (b"", b"PAR1", content[:-9], content[9:]):
        path = write(tmp_path / "p.parquet", broken)
        with pytest.raises(
            sl.InvalidInputError, match=r"not a readable \.parquet file; "
        ) as caught:
            read_points(path)
        assert "\n" not in str(caught.value)
    with pytest.raises(sl.InvalidInputError, match="No such file"):
        read_points(tmp_path / "none.parquet")


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"\.parquet needs pyarrow: pip install pyarrow$"):
        read_points(tmp_path / "p.parquet")


def test_from_a_table_to_an_answer(tmp_path):
    points, truth = make_blobs(60, centers=3, cluster_std=0.4, random_state=1)
    lines = [f"p{n},{x!r},{y!r}" for n, (x, y) in enumerate(points.tolist())]
    table = read_points(write(tmp_path / "p.csv", "\n".join(["id,x,y", *lines])))
    np.testing.assert_array_equal(table.points, points)
    result = sl.SphereClustering().fit(table.points).result_
    answer = table.answer(result)
    assert list(answer) == ["item", "label", "confidence"]
    assert answer["item"] == [f"p{n}" for n in range(60)]
    assert sl.metrics.pairwise_scores(truth, np.array(answer["label"])).f_score == 1
    assert answer["confidence"] == result.confidence.tolist()
    assert Points(points, None).answer(result)["item"] == list(range(60))


def test_integers_beyond_a_double_are_rounded(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "points.parquet"
    pq.write_table(pa.table({"a": pa.array([2**63, 1], pa.uint64())}), path)
    assert read_points(path).points.tolist() == [[2.0**63], [1.0]]


def test_names_of_features_are_kept_for_reports(tmp_path):
    path = write(tmp_path / "p.csv", "id,x,y,z\na,1,20,3\nb,2,40,5\nc,4,10,6\n")
    table = read_points(path, columns=["z", "x"])
    assert table.columns == ["z", "x"]
    graph = sl.similarity.neighbor_graph(table.points)
    view = table.joined(graph).view
    assert view.columns == ["z", "x"]
    np.testing.assert_array_equal(view.points, [[3, 1], [5, 2], [6, 4]])
    np.testing.assert_array_equal(view.unit, graph.places.unit)
    assert read_points(write(tmp_path / "q.csv", "1,2\n3,4\n")).columns is None
