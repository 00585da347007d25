"""Families of graphs without groups whose labels are known, and graphs of nothing but noise.

Run it to see how well the default solver does on each family:

    python benchmarks/graph_families.py --seeds 10 11 12
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import spherelax as sl

Labels = NDArray[np.intp]
Rng = np.random.Generator
# A family has several graphs for each seed, each made by a function of a random generator.
Make = Callable[[Rng], "tuple[Any, Labels]"]


class Graph(NamedTuple):
    """A graph, and its true labels; of two levels the coarse ones first, of noise one label."""

    family: str
    name: str
    similarity: Any
    truths: tuple[Labels, ...]


def joined(chance: NDArray[np.float64], rng: Rng) -> NDArray[np.float64]:
    """Join pairs with the chances of a symmetric matrix."""
    half = np.triu(rng.random(chance.shape) < chance, 1)
    return (half | half.T).astype(float)


def weighed(A: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give each pair of a graph the weight above the diagonal of a matrix."""
    half = np.triu(A * weight, 1)
    return half + half.T


def two_rates(truth: Labels, inside: Any, outside: float, rng: Rng) -> NDArray[np.float64]:
    """Join pairs inside labels at one rate, or a rate of each label, and other pairs at another."""
    rate = np.broadcast_to(np.asarray(inside, dtype=float), truth.max() + 1)[truth]
    return joined(np.where(truth[:, None] == truth, rate[:, None], outside), rng)


def equal(k: int, n: int, inside: float, outside: float) -> Make:
    """Make k labels of n items."""
    truth = np.repeat(np.arange(k), n)
    return lambda rng: (two_rates(truth, inside, outside, rng), truth)


def weak(k: int, n: int, degree: float, signal: float) -> Make:
    """Make labels near the detection limit, at which the signal is 1.

    The signal is the squared difference of the rates in units of ``k degree``.
    """
    gap = np.sqrt(signal * degree) * k
    inside, outside = ((degree + share * gap) / (k * n) for share in (1 - 1 / k, -1 / k))
    return equal(k, n, inside, max(outside, 0.0))


