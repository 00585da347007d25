"""Items that are lost because pairs are missing."""

import numpy as np
import pytest

from spherelax.coordinate.graph.candidates import Candidates
from spherelax.coordinate.sampling.gibbs import Net
from spherelax.coordinate.sampling.missing import count_missing, discount_missing
from spherelax.coordinate.sampling.posterior import Posterior
from spherelax.labels import inside_pairs


def chains(n_labels, size, kept):
    """A net of labels of a size, of whose pairs some are kept, and the labels."""
    labels = np.repeat(np.arange(n_labels), size).astype(np.int32)
    pairs = inside_pairs(labels)[kept]
    return Net.of_list(Candidates(len(labels), *pairs.T, np.ones(len(pairs)))), labels


def test_missing_pairs_are_counted(seed):
    rng = np.random.default_rng(seed)
    kept = rng.random(200 * 15) < 0.8
    net, labels = chains(200, 6, kept)
    found = count_missing(net, labels)
    assert found.pair == pytest.approx(0.2, abs=0.03)
    assert found.another == pytest.approx(0.2, abs=0.04)
    # All pairs are there: nothing to see but the pairs that are added.
    net, labels = chains(200, 6, np.ones(200 * 15, dtype=bool))
    assert count_missing(net, labels).pair < 0.001


def test_items_that_are_alone_are_less_sure_if_pairs_are_missing(seed):
    rng = np.random.default_rng(seed)
    sure = Posterior(np.ones(400), np.ones(200), np.ones(200), np.ones(0))
    alone = np.arange(100, 200, dtype=np.int32)
    confidence = []
    for share in (1.0, 0.9, 0.8):
        kept = rng.random(300) < share
        kept[::3] = True
        net, labels = chains(100, 3, kept)
        everyone = np.r_[labels, alone]
        indptr = np.r_[net.indptr, np.full(100, net.indptr[-1])]
        found = discount_missing(sure, net._replace(indptr=indptr), everyone)
        np.testing.assert_array_equal(found.item[:300], 1.0)
        np.testing.assert_allclose(found.whole[100:], found.item[300:])
        confidence.append(found.item[300])
    assert confidence[0] > 0.97
    assert sorted(confidence, reverse=True) == confidence
