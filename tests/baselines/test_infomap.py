"""Infomap: the code length that it minimises, its seeds, and items without a link."""

from itertools import product

import numpy as np
import pytest

from spherelax.baselines._infomap import infomap
from spherelax.errors import InvalidInputError
from spherelax.labels import renumber


def bits(W, labels):
    """Bits of a step of a walk: by the formula, with the rates of an undirected network."""

    def entropy(rates):
        rates = rates[rates > 0]
        return -np.sum(rates * np.log2(rates / rates.sum()))

    labels = np.asarray(labels)
    visits = W.sum(axis=1) / W.sum()
    crossing = labels[:, None] != labels
    leave = np.array([(W * crossing)[labels == one].sum() for one in np.unique(labels)]) / W.sum()
    inside = [
        entropy(np.r_[visits[labels == one], rate])
        for one, rate in zip(np.unique(labels), leave, strict=True)
    ]
    return entropy(leave) + sum(inside)


def test_reaches_the_shortest_description(seed):
    pytest.importorskip("infomap")
    W = np.triu(np.random.default_rng(seed).random((6, 6)) ** 6, 1)
    W += W.T
    best = min(bits(W, labels) for labels in product(range(3), repeat=6))
    assert bits(W, infomap(W)) <= best + 1e-9


def test_the_diagonal_is_left_out_and_who_has_no_link_is_alone():
    pytest.importorskip("infomap")
    W = np.diag(np.full(6, 9.0))
    W[0, 5] = W[5, 0] = W[2, 3] = W[3, 2] = 0.5
    assert infomap(W).tolist() == renumber(np.array([0, 1, 2, 2, 3, 0])).tolist()


def test_bad_input():
    with pytest.raises(InvalidInputError, match="n_trials must be an integer >= 1"):
        infomap(np.eye(3), n_trials=0)
    with pytest.raises(InvalidInputError, match="random_state must be an integer >= 0"):
        infomap(np.eye(3), random_state=-1)
