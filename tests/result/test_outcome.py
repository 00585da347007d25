"""Outcomes of solvers become the path of a result."""

from dataclasses import replace

import numpy as np

import spherelax as sl
from spherelax.result import Outcome


def test_labels_of_no_step_stand_at_their_resolution(result):
    """`with_n_labels` and `at` return these labels, also after a look at other steps."""
    missing = next(n for n in range(2, 80) if n not in result.path.n_labels)
    own = (np.arange(80) % missing).astype(np.int32)
    outcome = Outcome(
        labels=own,
        alpha=result.path.alpha,
        index=None,
        status=result.status,
        is_complete=True,
        path=result.path,
        solved=result._solved,
        right=3,
    )
    path = outcome.picked_path()
    assert (path.picked, path.joined, path.maxima) == (result.path.picked,) * 2 + ((3, None),)
    for step, labels in enumerate(path.labels):
        assert labels is (own if step == path.picked else result.path.labels[step])
    other = replace(result, path=path)
    found = other.with_n_labels(missing)
    assert found.labels is own
    assert found.status == sl.Status.CHOSEN
    assert other.at(other.resolution).labels is own
    elsewhere = other.at(1e9)
    assert elsewhere.path.picked == 0
    assert elsewhere.labels is result.path.labels[0]
    assert elsewhere.at(other.resolution).labels is own
