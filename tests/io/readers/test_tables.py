"""Tables of edges and of groups."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from spherelax import InvalidInputError, io

W = np.kron(np.eye(2), [[0, 2.0, 1.0], [2.0, 0, 0], [1.0, 0, 0]])


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("x,y,weight\na,b,1\n", ["a", "b"]),
        ("a,b,1\n", ["a", "b"]),
        ("any,thing\n1,2\n", ["1", "2"]),
        ("any,thing\n1,2\n3,x\n", ["any", "thing", "1", "2", "3", "x"]),
        ("any,1\n1,2\n", ["any", "1", "2"]),
        ("Source,TARGET\na,b\n", ["a", "b"]),
        ("a,c\nb,d\n", ["a", "c", "b", "d"]),
        ("\ufeffu,v\na,b\n", ["a", "b"]),
        ('# made by hand\n\n"Doe, J.","#1"\n  \n#1,2\n', ["Doe, J.", "#1"]),
        ('"say ""hi""", plain\r\n', ['say "hi"', "plain"]),
        ("007,7\n7.0,1e3\n", ["007", "7", "7.0", "1e3"]),
        ("z,ä\n猫,z\n", ["z", "ä", "猫"]),
        ("a b,c\n", ["a b", "c"]),
    ],
)
def test_ids_and_headers_of_edge_tables(tmp_path: Path, text: str, ids: list[str]) -> None:
    assert io.read_edges(write(tmp_path / "edges.csv", text)).ids == ids


def test_the_largest_similarity_of_an_edge_counts(tmp_path: Path) -> None:
    text = "a,b,0.2\nb,a,0.7\na,b,0.5\nc,c,3\nc,a,0\n"
    items = io.read_edges(write(tmp_path / "edges.csv", text))
    np.testing.assert_array_equal(items.similarity.toarray(), [[0, 0.7, 0], [0.7, 0, 0], [0, 0, 3]])


def test_an_edge_table_has_two_or_three_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "e.csv", "a,b,1,2\n")
    message = "row 1: the number of columns of an edge table must be 2 or 3; found 4"
    with pytest.raises(InvalidInputError, match=message):
        io.read(path, reads_as="edges")


MATRIX = io.Items(W, ids=None)
NAMED = io.Items(sp.csr_array(W[:2, :2]), ids=["a", "7"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.txt", "x\nx\ny\nx\ny\ny\n"),
        ("g.csv", "group\nx\nx\ny\nx\ny\ny\n"),
        ("g.csv", "item,group\n5,y\n0,x\n1,x\n2,y\n3,x\n4,y\n"),
        ("g.csv", "frame,where\n5,y\n0,x\n1,x\n2,y\n3,x\n4,y\n4,y\n"),
        ("g.txt", "0 x\n1 x\n2 y\n3 x\n4 y\n5 y\n"),
    ],
)
def test_groups_of_a_matrix(tmp_path: Path, name: str, text: str) -> None:
    items = io.read_groups(write(tmp_path / name, text), MATRIX)
    assert items.groups == ["x", "x", "y", "x", "y", "y"]
    assert items.ids is None


@pytest.mark.parametrize("dtype", [int, np.uint8, str, "S3", bool])
def test_groups_from_npy(tmp_path: Path, dtype: type) -> None:
    np.save(tmp_path / "g.npy", np.array([0, 0, 1, 0, 1, 1]).astype(dtype))
    groups = io.read_groups(tmp_path / "g.npy", MATRIX).groups
    first, second = dict.fromkeys(groups)
    assert groups == [first, first, second, first, second, second]
    assert not first.startswith("b'")


def test_items_that_only_the_groups_know_are_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "g.csv", "id,group\nlonely,x\n7,y\na,x\n")
    items = io.read_groups(path, NAMED)
    assert (items.ids, items.groups) == (["a", "7", "lonely"], ["x", "y", "x"])
    np.testing.assert_array_equal(items.similarity.toarray(), [[0, 2, 0], [2, 0, 0], [0, 0, 0]])
    assert NAMED.similarity.shape == (2, 2)


@pytest.mark.parametrize(
    ("items", "name", "content", "message"),
    [
        (MATRIX, "g.txt", "x\ny\n", "must have one group per item, 6; found 2"),
        (MATRIX, "g.csv", "0,x\nsix,y\n", "row 2: item must be a number from 0 to 5; found 'six'"),
        (MATRIX, "g.csv", "0,x\n6,y\n", "row 2: item must be a number from 0 to 5; found '6'"),
        (MATRIX, "g.csv", "0,x\n1,y\n", "found none for '2' and 3 others"),
        (MATRIX, "g.csv", "0,x\n0,y\n", "row 2: item '0' must have one group; found 'y' after 'x'"),
        (MATRIX, "g.csv", "0,x\n1,\n", "row 2: item and group must not be empty"),
        (
            MATRIX,
            "g.csv",
            "0,x,1\n",
            "row 1: the number of columns of a file of groups must be 1 or 2; found 3",
        ),
        (MATRIX, "g.csv", "", "must hold a file of groups; found an empty file"),
        (MATRIX, "g.pkl", "", "a file of groups must end in .csv, .tsv, .txt"),
        (MATRIX, "g.npy", "", "not a readable .npy file"),
        (NAMED, "g.csv", "a,x\n", "found none for '7'"),
        (NAMED, "g.txt", "x\ny\n", "two columns, item and group; found one column"),
    ],
)
def test_faults_of_groups(
    tmp_path: Path, items: io.Items, name: str, content: str, message: str
) -> None:
    path = write(tmp_path / name, content)
    with pytest.raises(InvalidInputError) as caught:
        io.read_groups(path, items)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((6, 1), dtype=int), "found shape (6, 1)"),
        (np.full(6, np.nan), "must hold integers or text; found dtype float64"),
        (np.zeros(5, dtype=int), "must have one group per item, 6; found 5"),
    ],
)
def test_faults_of_npy_groups(tmp_path: Path, array: np.ndarray, message: str) -> None:
    np.save(tmp_path / "g.npy", array)
    with pytest.raises(InvalidInputError) as caught:
        io.read_groups(tmp_path / "g.npy", MATRIX)
    assert message in str(caught.value)
