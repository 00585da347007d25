"""Questions: pairs whose answers change most, none of them asked twice."""

import numpy as np
import pytest

import spherelax as sl
from spherelax.result.questions import ENOUGH, IN_DOUBT, TWO_LEVELS, Drawn, Questions, ask


def changed(labels, draw, pair):
    """Count by brute force the pairs of both cells of a pair, if a draw differs about it."""
    same = [labels[list(pair)], draw[list(pair)]]
    if (same[0][0] == same[0][1]) == (same[1][0] == same[1][1]):
        return set()
    one, other = (
        {x for x in range(len(labels)) if labels[x] == labels[i] and draw[x] == draw[i]}
        for i in pair
    )
    return {(min(x, y), max(x, y)) for x in one for y in other}


@pytest.mark.parametrize("seed", range(20))
def test_questions_are_the_greedy_maximum_of_what_changes_in_the_draws(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, 9).astype(np.int32)
    draws = rng.integers(0, 4, (5, 9)).astype(np.int32)
    pairs = np.array([(a, b) for a in range(9) for b in range(a + 1, 9) if rng.random() < 0.6])
    asked = ask(labels, Drawn(draws, pairs, None), 6)
    covered = [set() for _ in draws]
    for (a, b), told in zip(asked.items.tolist(), asked.changes, strict=True):
        gains = [
            sum(
                len(changed(labels, draw, pair) - known)
                for draw, known in zip(draws, covered, strict=True)
            )
            for pair in pairs.tolist()
        ]
        assert told == pytest.approx(max(gains) / len(draws))
        for draw, known in zip(draws, covered, strict=True):
            known.update(changed(labels, draw, (a, b)))


def test_nothing_in_doubt_is_no_question():
    labels = np.int32([0, 0, 1, 1])
    drawn = Drawn(np.tile(labels, (5, 1)), np.array([[0, 1], [1, 2]]), None)
    asked = ask(labels, drawn, 3)
    assert len(asked) == 0
    assert asked.columns()["item_a"] == []
    assert "item_a" in repr(asked)


def test_pairs_that_no_draw_doubts_are_asked_by_their_own_probability():
    labels = np.int32([0, 0, 1, 1])
    pairs = np.array([[0, 1], [1, 2], [2, 3]])
    drawn = Drawn(np.tile(labels, (4, 1)), pairs, np.array([0.9, 0.3, 0.8]))
    asked = ask(labels, drawn, 3)
    assert asked.items.tolist() == [[1, 2], [2, 3], [0, 1]]
    assert asked.changes == pytest.approx(np.array([0.3 * 4, 0.2, 0.1]) / 5)


def test_levels_come_first():
    persons = np.arange(40, dtype=np.int32) // 2
    families, half = persons // 2, np.full(2, 0.5)
    pairs = np.array([(i, i + 1) for i in range(39)])
    draws = np.tile(persons, (3, 1))
    asked = ask(persons, Drawn(draws, pairs, np.full(39, 0.5), [persons, families], half), 15)
    assert asked.why == [TWO_LEVELS] * ENOUGH + [IN_DOUBT] * (15 - ENOUGH)
    one, other = asked.items[:ENOUGH].T
    assert np.all((persons[one] == persons[other]) != (families[one] == families[other]))
    assert len({tuple(pair) for pair in asked.items.tolist()}) == 15


