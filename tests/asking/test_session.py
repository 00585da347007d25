"""What is asked next, and what follows from answers."""

from itertools import combinations
from threading import Thread

import numpy as np
import pytest

from spherelax.asking import session as session_module
from spherelax.asking.session import count_changed
from spherelax.errors import InvalidInputError


def answer_all(session, verdict, most=200):
    """Answer until there are no more questions; return the pairs that were asked."""
    asked = []
    while (question := session.state().question) is not None and len(asked) < most:
        asked.append(question.pair)
        session.answer(question.pair, verdict(*question.pair))
    return asked


def is_same(one, other):
    return one % 12 == other % 12


def test_no_question_is_asked_twice_and_all_answers_are_kept(begin, monkeypatch):
    monkeypatch.setattr(session_module, "BATCH", 3)
    session = begin()
    asked = answer_all(session, is_same)
    assert len(asked) > 6
    assert len(set(asked)) == len(asked)
    state = session.state()
    for one, other in asked:
        assert (state.now.labels[one] == state.now.labels[other]) == is_same(one, other)
    assert [row[:2] for row in begin().state().rows] == asked


def test_questions_that_follow_from_answers_are_not_asked(begin):
    """Groups hold a thing once: who is the same as one is different from all others."""
    session = begin([(0, 12, "same")])
    assert not session._is_open((0, 13))
    assert session._is_open((1, 13))
    settled = {0, 12}
    for pair in answer_all(session, is_same):
        assert settled.isdisjoint(pair)
        settled.update(pair if is_same(*pair) else ())


def test_who_cannot_tell_is_not_asked_again(begin):
    session = begin()
    asked = answer_all(session, lambda *_: None)
    assert len(set(asked)) == len(asked)
    assert session.state().n_changed == 0
    other = begin(asked={(0, 12)})
    other.undo()
    assert (0, 12) not in {question.pair for question in other._find(())}


def test_undo_asks_the_last_question_again(begin):
    session = begin()
    session.undo()
    first = session.state().question
    session.answer(first.pair, True)
    second = session.state().question
    session.answer(second.pair, False)
    session.undo()
    state = session.state()
    assert state.question == second
    assert [row[:3] for row in state.rows] == [(*first.pair, True)]
    session.undo()
    assert session.state().question == first
    assert session.n_answers == 0


def test_undo_after_a_new_start(begin):
    session = begin()
    pair = session.state().question.pair
    session.answer(pair, True)
    later = begin()
    later.undo()
    assert later.state().question.pair == pair
    assert later.n_answers == 0


def test_a_second_tab_answers_the_same_question(begin):
    session = begin()
    pair = session.state().question.pair
    session.answer(pair, True)
    session.answer(pair, True)
    session.answer(pair[::-1], True)
    assert session.n_answers == 1
    with pytest.raises(InvalidInputError, match="was answered before: same; undo that first"):
        session.answer(pair, False)
    assert [row[2] for row in session.state().rows] == [True]


def test_a_second_process_is_seen(begin):
    one, other = begin(), begin()
    pair = one.state().question.pair
    one.answer(pair, True)
    with pytest.raises(InvalidInputError, match="was answered before"):
        other.answer(pair, False)
    other.answer((1, 2), False)
    one.answer((2, 3), False)
    assert [row[:2] for row in one.state().rows] == [pair, (1, 2), (2, 3)]


def test_contradictions_are_refused_and_nothing_is_lost(begin):
    session = begin([(1, 13, "same")])
    with pytest.raises(InvalidInputError, match=r"must not contradict.*north n1 = south s1"):
        session.answer((1, 13), False)
    with pytest.raises(InvalidInputError, match="are of one group"):
        session.answer((1, 14), True)
    assert session.n_answers == 0
    session.answer((0, 12), True)
    with pytest.raises(InvalidInputError, match=r"answers\.sqlite: judgements must not contradict"):
        begin([(0, 12, "different")])


def test_answers_from_many_threads_are_all_kept(begin):
    session = begin()
    pairs = [*combinations(range(9), 2)]
    threads = [Thread(target=session.answer, args=(pair, None)) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {row[:2] for row in begin().state().rows} == set(pairs)


def test_a_search_that_fails_is_tried_again(begin, monkeypatch):
    session = begin()
    find = session._find

    def fail(_):
        raise MemoryError

    monkeypatch.setattr(session, "_find", fail)
    with pytest.raises(MemoryError):
        session.state()
    monkeypatch.setattr(session, "_find", find)
    assert session.state().question is not None


def test_changed_pairs_are_those_of_a_plain_count(seed):
    rng = np.random.default_rng(seed)
    before, now = rng.integers(0, 5, (2, 40))
    expected = sum(
        (before[a] == before[b]) != (now[a] == now[b]) for a, b in combinations(range(40), 2)
    )
    assert count_changed(before, now) == expected
