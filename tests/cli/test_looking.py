"""The commands path, report and info."""

import csv
import json
import re
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from support.program import POWER, assert_one_line, invoke

import spherelax
from spherelax import io


def steps_in(text: str, delimiter: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines(), delimiter=delimiter))


@pytest.mark.parametrize("options", [(), POWER])
def test_path_has_one_row_per_step(options: tuple[str]) -> None:
    settings = {"solver": spherelax.Power(alpha_step=0.1)} if options else {}
    expected = spherelax.solve(io.read_edges("edges.csv").similarity, **settings)
    plain = ["resolution", "labels", "saving", "stability", "picked"]
    assert list(steps_in(invoke("path", "edges.csv", *options).stdout)[0]) == plain
    steps = steps_in(invoke("path", "edges.csv", "--verbose", *options).stdout)
    assert list(steps[0]) == [*plain[:-1], "alpha", "eta", "picked"]
    for name, curve in {
        "alpha": expected.path.alphas,
        "resolution": expected.path.resolutions,
        "labels": expected.path.n_labels,
        "eta": expected.path.etas,
        "stability": expected.path.stability,
    }.items():
        np.testing.assert_allclose([float(step[name]) for step in steps], curve, rtol=1e-5)
    assert [step["picked"] for step in steps].index("1") == expected.path.picked
    assert sum(step["picked"] == "1" for step in steps) == 1
    if options:
        assert {step["saving"] for step in steps} == {""}
    else:
        savings = [float(step["saving"]) for step in steps]
        np.testing.assert_allclose(savings, expected.path.savings, rtol=1e-5)


def test_path_as_json_and_into_files() -> None:
    about = json.loads(invoke("path", "edges.csv", "--json").stdout)
    assert about["is_complete"]
    assert spherelax.Status(about["status"]).sentence == about["sentence"]
    steps = steps_in(invoke("path", "edges.csv").stdout)
    assert [step["labels"] for step in about["steps"]] == [int(step["labels"]) for step in steps]
    assert [step["picked"] for step in about["steps"]].count(True) == 1
    invoke("path", "edges.csv", "--out", "steps.json")
    assert json.loads(Path("steps.json").read_text()) == about
    invoke("path", "edges.csv", "--out", "steps.tsv")
    assert steps_in(Path("steps.tsv").read_text(), "\t") == steps
    both = invoke("path", "edges.csv", "--json", "--out", "steps.csv")
    assert json.loads(both.stdout) == about
    assert steps_in(Path("steps.csv").read_text()) == steps
    power = json.loads(invoke("path", "edges.csv", "--json", *POWER).stdout)
    assert {step["saving"] for step in power["steps"]} == {None}


def test_path_of_a_saved_result() -> None:
    invoke("match", "edges.csv", "--groups", "groups.csv", "--out", "saved.npz")
    saved = invoke("path", "saved.npz").stdout
    assert saved == invoke("path", "edges.csv", "--groups", "groups.csv").stdout
    assert saved == invoke("path", "-", stdin=Path("saved.npz").read_bytes()).stdout


def test_path_of_points_and_pairs() -> None:
    assert len(steps_in(invoke("path", "points.csv").stdout)) > 5
    assert len(steps_in(invoke("path", "pairs.csv").stdout)) > 5


@pytest.mark.parametrize("file", ["edges.csv", "pairs.csv", "w.db", "points.csv", "w.npz"])
def test_report(file: str) -> None:
    words = {"pairs.csv": "Entities", "w.db": "Tracks", "points.csv": "Clusters"}
    result = invoke("report", file)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1] == "report: report.html"
    page = Path("report.html").read_text()
    assert f"{words.get(file, 'Labels')} of {file}" in page
    assert invoke("report", file, "--out", "-").stdout == page


def read_page(name: str) -> str:
    """Return a page without its explanations, which a saved result has not."""
    page = re.sub("<script.*?</script>", "", Path(name).read_text(), flags=re.DOTALL)
    before, _, rest = page.partition('<h2 id="why">')
    return before + rest.partition('<h2 id="unsure">')[2]


def test_report_on_a_saved_result() -> None:
    invoke("cluster", "edges.csv", "--out", "saved.npz")
    assert invoke("report", "edges.csv", "--out", "new.html").exit_code == 0
    arguments = ("report", "edges.csv", "--out", "old.html", "--result", "saved.npz")
    assert invoke(*arguments).exit_code == 0
    assert read_page("old.html") == read_page("new.html")
    result = invoke("report", "w.npz", "--result", "saved.npz")
    message = "saved.npz: must be a result of the items in FILE; found other items"
    assert_one_line(result.exit_code, result.stdout, result.stderr, message)


