"""Graphs of other packages, and labels back on them."""

import subprocess
import sys
from fractions import Fraction
from io import BytesIO

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl
from spherelax.io import from_graph, label_nodes, node_sets, vertex_clustering

SPARSE = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")


def dense(items):
    W = items.similarity
    return W.toarray() if sp.issparse(W) else W


@pytest.fixture
def directed(seed):
    """A directed weighted matrix with loops, and its undirected form by the larger value."""
    rng = np.random.default_rng(seed)
    A = np.where(rng.random((9, 9)) < 0.3, rng.integers(1, 9, (9, 9)), 0).astype(float)
    return A, np.maximum(A, A.T)


@pytest.mark.parametrize("kind", ["DiGraph", "MultiDiGraph"])
def test_networkx_is_made_undirected_by_the_larger_value(directed, kind):
    nx = pytest.importorskip("networkx")
    A, W = directed
    items = from_graph(nx.from_numpy_array(A, create_using=getattr(nx, kind)))
    np.testing.assert_array_equal(dense(items), W)
    assert items.ids == list(range(9))


def test_igraph_is_made_undirected_by_the_larger_value(directed):
    igraph = pytest.importorskip("igraph")
    A, W = directed
    graph = igraph.Graph.Weighted_Adjacency(A.tolist(), mode="directed", attr="weight")
    items = from_graph(graph)
    np.testing.assert_array_equal(dense(items), W)
    assert items.ids is None


@pytest.mark.parametrize(
    "kind", [f"{name}_{what}" for name in SPARSE for what in ("array", "matrix")]
)
def test_every_sparse_matrix_is_made_undirected(directed, kind):
    A, W = directed
    items = from_graph(getattr(sp, kind)(A))
    np.testing.assert_array_equal(dense(items), W)
    assert sl.problem.Problem.check(items.similarity).n_items == 9


def test_a_graph_says_that_absent_pairs_are_unlike(directed):
    nx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    A, _ = directed
    edges = [(0, 1), (1, 2)]
    for graph in (A, sp.csr_array(A), nx.Graph(edges), igraph.Graph(edges=edges)):
        items = from_graph(graph)
        assert items.kind == items.problem.kind == "graph"
        assert items.with_groups(range(items.n_items)).problem.kind == "graph"


def test_dense_and_lists_are_made_undirected(directed):
    A, W = directed
    np.testing.assert_array_equal(dense(from_graph(A)), W)
    np.testing.assert_array_equal(dense(from_graph(A.tolist())), W)
    np.testing.assert_array_equal(dense(from_graph(A > 0)), W > 0)


def test_the_input_stays_as_it_is(directed):
    A, _ = directed
    graph = sp.csr_array(A)
    before = graph.copy()
    from_graph(graph)
    assert (graph != before).nnz == 0


def test_repeated_entries_of_a_sparse_matrix_add_up_as_in_scipy():
    graph = sp.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2))
    np.testing.assert_array_equal(dense(from_graph(graph)), [[0, 3], [3, 0]])


def test_networkx_multigraph_loops_and_missing_weights():
    nx = pytest.importorskip("networkx")
    graph = nx.MultiGraph()
    graph.add_weighted_edges_from([("a", "b", 2), ("b", "a", 5.5), ("a", "b", Fraction(1, 2))])
    graph.add_edge("b", "c")
    graph.add_edge("c", "c", weight=3)
    graph.add_edge("a", "c", weight=None)
    graph.add_node("alone")
    items = from_graph(graph)
    assert items.ids == ["a", "b", "c", "alone"]
    expected = [[0, 5.5, 1, 0], [5.5, 0, 1, 0], [1, 1, 3, 0], [0, 0, 0, 0]]
    np.testing.assert_array_equal(dense(items), expected)
    ones = np.array(expected) > 0
    np.testing.assert_array_equal(dense(from_graph(graph, weight=None)), ones)


def test_another_attribute_is_the_weight():
    nx = pytest.importorskip("networkx")
    graph = nx.Graph()
    graph.add_edge(0, 1, weight=9, score=np.float32(0.5))
    np.testing.assert_array_equal(dense(from_graph(graph, weight="score")), [[0, 0.5], [0.5, 0]])


def test_an_attribute_that_no_edge_has_is_refused():
    nx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    edges = [(0, 1), (1, 2)]
    for graph in (nx.Graph(edges), nx.MultiDiGraph(edges), igraph.Graph(edges=edges)):
        assert from_graph(graph).similarity.sum() == 4
        message = "^weight must be on some edge; found none with 'score'$"
        with pytest.raises(sl.InvalidInputError, match=message):
            from_graph(graph, weight="score")
    assert from_graph(nx.empty_graph(3), weight="score").similarity.sum() == 0


