"""The words of each kind of input, in summaries and in reports."""

import re
from dataclasses import replace

import numpy as np
import pytest
from support.colmap_scene import make_scene
from support.problems import with_confidence, with_labels
from support.program import invoke

import spherelax as sl
from spherelax import io
from spherelax.io.words import CELLS, ITEMS, KEYPOINTS, POINTS, RECORDS, Words
from spherelax.report import report_html

KINDS = {io.Items: ITEMS, io.Keypoints: KEYPOINTS, io.Records: RECORDS, io.Cells: CELLS}
# Words of the method, which only its own pages and --verbose have.
METHOD = re.compile(r"\b(alpha|eta|nats?)\b", re.IGNORECASE)


def seen(page):
    """The text that a report shows, without what its script reads."""
    body = re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", " ", body)


def test_every_kind_has_its_words():
    assert all(kind.words is words for kind, words in KINDS.items())
    assert io.Points.words is io.Neighbors.words is POINTS


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (ITEMS, "An item of a group has a label; Labels, items and groups."),
        (RECORDS, "A record of a source has an entity; Entities, records and sources."),
        (CELLS, "A cell of a group has a cluster; Clusters, cells and groups."),
    ],
)
def test_a_generic_text_is_said_in_other_words(words: Words, said: str):
    assert words.speak("An item of a group has a label; Labels, items and groups.") == said
    html = '<label for="group"></label> relabelled grouped'
    assert words.speak(html) == html


@pytest.mark.parametrize(
    ("words", "n_single", "said"),
    [
        (KEYPOINTS, 1, "3 tracks from 9 keypoints in 2 photographs; 1 keypoint matches nothing"),
        (RECORDS, 2, "4 entities from 9 records in 2 sources; 2 records match no other"),
        (POINTS, 0, "4 clusters from 9 points in 2 groups"),
    ],
)
def test_what_was_found(words: Words, n_single: int, said: str):
    found = words.found(n_items=9, n_groups=2, n_labels=4, n_single=n_single)
    assert found == said


@pytest.mark.parametrize("solver", ["coordinate", "power"])
@pytest.mark.parametrize("table", ["two_view_geometries", "matches"])
def test_a_report_on_photographs_speaks_of_them(tmp_path, table, solver):
    items = io.read_colmap(make_scene(tmp_path / "scene.db"), table=table)
    page = seen(report_html(items, sl.solve(items.problem, solver=solver)))
    assert METHOD.findall(page) == []
    assert re.findall(r"\b(?:[Ii]tem|[Ll]abel|[Gg]roup)s?\b", page) == []
    assert "tracks from" in page


@pytest.mark.parametrize("solver", ["coordinate", "power"])
def test_a_command_on_photographs_speaks_of_them(tmp_path, monkeypatch, solver):
    monkeypatch.chdir(tmp_path)
    make_scene(tmp_path / "scene.db")
    for table, how in (("two_view_geometries", "verified by COLMAP"), ("matches", "not verified")):
        result = invoke(
            *("match", "scene.db", "--table", table, "--write-database", f"{table}.db"),
            *("--solver", solver, "--out", "tracks.csv"),
        )
        assert result.exit_code == 0
        assert METHOD.findall(result.stderr) == []
        assert re.match(r"\d+ tracks from \d+ keypoints in 5 photographs", result.stderr)
        assert f"matches: read from {table}, {how}\n" in result.stderr
        needed = "colmap geometric_verifier --database_path matches.db\n"
        assert (needed in result.stderr) == (table == "matches")


def test_the_number_of_a_track_is_the_same_in_file_and_report(tmp_path):
    """A keypoint that matches nothing would shift the numbers of those after it."""
    items = io.read_colmap(make_scene(tmp_path / "scene.db"))
    result = sl.solve(items.problem)
    labels = result.labels.copy()
    labels[0] = labels.max() + 1
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    result = with_confidence(with_labels(result, labels), np.zeros(len(labels)))
    answer = items.answer(result)
    assert len(answer["track"]) == items.n_items - 1
    track_of = {
        f"{image}:{keypoint}": track
        for track, image, keypoint in zip(
            answer["track"], answer["image"], answer["keypoint"], strict=True
        )
    }
    page = report_html(items, result)
    least = re.search(r'<table id="least".*?</table>', page, re.DOTALL)[0]
    rows = re.findall(r"<bdi>(\S+:\d+)</bdi></th><td[^>]*>(\w+)</td>", least)
    assert len(rows) > 5
    assert all(str(track_of.get(name, "none")) == number for name, number in rows)
    for number, table in re.findall(r"<caption>Track (\d+)\..*?<tbody>(.*?)</tbody>", page):
        names = re.findall(r"<bdi>(\S+:\d+)</bdi>", table)
        assert {track_of[name] for name in names} == {int(number)}


def test_no_two_steps_of_the_slider_read_the_same():
    W, _ = sl.datasets.make_binary_similarity(30, 3, random_state=0)
    result = sl.solve(W)
    resolutions = 1.0 + 1e-7 * np.arange(len(result.path.alphas))[::-1]
    path = replace(result.path, alphas=resolutions / (1 + resolutions))
    close = replace(result, path=path)
    for one in (result, close, sl.solve(W, solver=sl.Power(alpha_step=0.001, n_inner=1))):
        page = report_html(io.Items(W, None), one)
        said = re.findall(r'"now":"(.*?)"', page)
        assert len(said) == len(one.path.alphas)
        assert len(set(said)) == len(said)
