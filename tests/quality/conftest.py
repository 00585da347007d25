"""An answer with mistakes, and a judge who knows the truth."""

import numpy as np
import pytest
import scipy.sparse as sp

import spherelax as sl

N_THINGS = 80


def make_answer():
    """Things of one to four items; log odds of their pairs and of as many wrong ones, with noise.

    The last three items have no candidate.
    """
    rng = np.random.default_rng(5)
    truth = np.repeat(np.arange(N_THINGS), rng.integers(1, 5, N_THINGS))
    m = len(truth)
    right = np.argwhere(np.triu(truth[:, None] == truth, 1))
    wrong = rng.integers(0, m, (len(right), 2))
    wrong = wrong[truth[wrong[:, 0]] != truth[wrong[:, 1]]]
    pairs = np.r_[right[rng.random(len(right)) < 0.9], wrong]
    nats = np.where(truth[pairs[:, 0]] == truth[pairs[:, 1]], 2.0, -2.0)
    nats += rng.normal(0.0, 2.0, len(nats))
    truth = np.r_[truth, N_THINGS + np.arange(3)]
    once = sp.coo_array((nats, pairs.T), shape=(m + 3, m + 3))
    return sl.solve(sp.csr_array(once + once.T), kind="odds"), truth


@pytest.fixture(scope="session")
def answer():
    """A result and the truth."""
    return make_answer()


@pytest.fixture(scope="session")
def judge():
    """A function that fills a sample in by the truth; of records and entities, it adds rows."""

    def judge(drawn, truth):
        rows = list(zip(*drawn.values(), strict=True))
        seen = {(case, item) for case, a, b, *_ in rows for item in (a, b)}
        is_pairs = drawn["of"][0] == "pairs"
        for case, item, _, _, *rest in {row[:2]: row for row in rows}.values():
            for other in [] if is_pairs else np.flatnonzero(truth == truth[item]).tolist():
                if (case, other) not in seen:
                    seen.add((case, other))
                    rows.append((case, item, other, "", *rest))
        found = dict(zip(drawn, map(list, zip(*rows, strict=True)), strict=True))
        ends = zip(found["item_a"], found["item_b"], strict=True)
        found["verdict"] = ["same" if truth[a] == truth[b] else "different" for a, b in ends]
        return found

    return judge
