"""Threads take every part once, in parts of about equal work, and pass errors on."""

from threading import Barrier

import numpy as np
import pytest

from spherelax.coordinate.machine import Threads, threads


@pytest.fixture
def always(monkeypatch):
    """Make any amount of work worth several threads."""
    monkeypatch.setattr(threads, "WORTH_THREADS", 0)


@pytest.mark.parametrize(("n_items", "n_threads"), [(10, 1), (200_000, 3)])
def test_little_work_is_done_by_one_thread(n_items, n_threads):
    found = Threads(3, np.arange(n_items + 1, dtype=np.int64))
    assert found.n_threads == n_threads
    assert found.n_parts == (1 if n_threads == 1 else threads.N_PARTS * n_threads)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("n_threads", [1, 3])
def test_each_part_is_taken_once(n_threads):
    taken = []
    parts = [(i, i + 1) for i in range(100)]
    with Threads(n_threads, np.arange(5)) as pool:
        pool.run(parts, lambda *part: taken.append(part))
    assert sorted(part[:2] for part in taken) == parts
    assert {part[2] for part in taken} <= set(range(n_threads))


@pytest.mark.usefixtures("always")
def test_threads_work_at_the_same_time():
    everyone = Barrier(3, timeout=60)
    with Threads(3, np.arange(5)) as pool:
        pool.run([(0, 1), (1, 2), (2, 3)], lambda *_: everyone.wait())


@pytest.mark.usefixtures("always")
def test_an_error_in_any_thread_is_raised():
    everyone = Barrier(2, timeout=60)

    def fail_elsewhere(_first, _last, thread):
        everyone.wait()
        if thread == 1:
            raise ArithmeticError

    with Threads(2, np.arange(5)) as pool, pytest.raises(ArithmeticError):
        pool.run([(0, 1), (1, 2)], fail_elsewhere)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_parts_of_rows_are_whole_and_about_equal(n_threads, seed):
    lengths = np.random.default_rng(seed).integers(50, size=300)
    indptr = np.r_[7, 7 + np.cumsum(lengths)]  # as of rows inside others
    pool = Threads(n_threads, indptr)
    parts = pool.parts_of_rows(indptr)
    rows = [row for first, last in parts for row in range(first, last)]
    assert rows == list(range(300))
    assert len(parts) == pool.n_parts
    work = [lengths[first:last].sum() for first, last in parts]
    assert max(work) <= lengths.sum() / len(parts) + lengths.max()


@pytest.mark.usefixtures("always")
def test_rows_without_entries_and_a_single_long_row_are_not_lost():
    for lengths in ([0, 0, 0], [0, 1000, 0], [1]):
        indptr = np.r_[0, np.cumsum(lengths)]
        seen = []
        with Threads(2, indptr) as pool:
            pool.share_rows(indptr, lambda first, last, _, to=seen: to.extend(range(first, last)))
        assert sorted(seen) == list(range(len(lengths)))
