"""match and cluster: the same labels from every format, into every format."""

import csv
import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from support.problems import candidates
from support.program import GROUPS, PAIRS, POWER, invoke, labels_in

import spherelax
from spherelax import io
from spherelax.io.words import ITEMS, RECORDS


@pytest.mark.parametrize("options", [(), POWER])
@pytest.mark.parametrize("file", ["edges.csv", "w.npy", "w.npz", "w.mtx"])
def test_cluster_gives_the_same_labels_in_every_format(file: str, options: tuple[str]) -> None:
    result = invoke("cluster", file, *options)
    assert result.exit_code == 0
    assert result.stdout.startswith("item,label,confidence\n")
    assert labels_in(result.stdout) == list("000111222")
    name, label, sure = result.stdout.splitlines()[1].split(",")
    assert (name, label) == ("i0" if file == "edges.csv" else "0", "0")
    assert float(sure) > 0.9


@pytest.mark.parametrize("options", [(), POWER])
@pytest.mark.parametrize(("file", "groups"), [("edges.csv", "groups.csv"), ("w.npz", "groups.txt")])
def test_match(file: str, groups: str, options: tuple[str]) -> None:
    result = invoke("match", file, "--groups", groups, *options)
    assert result.exit_code == 0
    assert result.stdout.startswith("item,group,label,confidence\n")
    assert labels_in(result.stdout) == list("000111222")
    assert result.stderr.startswith("3 labels from 9 items in 3 groups\n")


def test_items_that_only_the_groups_know_come_out() -> None:
    Path("groups.csv").write_text(GROUPS + "lonely,g0\n")
    result = invoke("match", "edges.csv", "--groups", "groups.csv")
    assert result.stdout.splitlines()[-1].startswith("lonely,g0,3,")
    found = "4 labels from 10 items in 3 groups; 1 item has a label of its own\n"
    assert result.stderr.startswith(found)
    assert "no edge: 1 item, from the groups\n" in result.stderr


def test_files_and_summary() -> None:
    result = invoke("cluster", "edges.csv", "--out", "labels.csv", "--plot", "sweep.png")
    assert result.exit_code == 0
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 8
    assert lines[0] == "3 labels from 9 items"
    assert lines[1] == "clear: no item is expected to have a wrong label"
    assert lines[2] == spherelax.Status.DESCRIBED.sentence
    assert lines[3].startswith("Taken for a graph: ")
    assert lines[4] == (
        "confidence: 1.00 on average, below 0.1 for 0 items; about 0 items may be in a wrong label"
    )
    assert lines[5] == "input: read as edges; --as sets another format"
    assert lines[6:] == ["labels: labels.csv", "picture: sweep.png"]
    assert labels_in(Path("labels.csv").read_text()) == list("000111222")
    assert Path("sweep.png").read_bytes().startswith(b"\x89PNG")
    assert not [path for path in Path().iterdir() if path.suffix == ".part"]


def test_the_summary_tells_a_bound_that_might_bind() -> None:
    said = "bound: at most {} labels could be found; see --max-labels\n"
    result = invoke("cluster", "edges.csv", "--max-labels", "5", *POWER)
    assert said.format(5) in result.stderr
    result = invoke("match", "edges.csv", "--groups", "groups.csv", "--max-labels", "4", *POWER)
    assert said.format(4) in result.stderr
    assert "bound" not in invoke("cluster", "edges.csv").stderr


def test_numbers_of_the_method_are_for_those_who_ask() -> None:
    plain = invoke("cluster", "edges.csv").stderr
    verbose = invoke("cluster", "edges.csv", "--verbose").stderr
    assert verbose.startswith(plain)
    found = re.fullmatch(
        r"method: resolution [\d.]+ \(alpha [\d.]+\), step \d+ of \d+, 3 labels\n",
        verbose.removeprefix(plain),
    )
    assert found
    assert not re.search(r"alpha|\beta\b|nats|resolution \d", plain)


def test_pairs_are_matched_by_their_sources() -> None:
    result = invoke("match", "pairs.csv")
    assert result.stdout.startswith("source,id,entity,confidence\n")
    assert result.stdout.splitlines()[1].startswith("g0,0,0,")
    assert labels_in(result.stdout, "entity") == list("000111222")
    assert result.stderr.startswith("3 entities from 9 records in 3 sources\nwith doubts: about 1")
    assert "\nThe entities are" in result.stderr


def test_pairs_without_sources_need_no_groups() -> None:
    Path("pairs.csv").write_text("id_a,id_b,score\n1,2,0.9\n3,4,0.8\n")
    result = invoke("match", "pairs.csv")
    assert result.stdout.startswith("id,entity,confidence\n")
    assert labels_in(result.stdout, "entity") == list("0011")


def test_options_of_pairs() -> None:
    Path("other.csv").write_text(PAIRS.replace("source_a,id_a,source_b,id_b,score", "a,b,c,d,e"))
    named = invoke("match", "other.csv", "--columns", "a, b,c,d,e")
    assert named.stdout == invoke("match", "pairs.csv").stdout
    some = invoke("match", "pairs.csv", "--duplicate-free-sources", "g0,g2")
    assert some.stderr.startswith("3 entities from 9 records in 2 sources\n")
    none = invoke("match", "pairs.csv", "--duplicate-free-sources", "")
    assert none.stderr.startswith("3 entities from 9 records\n")


