"""The file of answers: nothing is lost, and bad files are refused in one sentence."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

import spherelax as sl
from spherelax.io import Items, Records, read_judgements
from spherelax.io.readers import answered
from spherelax.io.readers.answered import AnswerFile

# Answers as fast as it can, and says after each one that it is kept.
WRITER = """
import sys
from contextlib import suppress
from pathlib import Path
import numpy as np
from spherelax.io import Items
from spherelax.io.readers.answered import AnswerFile
first, last = int(sys.argv[2]), int(sys.argv[3])
store = AnswerFile(Path(sys.argv[1]), Items(np.zeros((2000, 2000)), None))
for item in range(first, last):
    with store.changing() as answers:
        answers.add((0, item), None if item % 3 == 0 else item % 3 == 1)
    print(item, flush=True)
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.sqlite"


@pytest.fixture
def many():
    return Items(np.zeros((2000, 2000)), None)


def keep(store, *answers):
    """Keep some answers."""
    for pair, same in answers:
        with store.changing() as kept:
            kept.add(pair, same)


def rows(store):
    with store.changing() as kept:
        return kept.rows()


def test_answers_are_kept_in_order_and_read_back(path):
    records = Records(np.zeros((3, 3)), [7, 7, "x"], sources=["shop", "bank", "bank"])
    store = AnswerFile(path, records)
    assert rows(store) == []
    keep(store, ((0, 1), True), ((1, 2), False), ((0, 2), None))
    expected = [(0, 1, True, 1.0), (1, 2, False, 1.0), (0, 2, None, 1.0)]
    assert rows(store) == rows(AnswerFile(path, records)) == expected
    judged = read_judgements(path, records)
    assert judged.pairs.tolist() == [[0, 1], [1, 2]]
    with store.changing() as kept:
        kept.undo()
        kept.undo()
    assert rows(store) == expected[:1]
    with closing(sqlite3.connect(path)) as database:
        columns = database.execute("SELECT * FROM judgements").description
    names = ["source_a", "id_a", "source_b", "id_b", "verdict", "when"]
    assert [column[0] for column in columns] == ["judgement", *names]


def test_an_error_in_between_keeps_nothing(path, many):
    store = AnswerFile(path, many)
    with suppress(ZeroDivisionError), store.changing() as kept:
        kept.add((0, 1), True)
        raise ZeroDivisionError
    assert rows(store) == []


@pytest.mark.slow
def test_what_was_said_to_be_kept_outlives_a_kill(path, many):
    kept = 0
    for time in range(5):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, path, str(kept + 1), "2000"], stdout=subprocess.PIPE
        ) as process:
            said = [process.stdout.readline() for _ in range(7 + time)]
            process.send_signal(signal.SIGKILL)
            said += process.stdout.readlines()
        last = int(said[-1])
        found = rows(AnswerFile(path, many)) if time % 2 else None
        judged = read_judgements(path, many)
        if found is None:
            found = rows(AnswerFile(path, many))
        # The one that was being written may be there or not.
        assert [row[1] for row in found] in ([*range(1, last + 1)], [*range(1, last + 2)])
        assert len(judged) == sum(row[2] is not None for row in found)
        kept = found[-1][1]


@pytest.mark.slow
def test_two_writers_lose_nothing(path, many):
    processes = [
        subprocess.Popen([sys.executable, "-c", WRITER, path, *map(str, part)], stdout=-1)
        for part in ((1, 40), (100, 140))
    ]
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    assert {row[1] for row in rows(AnswerFile(path, many))} == {*range(1, 40), *range(100, 140)}


