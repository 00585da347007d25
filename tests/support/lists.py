"""Lists of candidates whose right pairs are known."""

import numpy as np
import scipy.sparse as sp

from spherelax.coordinate.graph.candidates import Candidates


def two_sources(seed, *, n=300, matched=0.7, apart=2.0, k=4):
    """Candidates between two sources, of which a share has a partner; and which pairs are right.

    Right pairs score higher by so many standard deviations, on average. Every item of the first
    source has k further candidates.
    """
    rng = np.random.default_rng(seed)
    one = np.repeat(np.arange(n), k)
    other = n + rng.integers(n, size=n * k)
    has_partner = np.flatnonzero(rng.random(n) < matched)
    pairs = np.unique(np.c_[np.r_[one, has_partner], np.r_[other, n + has_partner]], axis=0)
    right = (pairs[:, 1] == pairs[:, 0] + n) & np.isin(pairs[:, 0], has_partner)
    score = rng.normal(size=len(pairs)) + apart * right
    group = np.repeat([0, 1], n).astype(np.int32)
    return Candidates(2 * n, pairs[:, 0], pairs[:, 1], score, group), right


def entities(seed, *, n=300, sizes=(1, 2, 3), apart=3.0, k=4):
    """Candidates inside one table of entities of these sizes; and which pairs are right.

    Every item has k random candidates beside those of its entity.
    """
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(n), rng.choice(sizes, n))
    m = len(truth)
    same = np.argwhere(np.triu(truth[:, None] == truth, 1))
    random = np.sort(np.c_[np.repeat(np.arange(m), k), rng.integers(m, size=m * k)], axis=1)
    pairs = np.unique(np.r_[same, random[random[:, 0] < random[:, 1]]], axis=0)
    right = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    score = rng.normal(size=len(pairs)) + apart * right
    return Candidates(m, pairs[:, 0], pairs[:, 1], score), right


def matrix(pairs, values=None):
    """The scores of candidates, or other values of them, as a sparse matrix."""
    score = np.exp(pairs.score - pairs.score.max()) if values is None else values
    half = sp.coo_array((score, (pairs.one, pairs.other)), shape=(pairs.n_items,) * 2)
    return sp.csr_array(half + half.T)


def calibration_error(probability, right, n_bins=10):
    """The mean difference of probability and share of right pairs, over bins of pairs."""
    bins = np.minimum((probability * n_bins).astype(int), n_bins - 1)
    gaps = np.bincount(bins, weights=probability) - np.bincount(bins, weights=right)
    return float(np.abs(gaps).sum() / len(right))


def with_copies(seed, *, n_copies, n=300, k=4, apart=4.0):
    """Candidates between two sources, the second one with copies of its items; and the entities."""
    rng = np.random.default_rng(seed)
    truth = np.r_[np.arange(n), np.arange(n), rng.choice(n, n_copies, replace=False)]
    second = np.arange(n, len(truth))
    random = np.c_[rng.integers(n, size=len(second) * k), np.repeat(second, k)]
    right = np.c_[truth[second], second][rng.random(len(second)) < 0.9]
    pairs = np.unique(np.r_[random, right], axis=0)
    score = rng.normal(size=len(pairs)) + apart * (truth[pairs[:, 0]] == truth[pairs[:, 1]])
    group = np.r_[np.zeros(n), np.ones(len(second))].astype(np.int32)
    return Candidates(len(truth), pairs[:, 0], pairs[:, 1], score, group), truth


def households(seed, *, n=250, n_copies=0):
    """Candidates between four sources of persons who live together; and the persons.

    Members of a household share street, telephone and mostly the surname; there are twins, and
    children with the first name of a parent. Scores are log odds of a model that compares five
    fields. The first source has so many copies.
    """
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(n), rng.choice(5, n, p=[0.25, 0.3, 0.2, 0.15, 0.1]) + 1)
    n_persons, place = len(home), np.arange(len(home)) - np.searchsorted(home, home)
    first = (150 * rng.random(n_persons) ** 1.7).astype(int)
    surname = np.where(
        (place == 1) & (rng.random(n_persons) < 0.5), -1, rng.integers(200, size=n)[home]
    )
    surname = np.where(surname < 0, rng.integers(200, size=n_persons), surname)
    born = rng.integers(4000, size=n_persons)
    for child, share, field in ((3, 0.4, born), (2, 0.25, first)):  # twins, and namesakes
        alike = np.flatnonzero((place == child) & (rng.random(n_persons) < share))
        field[alike] = field[alike - 1]
    listed = rng.random((4, n_persons)) < 0.6
    source, truth = np.nonzero(listed)
    copied = rng.choice(truth[source == 0], n_copies, replace=False)
    source, truth = np.r_[source, np.zeros(n_copies, int)], np.r_[truth, copied]
    rarity, right = [60, 150, 2000, n, n], [0.8, 0.85, 0.8, 0.8, 0.75]
    score, agreed = np.full((len(truth),) * 2, -6.0), np.zeros((len(truth),) * 2, int)
    for field, u, m in zip((first, surname, born, home, home), rarity, right, strict=True):
        value = np.where(
            rng.random(len(truth)) < 0.12, 10**6 + rng.permutation(len(truth)), field[truth]
        )
        is_known = rng.random(len(truth)) > 0.06
        both, same = is_known[:, None] & is_known, value[:, None] == value
        score += both * np.where(same, np.log(m * u), np.log((1 - m) / (1 - 1 / u)))
        agreed += both & same
    pairs = np.argwhere(np.triu((agreed > 1) & (source[:, None] != source) & (score > -6.0), 1))
    one, other = pairs.T
    return Candidates(len(truth), one, other, score[one, other], source.astype(np.int32)), truth