def test_cluster_leaves_groups_out_of_account() -> None:
    Path("pairs.csv").write_text("source_a,id_a,source_b,id_b,score\nx,1,y,1,1\nx,2,y,1,1\n")
    assert labels_in(invoke("match", "pairs.csv").stdout, "entity") != list("000")
    assert labels_in(invoke("cluster", "pairs.csv").stdout, "entity") == list("000")


def test_databases_become_tracks() -> None:
    result = invoke("match", "w.db", "--write-database", "new.db")
    assert result.stdout.startswith("track,image,keypoint,x,y,confidence\n0,1.JPG,0,0.5000,0.5000,")
    assert labels_in(result.stdout, "track") == list("000111222")
    assert "database: new.db, 9 matches kept, 0 removed, 0 added\n" in result.stderr
    with closing(sqlite3.connect("new.db")) as database:
        counts = database.execute("SELECT rows FROM two_view_geometries").fetchall()
    assert counts == [(3,)] * 3


def test_missing_matches_are_added_on_request() -> None:
    with closing(sqlite3.connect("w.db")) as database, database:
        one = np.array([[0, 0]], "<u4").tobytes()
        pair = 2147483647 * 2 + 3
        change = "UPDATE two_view_geometries SET rows = 1, data = ? WHERE pair_id = ?"
        database.execute(change, (one, pair))
    plain = invoke("match", "w.db", "--write-database", "new.db")
    assert "new.db, 7 matches kept, 0 removed, 0 added\n" in plain.stderr
    more = invoke("match", "w.db", "--write-database", "more.db", "--add-missing")
    assert "more.db, 7 matches kept, 0 removed, 2 added\n" in more.stderr


@pytest.mark.parametrize("table", ["two_view_geometries", "matches"])
def test_the_table_can_be_chosen(table: str) -> None:
    with closing(sqlite3.connect("w.db")) as database, database:
        one = np.array([[0, 0]], "<u4").tobytes()
        database.execute("INSERT INTO matches VALUES (?, 1, 2, ?)", (2147483647 + 2, one))
    found = invoke("match", "w.db", "--table", table).stdout
    assert len(found.splitlines()) == 1 + (9 if table == "two_view_geometries" else 2)


def test_points_are_clustered() -> None:
    result = invoke("cluster", "points.csv")
    assert result.stdout.startswith("item,label,confidence\np0,0,")
    assert labels_in(result.stdout) == ["0"] * 20 + ["1"] * 20
    power = invoke("cluster", "points.csv", "--max-labels", "2", *POWER)
    assert power.exit_code == 0
    assert int(max(labels_in(power.stdout))) <= 1


def test_edges_by_force() -> None:
    Path("versions.csv").write_text("1.5,2.5\n")
    assert invoke("cluster", "versions.csv").exit_code == 2
    found = invoke("cluster", "versions.csv", "--as", "edges").stdout
    assert [line.split(",")[0] for line in found.splitlines()] == ["item", "1.5", "2.5"]


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_labels_in_every_form(ending: str) -> None:
    if ending == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
    target = f"labels.{ending}"
    assert invoke("cluster", "edges.csv", "--out", target).exit_code == 0
    if ending == "parquet":
        rows = parquet.read_table(target).to_pylist()
    else:
        delimiter = "\t" if ending == "tsv" else ","
        rows = list(csv.DictReader(Path(target).read_text().splitlines(), delimiter=delimiter))
    assert [row["item"] for row in rows] == [f"i{i}" for i in range(9)]
    assert [str(row["label"]) for row in rows] == list("000111222")


def test_the_summary_for_scripts() -> None:
    result = invoke("match", "edges.csv", "--groups", "groups.csv", "--json")
    about = json.loads(result.stdout)
    assert (about["n_items"], about["n_groups"], about["n_labels"]) == (9, 3, 3)
    assert (about["reads_as"], about["kind"], about["reading"]) == ("edges", "graph", "plain")
    assert result.stderr == ""
    both = invoke("match", "edges.csv", "--groups", "groups.csv", "--json", "--out", "labels.csv")
    assert json.loads(both.stdout) == about
    assert labels_in(Path("labels.csv").read_text()) == list("000111222")
    invoke("match", "edges.csv", "--groups", "groups.csv", "--out", "about.json")
    assert json.loads(Path("about.json").read_text()) == about


@pytest.mark.parametrize(
    ("file", "options", "told"),
    [
        ("edges.csv", (), "edges"),
        ("points.csv", (), "points"),
        ("edges.csv", ("--as", "edges"), None),
        ("pairs.csv", (), None),
        ("w.npy", (), None),
    ],
)
def test_a_guess_is_told(file: str, options: tuple[str], told: str | None) -> None:
    said = f"\ninput: read as {told}; --as sets another format\n"
    for command in ("cluster", "report"):
        stderr = invoke(command, file, *options).stderr
        assert (said in stderr) == (told is not None)
        assert ("read as" in stderr) == (told is not None)