def test_threads_wait_for_each_other(path, many):
    store = AnswerFile(path, many)
    threads = [Thread(target=keep, args=(store, ((0, item), True))) for item in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(rows(store)) == 8


def test_a_file_in_use_is_told(path, many, monkeypatch):
    monkeypatch.setattr(answered, "WAIT", 0.1)
    store = AnswerFile(path, many)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(sl.InvalidInputError, match=r"answers\.sqlite: is in use by another prog"):
        keep(store, ((0, 1), True))
    other.close()
    keep(store, ((0, 1), True))
    assert len(rows(store)) == 1


def test_a_full_disk_is_told_and_earlier_answers_stay(path, many, monkeypatch):
    store = AnswerFile(path, many)
    keep(store, ((0, 1), True))
    monkeypatch.setattr(answered, "SETTINGS", (*answered.SETTINGS, "max_page_count = 2"))
    more = (((0, item), True) for item in range(2, 2000))
    with pytest.raises(sl.InvalidInputError, match=r"cannot be written; the disk is full$"):
        keep(store, *more)
    monkeypatch.undo()
    found = [row[1] for row in rows(store)]
    assert found == [*range(1, len(found) + 1)]


def test_a_file_that_is_read_only_is_told(path, many, monkeypatch):
    AnswerFile(path, many)
    monkeypatch.setattr(answered, "SETTINGS", (*answered.SETTINGS, "query_only = ON"))
    with pytest.raises(sl.InvalidInputError, match=r"answers\.sqlite: cannot be written; it is re"):
        keep(AnswerFile(path, many), ((0, 1), True))


def test_a_folder_that_cannot_be_written_is_told(tmp_path, many):
    with pytest.raises(sl.InvalidInputError, match=r"the folder .* does not exist"):
        AnswerFile(tmp_path / "none" / "answers.sqlite", many)
    with pytest.raises(sl.InvalidInputError, match="must be a file; found a folder"):
        AnswerFile(tmp_path, many)
    if os.getuid():
        tmp_path.chmod(0o500)
        with pytest.raises(sl.InvalidInputError, match="cannot be written"):
            AnswerFile(tmp_path / "answers.sqlite", many)
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("damage", ["text", "cut", "noise"])
def test_a_damaged_file_is_refused_and_not_touched(path, many, damage):
    store = AnswerFile(path, many)
    keep(store, *(((0, item), True) for item in range(1, 9)))
    content = path.read_bytes()
    bad = {
        "text": b"item_a,item_b,verdict\n0,1,same\n" * 40,
        "cut": content[: len(content) // 2],
        "noise": content[:100] + bytes(range(256)) * (len(content) // 256),
    }[damage]
    path.write_bytes(bad)
    with pytest.raises(sl.InvalidInputError, match=rf"^{path}: "):
        rows(AnswerFile(path, many))
    with pytest.raises(sl.InvalidInputError, match=rf"^{path}: "):
        read_judgements(path, many)
    assert path.read_bytes() == bad


def test_damage_anywhere_is_told_or_harmless(path, seed):
    items = Items(np.zeros((9, 9)), None)
    keep(AnswerFile(path, items), *(((0, item), True) for item in range(1, 9)))
    content, rng = path.read_bytes(), np.random.default_rng(seed)
    for _ in range(60):
        bad = bytearray(content)
        for at in rng.integers(0, len(bad), rng.integers(1, 30)).tolist():
            bad[at] = int(rng.integers(256))
        path.write_bytes(bad)
        with suppress(sl.InvalidInputError):
            assert len(read_judgements(path, items)) <= 8
        with suppress(sl.InvalidInputError):
            rows(AnswerFile(path, items))


def test_files_of_something_else_are_refused(path, many):
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE images (name)")
    database.close()
    with pytest.raises(sl.InvalidInputError, match="must be a file of answers; found something el"):
        AnswerFile(path, many)
    with pytest.raises(sl.InvalidInputError, match="cannot be read; no such table: judgements"):
        read_judgements(path, many)


def test_answers_of_another_problem_are_refused(path, many):
    keep(AnswerFile(path, many), ((0, 1500), True))
    records = Records(np.zeros((3, 3)), ["0", 7, 8])
    with pytest.raises(sl.InvalidInputError, match=r"columns id_a, id_b, .* of another problem"):
        AnswerFile(path, records)
    store = AnswerFile(path, Items(np.zeros((9, 9)), None))
    with pytest.raises(sl.InvalidInputError, match="'1500' must name an item; found no item of it"):
        rows(store)


def test_a_file_without_answers_is_told(path, many):
    AnswerFile(path, many)
    with pytest.raises(sl.InvalidInputError, match="must have at least one answer; found none"):
        read_judgements(path, many)
    assert list(path.parent.iterdir()) == [Path(path)]