def test_nodes_are_kept_as_they_are():
    nx = pytest.importorskip("networkx")
    nodes = [("a", 1), frozenset({2}), 3, "3", 4.5, b"x"]
    graph = nx.path_graph(6)
    graph = nx.relabel_nodes(graph, dict(enumerate(nodes)))
    items = from_graph(graph)
    assert items.ids == nodes
    assert [type(node) for node in items.ids] == [type(node) for node in nodes]


def test_a_class_of_its_own_is_a_graph_too():
    nx = pytest.importorskip("networkx")

    class Roads(nx.Graph):
        pass

    assert from_graph(Roads([("x", "y")])).ids == ["x", "y"]
    assert from_graph(nx.subgraph_view(nx.path_graph(3))).ids == [0, 1, 2]


def test_a_graph_without_edges():
    nx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    for graph in (nx.empty_graph(3), igraph.Graph(3)):
        items = from_graph(graph)
        np.testing.assert_array_equal(dense(items), np.zeros((3, 3)))
        with pytest.warns(sl.SphereWarning, match="No item is similar"):
            assert sl.solve(items.similarity).n_labels == 3


def test_igraph_names_several_edges_and_missing_weights():
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph(edges=[(0, 1), (1, 0), (1, 2), (2, 2)])
    np.testing.assert_array_equal(dense(from_graph(graph)), [[0, 1, 0], [1, 0, 1], [0, 1, 1]])
    graph.vs["name"] = ["a", "b", "c"]
    graph.es["weight"] = [2, 5, None, 3]
    items = from_graph(graph)
    assert items.ids == ["a", "b", "c"]
    np.testing.assert_array_equal(dense(items), [[0, 5, 0], [5, 0, 1], [0, 1, 3]])


