"""Copies of COLMAP databases with the matches inside tracks."""

import os
import sqlite3
from contextlib import closing
from functools import partial

import numpy as np
import pytest
from support.colmap_scene import (
    MAX,
    N_POINTS,
    PAIRS,
    TABLES,
    content,
    labelled,
    make,
    make_scene,
    matches_of,
    run,
    true_matches,
    wrong_match,
)
from support.problems import with_labels

from spherelax import InvalidInputError
from spherelax.io.readers import colmap
from spherelax.io.readers.colmap import MatchCounts, read_colmap, write_colmap


@pytest.fixture
def scene(tmp_path):
    return make_scene(tmp_path / "database.db")


def test_the_copy_has_the_matches_inside_tracks(scene, tmp_path):
    before = scene.read_bytes()
    items = read_colmap(scene)
    target = tmp_path / "cleaned.db"
    counts = write_colmap(target, items, labelled(items))
    n_true = len(PAIRS) * N_POINTS - 2
    assert counts == MatchCounts(kept=n_true, removed=1, added=0)
    found = matches_of(target)
    for pair in PAIRS[1:]:
        assert found[pair] == true_matches(*pair).tolist()
    assert found[PAIRS[0]] == true_matches(*PAIRS[0])[2:].tolist()
    assert scene.read_bytes() == before
    for table in TABLES[:4]:
        assert content(target, table) == content(scene, table)
    for old, new in zip(*(content(p, TABLES[4]) for p in (scene, target)), strict=True):
        assert (new[0], *new[2:3], *new[4:]) == (old[0], *old[2:3], *old[4:])
        assert new[1] * 8 == len(new[3])
    assert run(target).read_bytes()[60:64] == before[60:64]  # the version that COLMAP looks at
    assert sorted(tmp_path.iterdir()) == [target, scene]


def test_missing_matches_are_added_where_images_are_matched(scene, tmp_path):
    lost = MAX * PAIRS[4][0] + PAIRS[4][1]
    without = MAX * PAIRS[5][0] + PAIRS[5][1]
    run(
        scene,
        f"UPDATE two_view_geometries SET rows = 0, data = NULL, config = 1 WHERE pair_id = {lost}",
        f"DELETE FROM two_view_geometries WHERE pair_id = {without}",
    )
    items = read_colmap(scene)
    target = tmp_path / "added.db"
    counts = write_colmap(target, items, labelled(items), add_missing=True)
    assert counts == MatchCounts(kept=8 * N_POINTS - 2, removed=1, added=2)
    rows = {row[0]: row for row in content(target, "two_view_geometries")}
    assert rows[lost] == next(
        row for row in content(scene, "two_view_geometries") if row[0] == lost
    )
    assert without not in rows
    first = rows[MAX * PAIRS[0][0] + PAIRS[0][1]]
    matches = np.frombuffer(first[3], "<u4").reshape(-1, 2).tolist()
    assert matches[:-2] == true_matches(*PAIRS[0])[2:].tolist()
    assert sorted(matches) == sorted(true_matches(*PAIRS[0]).tolist())


def test_matches_of_keypoints_that_are_left_alone_are_removed(scene, tmp_path):
    items = read_colmap(scene)
    alone = with_labels(labelled(items), np.arange(len(items.ids)))
    assert write_colmap(tmp_path / "cleaned.db", items, alone, add_missing=True) == MatchCounts(
        kept=0, removed=len(PAIRS) * N_POINTS - 1, added=0
    )
    assert not any(matches_of(tmp_path / "cleaned.db").values())


def test_raw_matches_are_cleaned_if_they_were_read(tmp_path):
    raw = [(pair, [*true_matches(*pair).tolist(), wrong_match(*pair)]) for pair in PAIRS]
    verified = [(PAIRS[0], raw[0][1][-3:])]
    items = read_colmap(make(tmp_path / "database.db", verified, raw), table="matches")
    target = tmp_path / "cleaned.db"
    counts = write_colmap(target, items, labelled(items))
    assert counts == MatchCounts(kept=len(PAIRS) * N_POINTS, removed=len(PAIRS), added=0)
    assert matches_of(target, "matches") == {pair: true_matches(*pair).tolist() for pair in PAIRS}
    assert matches_of(target) == {PAIRS[0]: true_matches(*PAIRS[0])[-2:].tolist()}


@pytest.mark.skipif(os.name != "posix", reason="needs pipes, links and devices of POSIX")
def test_the_copy_takes_no_name_that_would_do_harm(scene, tmp_path):
    items = read_colmap(scene)
    result = labelled(items)
    before = scene.read_bytes()
    (tmp_path / "link.db").symlink_to(scene)
    (tmp_path / "twin.db").hardlink_to(scene)
    (tmp_path / "busy.db-wal").touch()
    os.mkfifo(tmp_path / "pipe.db")
    for name, reason in {
        "database.db": "must not be the database that was read; name another file",
        "link.db": "must not be the database that was read; name another file",
        "twin.db": "must not be the database that was read; name another file",
        "busy.db": "must not be in use or unfinished; found its log .*busy.db-wal",
        "pipe.db": "must be a file; found something else with this name",
        ".": "must be a file; found something else with this name",
        "nowhere/cleaned.db": "cannot be written; No such file or directory",
    }.items():
        with pytest.raises(InvalidInputError, match=f"{reason}$"):
            write_colmap(tmp_path / name, items, result)
    assert scene.read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE images SET name = 'other.jpg' WHERE name = 'a.jpg'", "no keypoint 0 of a.jpg"),
        ("UPDATE keypoints SET rows = 11 WHERE image_id = 7", "no keypoint 11 of a.jpg"),
    ],
)
def test_a_database_that_was_changed_since_is_refused(scene, tmp_path, statement, found):
    items = read_colmap(scene)
    run(scene, statement)
    with pytest.raises(InvalidInputError) as caught:
        write_colmap(tmp_path / "cleaned.db", items, labelled(items))
    assert str(caught.value) == f"{scene}: must be as it was read; found {found}"
    assert list(tmp_path.iterdir()) == [scene]


def test_a_database_that_is_gone_is_refused(scene, tmp_path):
    items = read_colmap(scene)
    scene.unlink()
    (tmp_path / "cleaned.db").write_text("an earlier file")
    with pytest.raises(InvalidInputError, match=r"database\.db: No such file or directory$"):
        write_colmap(tmp_path / "cleaned.db", items, labelled(items))
    assert (tmp_path / "cleaned.db").read_text() == "an earlier file"


def test_a_database_that_another_program_locks_is_not_waited_for(scene, tmp_path, monkeypatch):
    items = read_colmap(scene)
    with closing(sqlite3.connect(scene, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, timeout=0))
        with pytest.raises(InvalidInputError, match=r"database\.db: .*database is locked$"):
            write_colmap(tmp_path / "cleaned.db", items, labelled(items))
    assert not (tmp_path / "cleaned.db").exists()


def test_an_interrupted_copy_leaves_what_was_there(scene, tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    items = read_colmap(scene)
    target = tmp_path / "cleaned.db"
    target.write_text("an earlier file")
    monkeypatch.setattr(colmap, "implied_matches", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_colmap(target, items, labelled(items), add_missing=True)
    assert target.read_text() == "an earlier file"
    assert sorted(tmp_path.iterdir()) == [target, scene]
    write_colmap(target, items, labelled(items))
    assert len(matches_of(target)) == len(PAIRS)
