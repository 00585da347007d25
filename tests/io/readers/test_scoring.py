"""Scores as similarities and back."""

import numpy as np
import pytest

from spherelax.io.readers.scoring import PROBABILITY, WEIGHT, Scoring, number

P = np.array([0.01, 0.3, 0.5, 0.97])


@pytest.mark.parametrize("kind", ["information", "odds"])
def test_probabilities_and_weights_of_splink_are_the_same_similarities(kind):
    probability, weight = Scoring.of(PROBABILITY, kind), Scoring.of(WEIGHT, kind)
    expected = np.log(P / (1 - P)) if kind == "odds" else -np.log(1 - P)
    np.testing.assert_allclose(probability.similarities(P), expected)
    np.testing.assert_allclose(weight.similarities(np.log2(P / (1 - P))), expected)


@pytest.mark.parametrize("column", [PROBABILITY, WEIGHT, "score"])
@pytest.mark.parametrize("kind", [None, "odds", "pairs"])
def test_similarities_go_back_to_scores(column, kind):
    scoring = Scoring.of(column, kind)
    np.testing.assert_allclose(scoring.scores(scoring.similarities(P)), P, rtol=1e-6)


def test_no_probability_is_worth_infinitely_much():
    for kind in ("information", "odds"):
        assert np.isfinite(Scoring.of(PROBABILITY, kind).similarities(np.array([0.0, 1.0]))).all()


def test_what_is_illegal_is_said():
    assert "a number from 0 to 1; found 2" in Scoring.of(PROBABILITY, None).illegal(2)
    assert "log odds may be negative" in Scoring.of("score", None).illegal(-1.0)
    assert Scoring.of("score", "odds").bounds == (-np.inf, np.inf)
    assert np.isnan(number(None))