def test_questions_about_levels_halve_those_that_are_left():
    """Each of 32 levels joins one pair more; the first question is in their middle."""
    levels = [np.where(np.arange(64) < 2 * k, np.arange(64) // 2, np.arange(64)) for k in range(33)]
    pairs = np.arange(64).reshape(-1, 2)
    drawn = Drawn(np.tile(levels[9], (3, 1)), pairs, None, levels, np.full(33, 1 / 33))
    asked = ask(levels[9], drawn, ENOUGH).items[:, 0] // 2
    assert asked[0] in (14, 17)
    assert np.ptp(np.diff(np.sort(asked))) <= 1
    likely = np.where(np.arange(33) < 4, 0.25, 0.0)
    asked = ask(levels[9], drawn._replace(likely=likely), ENOUGH).items[:, 0] // 2
    assert asked[0] == 1


def two_shops(n=60):
    """Return scored pairs of records, some of them in doubt, their sources and what is the same."""
    rng = np.random.default_rng(3)
    W = np.zeros((2 * n, 2 * n))
    for i in range(n):
        W[i, n + i] = rng.normal(2.0, 2.0)
        W[i, n + (i + 1) % n] = rng.normal(-3.0, 1.0)
    return W + W.T, np.repeat([0, 1], n), np.tile(np.arange(n), 2)


@pytest.fixture(scope="module")
def shops():
    W, sources, truth = two_shops()
    return sl.solve(W, sources, kind="odds"), truth


def test_the_same_questions_are_asked_again(shops):
    result, _ = shops
    one, other = result.questions(8), result.questions(8)
    assert one.columns() == other.columns()
    assert len(one) == 8
    assert np.all(np.diff(one.changes[[why == IN_DOUBT for why in one.why]]) <= 1e-12)


def test_answers_help_and_are_not_asked_for_again(shops):
    result, truth = shops
    rows, before = [], sl.metrics.pairwise_scores(truth, result.labels).f_score
    now = result
    for _ in range(3):
        asked = now.questions(5 + len(rows)).but({row[:2] for row in rows})
        rows += [(a, b, bool(truth[a] == truth[b])) for a, b in asked.items.tolist()[:5]]
        now = result.judge(rows)
    assert len({row[:2] for row in rows}) == len(rows)
    assert sl.metrics.pairwise_scores(truth, now.labels).f_score > before
    doubtful = now.questions(50)
    known = {row[:2] for row in rows}
    draws = now._solved.draw(now.path.labels, now.path.picked).labelings
    for a, b, same in rows:
        assert np.mean((draws[:, a] == draws[:, b]) == same) == 1.0
    assert not known & {tuple(pair) for pair in doubtful.items.tolist()[:5]}


def test_levels_are_asked_for_until_answers_settle_them():
    W = sl.datasets.make_binary_similarity(60, 4, rewired=0.1, missing=0.1, random_state=0)[0]
    result = sl.solve(W)
    truth, rows = result.labels, []
    for _ in range(12):
        now = result.judge(rows)
        asked = now.questions(4)
        if TWO_LEVELS not in asked.why:
            break
        rows += [(a, b, bool(truth[a] == truth[b])) for a, b in asked.items.tolist()]
    assert TWO_LEVELS in result.questions(4).why
    assert TWO_LEVELS not in asked.why


@pytest.mark.parametrize("n", [0, -1, 1.5, "3"])
def test_number_is_checked(shops, n):
    with pytest.raises(sl.InvalidInputError, match="n must be"):
        shops[0].questions(n)


def test_power_solver_and_files_are_refused(tmp_path):
    W = np.kron(np.eye(2), np.ones((4, 4)))
    with pytest.raises(sl.InvalidInputError, match="coordinate solver"):
        sl.solve(W, solver="power").questions(1)
    sl.io.save_result(tmp_path / "result.npz", sl.solve(W))
    with pytest.raises(sl.InvalidInputError, match="loaded from a file"):
        sl.io.load_result(tmp_path / "result.npz").questions(1)


def test_points_and_graphs_have_questions():
    points = np.random.default_rng(0).normal(size=(60, 2)) + 4.0 * (np.arange(60) < 30)[:, None]
    assert len(sl.solve(sl.similarity.neighbor_graph(points)).questions(3)) == 3
    W = sl.datasets.make_binary_similarity(60, 3, rewired=0.3, missing=0.2, random_state=0)[0]
    assert len(sl.solve(W).questions(3)) == 3


def test_table_is_text_and_frame():
    asked = Questions(np.array([[0, 12]] * 30), np.full(30, 0.5), np.ones(30), [IN_DOUBT] * 30)
    lines = repr(asked).splitlines()
    assert lines[0].split() == ["item_a", "item_b", "same", "changes", "why"]
    assert lines[1].split()[:4] == ["0", "12", "0.50", "1.0"]
    assert lines[-1] == "... and 10 more"
    assert list(asked.to_frame().columns) == list(asked.columns())