def test_report_on_a_saved_result_of_points() -> None:
    invoke("cluster", "points.csv", "--out", "saved.npz")
    assert invoke("report", "points.csv", "--out", "new.html").exit_code == 0
    invoke("report", "points.csv", "--out", "old.html", "--result", "saved.npz")
    assert read_page("old.html") == read_page("new.html")


def test_report_on_a_saved_clustering_leaves_groups_out_of_account() -> None:
    Path("pairs.csv").write_text("source_a,id_a,source_b,id_b,score\nx,1,y,1,1\nx,2,y,1,1\n")
    for command, said in (
        ("match", "2 entities from 3 records in 2 sources"),
        ("cluster", "1 entity from 3 records\n"),
    ):
        invoke(command, "pairs.csv", "--out", "saved.npz")
        assert said in invoke("report", "pairs.csv", "--result", "saved.npz").stderr


def test_a_page_on_standard_output() -> None:
    page = invoke("cluster", "edges.csv", "--out", "labels.csv", "--report", "-")
    assert page.stdout.startswith("<!DOCTYPE html>")
    assert "report: standard output\n" in page.stderr


def test_report_at_another_step() -> None:
    stderr = invoke("report", "edges.csv", "--n-labels", "9", *POWER).stderr
    assert stderr.startswith("9 labels from 9 items; 9 items have labels of their own\n")


def test_report_with_images() -> None:
    pillow = pytest.importorskip("PIL.Image")
    for number in (1, 2, 3):
        content = BytesIO()
        pillow.new("L", (20, 10)).save(content, "PNG")
        Path("folder", f"{number}.jpg").write_bytes(content.getvalue())
    assert invoke("report", "w.db", "--images", "folder").exit_code == 0
    page = Path("report.html").read_text()
    assert page.count('<image id="image-') == 3
    assert page.count('class="crop"') == 9
    arguments = ("match", "w.db", "--images", "folder", "--report", "page.html", "--json")
    assert invoke(*arguments).exit_code == 0
    assert Path("page.html").read_text() == Path("report.html").read_text()


def test_info() -> None:
    about = json.loads(invoke("info", "edges.csv", "--groups", "groups.csv", "--json").stdout)
    assert about == {
        "reads_as": "edges",
        "n_items": 9,
        "n_groups": 3,
        "n_edges": 9,
        "n_edges_inside_groups": 0,
        "n_components": 3,
        "n_components_with_conflicts": 0,
        "n_isolated": 0,
        "smallest": 1.0,
        "largest": 1.0,
    }
    text = invoke("info", "edges.csv").stdout
    assert "items                                   9\n" in text
    assert "group" not in text


WEIGHTS = "unique_id_l,unique_id_r,match_weight\na,b,4\nb,c,-3\na,c,-0.5\nc,d,10\n"
PROBABILITIES = "unique_id_l,unique_id_r,match_probability\na,b,0.9\nb,c,0.1\nc,d,0.75\n"


def test_what_users_see_are_their_own_scores() -> None:
    Path("weights.csv").write_text(WEIGHTS)
    Path("probabilities.csv").write_text(PROBABILITIES)
    for options, n_edges, smallest, median, largest in (
        (("weights.csv", "--kind", "odds"), 2, 4.0, 7.0, 10.0),
        (("weights.csv",), 4, -3.0, 1.75, 10.0),
        (("probabilities.csv",), 3, 0.1, 0.75, 0.9),
    ):
        about = json.loads(invoke("info", *options, "--json").stdout)
        found = [about[name] for name in ("n_edges", "smallest", "largest")]
        assert found == pytest.approx([n_edges, smallest, largest])
        assert invoke("report", *options).exit_code == 0
        page = Path("report.html").read_text()
        assert f"median, from {smallest:g} to {largest:g}" in page
        assert f">{median:g}<" in page


@pytest.mark.parametrize(
    ("file", "kind"),
    [("w.npy", "matrix"), ("pairs.csv", "pairs"), ("w.db", "colmap"), ("points.csv", "points")],
)
def test_info_tells_the_kind(file: str, kind: str) -> None:
    for source, content in ((file, None), ("-", Path(file).read_bytes())):
        about = json.loads(invoke("info", source, "--json", stdin=content).stdout)
        assert about["reads_as"] == kind
