"""Input is read once, recognised once and checked once on its way from file to label to report."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from support.program import invoke

from spherelax import io, problem
from spherelax.io import reading
from spherelax.similarity import search


@pytest.fixture
def counts(monkeypatch):
    """Count the checks of similarities, reads of text, recognitions, searches and summaries."""
    counted = Counter()

    def count(owner, name, what):
        original = getattr(owner, name)

        def counting(*args, **kwargs):
            counted[what] += 1
            return original(*args, **kwargs)

        monkeypatch.setattr(owner, name, counting)

    count(problem, "_check_values", "checks")
    count(Path, "read_bytes", "reads")
    count(search, "NearestNeighbors", "searches")
    count(io, "summary", "summaries")
    tell = reading.TELL[".csv"]

    def telling(source):
        counted["recognitions"] += 1
        return tell(source)

    monkeypatch.setitem(reading.TELL, ".csv", telling)
    return counted


EDGES = "".join(f"a{i},a{j},0.9\nb{i},b{j},0.8\n" for i in range(5) for j in range(i))


def test_edges(counts):
    Path("edges.csv").write_text(EDGES)
    invoke("cluster", "edges.csv", "--out", "labels.csv", "--report", "page.html")
    assert counts == {"checks": 1, "reads": 1, "recognitions": 1}


def test_edges_with_groups(counts):
    Path("edges.csv").write_text(EDGES)
    groups = "".join(f"a{i},{i}\nb{i},{i}\n" for i in range(5))
    Path("groups.csv").write_text(f"item,group\n{groups}")
    invoke("match", "edges.csv", "--groups", "groups.csv", "--report", "page.html")
    assert counts == {"checks": 1, "reads": 2, "recognitions": 1}


def test_pairs(counts):
    rows = "".join(f"x,{i},y,{i},0.9\nx,{i},y,{(i + 1) % 5},0.2\n" for i in range(5))
    Path("pairs.csv").write_text(f"source_a,id_a,source_b,id_b,score\n{rows}")
    invoke("match", "pairs.csv", "--out", "entities.csv", "--report", "page.html", "--json")
    assert counts == {"checks": 1, "reads": 1, "recognitions": 1, "summaries": 1}


def test_points(counts):
    points = make_blobs(60, centers=3, cluster_std=0.3, random_state=0)[0]
    np.savetxt("points.csv", points, delimiter=",", header="width,length", comments="")
    invoke("cluster", "points.csv", "--as", "points", "--out", "l.csv", "--report", "page.html")
    assert counts == {"checks": 1, "reads": 1, "searches": 1}


@pytest.mark.parametrize("name", ["w.npy", "w.npz"])
def test_matrices(counts, name):
    invoke("cluster", name, "--out", "labels.csv", "--report", "page.html")
    assert counts["checks"] == 1