@pytest.mark.parametrize("value", [-1, np.nan, np.inf, "0.5", 1j, [1]])
def test_bad_weights_are_named_with_their_edge(value):
    nx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=1)
    graph.add_edge("b", "c", weight=value)
    with pytest.raises(sl.InvalidInputError) as caught:
        from_graph(graph)
    expected = "the weight of an edge must be a finite number >= 0; found "
    assert str(caught.value) == f"{expected}{value!r} between 'b' and 'c'"
    graph = igraph.Graph(edges=[(0, 1), (1, 2)], edge_attrs={"weight": [1, value]})
    with pytest.raises(sl.InvalidInputError) as caught:
        from_graph(graph)
    assert str(caught.value) == f"{expected}{value!r} between 1 and 2"


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (np.ones((2, 3)), "found ndarray of shape (2, 3) and dtype float64"),
        (np.ones(4), "found ndarray of shape (4,)"),
        ("edges.csv", "found str of shape () and dtype <U9"),
        (None, "found NoneType of shape () and dtype object"),
        ([["a", "b"], ["b", "a"]], "dtype <U1"),
        ([[0, 1], [1]], "rows of different lengths"),
        ([[0, -1.0], [2, 0]], "graph must hold finite numbers >= 0; found -1.0"),
        (sp.csr_array([[0, -1.0], [2, 0]]), "graph must hold finite numbers >= 0; found -1.0"),
        ([[0, np.nan], [2, 0]], "found nan"),
        (sp.csr_array([[0, np.nan], [2, 0]]), "found nan"),
        ([[0, np.inf], [2, 0]], "found inf"),
    ],
)
def test_what_is_no_graph_is_refused(graph, message):
    with pytest.raises(sl.InvalidInputError) as caught:
        from_graph(graph)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_other_packages_are_not_imported():
    script = (
        "import sys; from spherelax.io.readers.graphs import from_graph; "
        "from_graph([[0, 1], [1, 0]]); "
        "print(*{'networkx', 'igraph', 'anndata', 'pandas', 'h5py'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


@pytest.fixture
def club():
    """Zachary's club, whose weights are how often members met."""
    return pytest.importorskip("networkx").karate_club_graph()


def test_labels_go_to_the_nodes_of_networkx(club):
    nx = pytest.importorskip("networkx")
    items = from_graph(club)
    result = sl.solve(items.similarity, pick=1.0)
    assert label_nodes(club, items, result, key="side") is club
    assert nx.get_node_attributes(club, "side") == dict(enumerate(result.labels.tolist()))
    sure = nx.get_node_attributes(club, "side_confidence")
    assert sure == dict(enumerate(result.confidence.tolist()))
    assert {type(value) for value in sure.values()} == {float}
    file = BytesIO()
    nx.write_graphml(club, file)  # takes plain numbers only
    file.seek(0)
    again = nx.read_graphml(file, node_type=int)
    assert nx.get_node_attributes(again, "side") == nx.get_node_attributes(club, "side")


def test_labels_go_by_name_not_by_place(club):
    nx = pytest.importorskip("networkx")
    items = from_graph(club)
    result = sl.solve(items.similarity, pick=1.0)
    other = nx.Graph()
    other.add_nodes_from(reversed(list(club)))
    label_nodes(other, items, result)
    assert [other.nodes[node]["label"] for node in items.ids] == result.labels.tolist()


def test_labels_go_to_the_vertices_of_igraph():
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph.Famous("Zachary")
    items = from_graph(graph)
    result = sl.solve(items.similarity, pick=1.0)
    assert label_nodes(graph, items, result) is graph
    assert graph.vs["label"] == result.labels.tolist()
    assert graph.vs["label_confidence"] == result.confidence.tolist()


def test_labels_of_another_graph_are_refused(club):
    nx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    items = from_graph(club)
    result = sl.solve(items.similarity, pick=1.0)
    with pytest.raises(sl.InvalidInputError, match=r"the nodes of items, 34; found no node 3$"):
        label_nodes(nx.path_graph(3), items, result)
    with pytest.raises(sl.InvalidInputError, match=r"the nodes of items, 34; found 40 nodes$"):
        label_nodes(nx.path_graph(40), items, result)
    with pytest.raises(sl.InvalidInputError, match=r"each of 3 nodes; found 34$"):
        label_nodes(igraph.Graph(3), items, result)
    with pytest.raises(sl.InvalidInputError, match=r"each of 3 items; found 34$"):
        label_nodes(club, from_graph(nx.path_graph(3)), result)
    with pytest.raises(sl.InvalidInputError, match=r"one of networkx or igraph; found ndarray$"):
        label_nodes(np.eye(34), items, result)
    assert "label" not in club.nodes[0]


def test_neighbour_graphs_are_recognised(tmp_path):
    """Every node is joined to its nearest: of networkx, igraph, SciPy, or a table of edges."""
    nx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    X = np.random.default_rng(0).normal(size=(400, 2))
    W = sp.csr_array(sl.similarity.nearest_neighbors(X, n_neighbors=8, weights="binary"))
    graph = nx.from_scipy_sparse_array(W)
    pairs = np.argwhere(sp.triu(W).toarray())
    table = tmp_path / "edges.csv"
    np.savetxt(table, pairs, fmt="n%d", delimiter=",")
    for found in (graph, W, igraph.Graph(pairs.tolist())):
        assert from_graph(found).kind == "neighbors"
    assert sl.io.read(table).kind == "neighbors"
    assert sl.io.read(table, kind="graph").kind == "graph"


def test_other_graphs_stay_graphs(club):
    nx = pytest.importorskip("networkx")
    for graph in (club, nx.gnp_random_graph(300, 0.05, seed=0), nx.empty_graph(0)):
        assert from_graph(graph).kind == "graph"


def modularity(W, labels):
    """Newman's modularity of an undirected graph without loops, term by term."""
    degrees, total = W.sum(axis=0), W.sum()
    together = np.equal.outer(labels, labels)
    return ((W - np.outer(degrees, degrees) / total) * together).sum() / total


def test_networkx_judges_the_sets_of_nodes(club):
    nx = pytest.importorskip("networkx")
    items = from_graph(club)
    result = sl.solve(items.problem, pick=1.0)
    found = node_sets(items, result)
    assert result.n_labels > 1
    assert nx.community.is_partition(club, found)
    assert all(result.labels[node] == label for label, each in enumerate(found) for node in each)
    expected = modularity(nx.to_numpy_array(club), result.labels)
    assert nx.community.modularity(club, found) == pytest.approx(expected)


def test_sets_hold_names_of_nodes_and_numbers_where_there_are_none():
    W = np.kron(np.eye(2), np.ones((2, 2)))
    result = sl.solve(W)
    assert node_sets(sl.io.Items(W, list("abcd")), result) == [{"a", "b"}, {"c", "d"}]
    assert node_sets(sl.io.Items(W, None), result) == [{0, 1}, {2, 3}]
    with pytest.raises(sl.InvalidInputError, match="for each of 3 items; found 4"):
        node_sets(sl.io.Items(np.eye(3), None), result)


@pytest.mark.parametrize("weight", ["weight", None])
def test_igraph_judges_its_clustering(club, weight):
    nx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    graph = igraph.Graph.from_networkx(club)
    result = sl.solve(from_graph(graph).problem, pick=1.0)
    found = vertex_clustering(graph, result, weight=weight)
    assert isinstance(found, igraph.VertexClustering)
    assert found.membership == result.labels.tolist()
    expected = modularity(nx.to_numpy_array(club, weight=weight), result.labels)
    assert found.modularity == pytest.approx(expected)
    assert found.compare_to(graph.community_multilevel(), method="nmi") > 0.5


def test_a_clustering_needs_the_graph_of_the_labels(club):
    igraph = pytest.importorskip("igraph")
    result = sl.solve(np.ones((3, 3)), pick=1.0)
    with pytest.raises(sl.InvalidInputError, match="graph must be one of igraph; found Graph"):
        vertex_clustering(club, result)
    with pytest.raises(sl.InvalidInputError, match="for each of 2 nodes; found 3"):
        vertex_clustering(igraph.Graph(2), result)