def unequal(sizes: tuple[int, ...], inside: float, outside: float) -> Make:
    """Make labels of different sizes and one density."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    return lambda rng: (two_rates(truth, inside, outside, rng), truth)


def power_sizes(n: int, low: int, high: int, rng: Rng) -> Labels:
    """Draw labels whose sizes s have a probability of about s ** -2."""
    sizes = (1.0 / rng.uniform(1.0 / high, 1.0 / low, n)).astype(int)
    return np.repeat(np.arange(n), sizes)[: int(np.cumsum(sizes)[np.cumsum(sizes) <= n][-1])]


def power_law(n: int, degree: float | None, outside: float) -> Make:
    """Make labels of power-law sizes: with this degree inside, or with one density."""

    def make(rng: Rng) -> tuple[Any, Labels]:
        truth = power_sizes(n, 8, n // 5, rng)
        sizes = np.bincount(truth)
        inside = 0.3 if degree is None else np.minimum(degree / (sizes - 1), 0.95)
        return two_rates(truth, inside, outside / len(truth), rng), truth

    return make


def by_degree(truth: Labels, activity: NDArray[np.float64], degree: float, mixing: float) -> Make:
    """Join pairs in proportion to the activity of both: a degree-corrected block model."""

    def make(rng: Rng) -> tuple[Any, Labels]:
        theta, same = rng.permutation(activity), truth[:, None] == truth
        product = np.outer(theta, theta)
        of_label = np.bincount(truth, weights=theta)[truth]
        within = product / of_label[:, None] * same
        anywhere = product / theta.sum()
        scale = degree / theta.mean()
        return joined(
            np.minimum(scale * ((1 - mixing) * within + mixing * anywhere), 1), rng
        ), truth

    return make


def dcsbm(k: int, n: int, degree: float, mixing: float) -> Make:
    """Make equal labels with degrees of a power law."""
    activity = (1 - np.arange(k * n) / (k * n)) ** (-1 / 1.7)
    return by_degree(np.repeat(np.arange(k), n), activity, degree, mixing)


def lfr(n: int, degree: float, mixing: float) -> Make:
    """Make labels and degrees of power laws, as Lancichinetti, Fortunato and Radicchi do."""

    def make(rng: Rng) -> tuple[Any, Labels]:
        truth = power_sizes(n, 15, n // 6, rng)
        activity = np.minimum((1 - rng.random(len(truth))) ** (-1 / 1.5), 8.0)
        return by_degree(truth, activity, degree, mixing)(rng)

    return make


def counts(k: int, n: int, inside: float, outside: float) -> Make:
    """Make Poisson counts with two means."""
    truth = np.repeat(np.arange(k), n)

    def make(rng: Rng) -> tuple[Any, Labels]:
        mean = np.where(truth[:, None] == truth, inside, outside)
        half = np.triu(rng.poisson(mean), 1)
        return (half + half.T).astype(float), truth

    return make


def lognormal(k: int, n: int, inside: float, outside: float, heavier: float) -> Make:
    """Make lognormal weights, ``heavier`` nats more inside labels, of two rates of pairs."""
    truth = np.repeat(np.arange(k), n)

    def make(rng: Rng) -> tuple[Any, Labels]:
        A = two_rates(truth, inside, outside, rng)
        same = truth[:, None] == truth
        return weighed(A, np.exp(rng.normal(size=A.shape) + heavier * same)), truth

    return make


def co_occurrence(k: int, n: int, n_texts: int, mixing: float) -> Make:
    """Count in how many texts two words meet; words are rare or frequent, texts have a topic."""
    truth = np.tile(np.arange(k), n)

    def make(rng: Rng) -> tuple[Any, Labels]:
        often = 1.0 / (1.0 + np.arange(len(truth)) // k)
        topic = rng.integers(k, size=n_texts)
        of_topic = mixing / k + (1 - mixing) * (truth == np.arange(k)[:, None])
        chance = of_topic * often
        chance /= chance.sum(axis=1, keepdims=True)
        seen = np.stack([rng.multinomial(12, chance[t]) > 0 for t in topic]).astype(float)
        W = seen.T @ seen
        np.fill_diagonal(W, 0.0)
        return W, truth

    return make


def dense(k: int, n: int, gap: float, spread: float) -> Make:
    """Make weights of all pairs, larger inside labels, with an effect of each item."""
    truth = np.repeat(np.arange(k), n)

    def make(rng: Rng) -> tuple[Any, Labels]:
        effect = rng.normal(scale=spread, size=len(truth))
        same = truth[:, None] == truth
        z = rng.normal(size=same.shape) + gap * same + effect[:, None] + effect
        return weighed(np.ones(same.shape), np.exp(0.5 * z)), truth

    return make


def stars(n_stars: int, n_leaves: int, noise: float) -> Make:
    """Make stars, and random pairs besides."""
    truth = np.repeat(np.arange(n_stars), n_leaves + 1)

    def make(rng: Rng) -> tuple[Any, Labels]:
        hub = np.arange(len(truth)) % (n_leaves + 1) == 0
        star = (truth[:, None] == truth) & (hub[:, None] | hub)
        rate = noise * star.sum() / (len(truth) * (len(truth) - 1.0))
        return joined(np.where(star, 1.0, rate), rng), truth

    return make


def hubs(k: int, n: int) -> Make:
    """Make labels with a hub each, and hubs that are joined to each other."""
    truth = np.repeat(np.arange(k), n)

    def make(rng: Rng) -> tuple[Any, Labels]:
        hub = np.arange(len(truth)) % n == 0
        same, both, any_hub = truth[:, None] == truth, hub[:, None] & hub, hub[:, None] | hub
        chance = np.where(same, np.where(any_hub, 0.9, 0.12), np.where(both, 0.8, 0.01))
        return joined(chance, rng), truth

    return make


def two_levels(k: int, each: int, n: int, rates: tuple[float, float, float]) -> Callable[..., Any]:
    """Make k labels of ``each`` labels of n items, with three rates of pairs."""
    fine = np.repeat(np.arange(k * each), n)
    coarse = fine // each

    def make(rng: Rng) -> tuple[Any, ...]:
        chance = np.where(coarse[:, None] == coarse, rates[1], rates[2])
        return joined(np.where(fine[:, None] == fine, rates[0], chance), rng), coarse, fine

    return make


def alone(make: Callable[[Rng], Any], n: int) -> Make:
    """Make noise: all items have one label."""
    return lambda rng: (make(rng), np.zeros(n, dtype=np.intp))


def correlations(n: int, n_samples: int, rng: Rng) -> NDArray[np.float64]:
    """Return the positive correlations of noise."""
    W = np.maximum(np.corrcoef(rng.normal(size=(n, n_samples))), 0.0)
    np.fill_diagonal(W, 0.0)
    return W


def random_graph(n: int, degree: float, rng: Rng) -> NDArray[np.float64]:
    """Join any pairs."""
    return joined(np.full((n, n), degree / (n - 1)), rng)


def random_weights(n: int, degree: float, rng: Rng) -> NDArray[np.float64]:
    """Join any pairs, with any weights."""
    return weighed(random_graph(n, degree, rng), np.exp(rng.normal(size=(n, n))))


def uneven(n: int, degree: float, rng: Rng) -> NDArray[np.float64]:
    """Join pairs in proportion to the activity of both items, which has a power law."""
    theta = np.minimum((1 - rng.random(n)) ** (-1 / 1.7), 10.0)
    return joined(np.minimum(np.outer(theta, theta) * degree / (n * theta.mean() ** 2), 1), rng)


FAMILIES: dict[str, list[Callable[[Rng], tuple[Any, ...]]]] = {
    "planted": [equal(4, 30, 0.4, 0.06), equal(8, 20, 0.5, 0.05), equal(15, 20, 0.3, 0.02)],
    "weak": [weak(2, 100, 10, 2.5), weak(4, 60, 14, 3.0), weak(4, 60, 14, 4.0)],
    "unequal": [unequal((80, 40, 20, 10), 0.3, 0.03), unequal((120, 60, 15, 15, 8), 0.35, 0.02)],
    "power law, one degree": [power_law(400, 8.0, 2.0), power_law(600, 7.0, 3.0)],
    "power law, one density": [power_law(400, None, 2.0), power_law(600, None, 3.0)],
    "DCSBM": [dcsbm(5, 60, 10, 0.2), dcsbm(8, 40, 12, 0.3)],
    "LFR": [lfr(400, 12, 0.3), lfr(400, 12, 0.45), lfr(600, 15, 0.55)],
    "Poisson counts": [counts(8, 10, 3.0, 0.3), counts(6, 30, 1.2, 0.4)],
    "lognormal weights": [lognormal(6, 30, 0.2, 0.1, 1.5), lognormal(10, 30, 0.15, 0.05, 2.0)],
    "idle weights": [lognormal(6, 30, 0.25, 0.06, 0.0), lognormal(4, 60, 0.125, 0.04, 0.0)],
    "co-occurrence": [co_occurrence(6, 25, 1200, 0.3), co_occurrence(8, 20, 900, 0.5)],
    "dense weights": [dense(4, 25, 0.8, 0.5), dense(5, 30, 1.0, 1.0), dense(6, 20, 1.2, 0.0)],
    "stars and hubs": [stars(30, 8, 0.05), stars(30, 8, 0.25), hubs(10, 25)],
    "two levels": [two_levels(5, 4, 20, (0.5, 0.12, 0.01)), two_levels(4, 4, 12, (0.8, 0.2, 0.02))],
    "tiny": [
        equal(2, 3, 1.0, 0.12),
        equal(2, 4, 0.9, 0.1),
        equal(2, 5, 0.85, 0.12),
        equal(3, 4, 0.9, 0.08),
        equal(3, 3, 1.0, 0.1),
    ],
    "noise: random": [
        alone(lambda rng: random_graph(100, 8, rng), 100),
        alone(lambda rng: random_graph(300, 12, rng), 300),
        alone(lambda rng: random_graph(40, 6, rng), 40),
    ],
    "noise: tiny": [
        alone(lambda rng: random_graph(8, 3, rng), 8),
        alone(lambda rng: random_graph(12, 4, rng), 12),
        alone(lambda rng: random_graph(20, 5, rng), 20),
    ],
    "noise: weights": [
        alone(lambda rng: random_weights(100, 10, rng), 100),
        alone(lambda rng: random_weights(60, 59, rng), 60),
        dense(1, 100, 0.0, 1.0),
    ],
    "noise: uneven": [
        alone(lambda rng: uneven(200, 8, rng), 200),
        alone(lambda rng: uneven(400, 12, rng), 400),
    ],
    "noise: correlations": [alone(lambda rng: correlations(80, 50, rng), 80)],
}


def graphs(seed: int, families: list[str] | None = None) -> Iterator[Graph]:
    """Yield the graphs of a seed.

    Examples
    --------
    >>> next(graphs(0)).name
    'planted 0'
    """
    for family, makers in FAMILIES.items():
        if families is not None and family not in families:
            continue
        for index, make in enumerate(makers):
            W, *truths = make(np.random.default_rng([seed, crc32(family.encode()), index]))
            yield Graph(family, f"{family} {index}", sp.csr_array(W), tuple(truths))


def main(argv: list[str] | None = None) -> None:
    """Print one line for each graph, and the means of families."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[10, 11, 12])
    parser.add_argument("--families", nargs="+", choices=FAMILIES)
    options = parser.parse_args(argv)
    means: dict[str, list[float]] = {}
    begin = time.process_time()
    for seed in options.seeds:
        for graph in graphs(seed, options.families):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", sl.SphereWarning)
                found = sl.solve(graph.similarity, kind="graph")
            scores = [sl.metrics.pairwise_scores(each, found.labels) for each in graph.truths]
            best = max(each.f_score for each in scores)
            is_noise = found.status is sl.Status.NOISE
            value = float(is_noise) if graph.family.startswith("noise") else best
            means.setdefault(graph.family, []).append(value)
            print(
                f"{graph.name:28}{seed:4}  F {best:.3f}  labels {found.n_labels:4} of "
                f"{'/'.join(str(each.max() + 1) for each in graph.truths):6} {found.status.name:10}"
                f" {found.reading.name:10} alternative {found.alternative}"
            )
    for family, values in means.items():
        print(f"{family:28}{np.mean(values):.3f}  ({len(values)})")
    print(f"{time.process_time() - begin:.1f} s")


if __name__ == "__main__":
    main()