def test_one_is_not_several() -> None:
    Path("two.csv").write_text("ann,anna\n")
    lines = invoke("cluster", "two.csv", "--as", "edges", "--n-labels", "1").stderr.splitlines()
    assert lines[0] == "1 label from 2 items"
    Path("groups.csv").write_text("ann,x\nanna,x\n")
    alone = invoke("match", "two.csv", "--groups", "groups.csv").stderr
    found = "2 labels from 2 items in 1 group; 2 items have labels of their own\n"
    assert alone.startswith(found)


def test_a_saved_result_is_the_result() -> None:
    invoke("cluster", "edges.csv", "--out", "saved.npz")
    assert io.load_result("saved.npz").labels.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_devices_need_no_ending() -> None:
    assert invoke("cluster", "edges.csv", "--out", "/dev/null").exit_code == 0
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert invoke("cluster", "edges.csv", "--out", "pipe").exit_code == 0
    assert labels_in(os.read(reader, 4096).decode()) == list("000111222")
    os.close(reader)


def test_a_report_beside_the_labels() -> None:
    result = invoke("cluster", "edges.csv", "--report", "page.html", "--out", "labels.csv")
    assert result.stderr.splitlines()[6:] == ["labels: labels.csv", "report: page.html"]
    assert "Labels of edges.csv" in Path("page.html").read_text()


def test_the_kind_of_similarities() -> None:
    Path("weights.csv").write_text("unique_id_l,unique_id_r,match_weight\na,b,4\nb,c,-3\nc,d,9\n")
    Path("odds.csv").write_text("a,b,2.5\nb,c,-1.5\nc,d,3\n")
    refused = invoke("cluster", "odds.csv")
    assert refused.exit_code == 2
    assert "similarity must be finite and not negative; found '-1.5'" in refused.stderr
    for arguments, words in (
        (["weights.csv"], RECORDS),
        (["odds.csv", "--kind", "odds"], ITEMS),
    ):
        done = invoke("cluster", *arguments)
        assert done.exit_code == 0
        assert [line.split(",")[1] for line in done.stdout.splitlines()[1:]] == list("0011")
        assert words.speak(spherelax.Status.LIKELIEST.sentence) in done.stderr


def test_edges_are_a_graph_unless_they_are_said_to_be_candidates() -> None:
    W, truth = candidates()
    pairs = sp.triu(W).tocoo()
    rows = zip(pairs.row, pairs.col, pairs.data, strict=True)
    Path("scored.csv").write_text("".join(f"i{a},i{b},{score}\n" for a, b, score in rows))
    graph, found = (
        invoke("cluster", "scored.csv"),
        invoke("cluster", "scored.csv", "--kind", "pairs"),
    )
    assert spherelax.Status.LIKELIEST.sentence not in graph.stderr
    assert spherelax.Status.LIKELIEST.sentence in found.stderr
    labels = {name: label for name, label, _ in csv.reader(found.stdout.splitlines()[1:])}
    mine = [labels[f"i{item}"] for item in range(len(truth))]
    assert spherelax.metrics.pairwise_scores(truth, mine).f_score > 0.99


def test_entities_and_pairs_are_written() -> None:
    result = invoke("cluster", "edges.csv", "--entities", "sizes.csv", "--pairs", "pairs.csv")
    assert result.exit_code == 0
    assert "a row per label: sizes.csv" in result.stderr
    assert Path("sizes.csv").read_text().splitlines() == [
        "label,size,representative_item",
        "0,3,i0",
        "1,3,i3",
        "2,3,i6",
    ]
    assert Path("pairs.csv").read_text().splitlines()[0] == "item_a,item_b,label"
    assert len(Path("pairs.csv").read_text().splitlines()) == 10
    for name, wrong in (("--pairs", "pairs.json"), ("--entities", "-")):
        assert invoke("cluster", "edges.csv", name, wrong).exit_code == 2


def test_judgements_are_kept_and_contradictions_named() -> None:
    judged = Path("judged.csv")
    judged.write_text("item_a,item_b,verdict\ni0,i1,different\ni0,i2,same\n")
    result = invoke("cluster", "edges.csv", "--judgements", "judged.csv")
    labels = labels_in(result.stdout)
    assert labels[0] == labels[2] != labels[1]
    assert "judgements: 2 pairs of judged.csv\n" in result.stderr
    judged.write_text(judged.read_text() + "i1,i2,same\n")
    result = invoke("cluster", "edges.csv", "--judgements", "judged.csv")
    assert result.exit_code != 0
    assert "found i0 = i2, i1 = i2, i0 ≠ i1; --contradictions drop" in result.stderr
    options = ("--judgements", "judged.csv", "--contradictions", "drop")
    labels = labels_in(invoke("cluster", "edges.csv", *options).stdout)
    assert labels[0] == labels[2] == labels[1]


def test_contradictions_need_judgements() -> None:
    result = invoke("cluster", "edges.csv", "--contradictions", "drop")
    assert "--contradictions needs --judgements" in result.stderr
