"""The benchmark of the coordinate solver measures what it says."""

import re
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import spherelax as sl

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def benchmark(monkeypatch):
    """Import a module of the benchmarks, which are scripts and not a package."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return import_module


@pytest.mark.parametrize("kind", ["matching", "sources", "planted", "power_law"])
def test_synthetic_problems_are_what_was_asked_for(benchmark, kind, seed):
    make = getattr(benchmark("synthetic"), kind)
    W, labels, groups = make(3000, wrong=0.4, seed=seed)
    edges = W.tocoo()
    assert W.shape == (len(labels), len(labels))
    assert len(labels) == pytest.approx(3000, rel=0.1)
    degree = 2 if kind == "sources" else 15
    assert W.nnz == pytest.approx(degree * len(labels), rel=0.01)
    assert np.mean(labels[edges.row] != labels[edges.col]) == pytest.approx(0.4, abs=0.01)
    assert (W.data == 1).all()
    assert (W != W.T).nnz == 0
    assert not W.diagonal().any()
    assert (make(3000, wrong=0.4, seed=seed).similarity != W).nnz == 0
    if groups is not None:
        assert (groups[edges.row] != groups[edges.col]).all()
        assert len(np.unique(np.c_[labels, groups], axis=0)) == len(labels)


def test_sizes_follow_a_power_law(benchmark):
    synthetic = benchmark("synthetic")
    sizes = np.bincount(synthetic.power_law(200_000).labels)
    low, high = synthetic.POWER_LAW_SIZES
    assert sizes[:-1].min() >= low
    assert sizes.max() <= high
    # With a density of s ** -2, a share of about low / s of the clusters is larger than s.
    assert np.mean(sizes >= 10 * low) == pytest.approx(0.1, abs=0.02)


def test_leiden_is_told_the_resolution_that_finds_the_truth(benchmark):
    pytest.importorskip("igraph")
    rivals = benchmark("rivals")
    W, labels, _ = benchmark("synthetic").planted(1000, wrong=0.1)
    graph = rivals.leiden_graph(W)

    def score(resolution):
        return sl.metrics.pairwise_scores(labels, rivals.leiden(graph, resolution)).f_score

    best = rivals.best_resolution(graph, labels)
    assert score(best) == pytest.approx(1.0, abs=0.01)
    assert score(best) >= max(score(best / 10), score(1.0))


def test_times_are_taken_in_turn(benchmark):
    measure = benchmark("measure")
    ticks, order = iter([0, 3, 3, 4, 10, 14, 20, 22, 30, 36, 40, 43]), []

    def run(name):
        order.append(name)
        return np.array([len(order)])

    runs = {name: lambda name=name: run(name) for name in "ab"}
    timed = measure.in_turn(runs, 3, clock=lambda: next(ticks))
    assert order == list("ababab")
    assert timed["a"].seconds == [3, 4, 6]
    assert timed["b"].seconds == [1, 2, 3]
    assert timed["a"].median == 4
    assert timed["a"].ratio(timed["b"]) == 2
    assert timed["b"].value == 6


def test_exponent_of_a_power_law(benchmark):
    sizes = [10, 100, 3000]
    found = benchmark("measure").exponent(sizes, [5 * size**1.3 for size in sizes])
    assert found == pytest.approx(1.3)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_peak_memory_is_at_least_that_of_the_copy(benchmark):
    W, _, groups = benchmark("synthetic").matching(60_000)
    peak = benchmark("measure").peak_bytes(W, groups)
    assert 8 * W.nnz < peak < 100 * W.nnz


@pytest.fixture
def tiny_table(benchmark, monkeypatch, capsys):
    """Run the benchmark on very small problems and return what it prints."""
    bench = benchmark("bench_coordinate")
    monkeypatch.setattr(bench.rivals, "INFLATIONS", (2.0,))
    monkeypatch.setattr(bench, "DATA", ROOT / "no such folder")
    settings = bench.Settings(
        repeats=1,
        sizes=(400, 800),
        search_size=400,
        hard_size=400,
        rival_size=300,
        dense_size=200,
        n_small=2,
        sources_size=800,
    )

    def run(*titles):
        monkeypatch.setattr(bench, "SECTIONS", {title: bench.SECTIONS[title] for title in titles})
        bench.print_table(settings)
        return capsys.readouterr().out

    return run


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")  # so few items look like noise
def test_tiny_run_fills_the_table(tiny_table, benchmark):
    pytest.importorskip("igraph")
    titles = list(benchmark("bench_coordinate").SECTIONS)
    out = tiny_table(*titles)
    assert re.findall("^-- (.*)$", out, re.MULTILINE) == titles
    rows = [line for line in out.splitlines() if ": Leiden" in line and "exponent" not in line]
    assert len(rows) == 11
    for row in rows:
        assert len(re.findall(r"[\d.]+ m?s\b", row)) == 2, row
        assert len(re.findall(r"\b[01]\.\d{4}\b", row)) == 2, row


def test_columns_stay_empty_without_igraph(tiny_table, benchmark, monkeypatch):
    monkeypatch.setattr(benchmark("rivals"), "HAS_IGRAPH", False)
    monkeypatch.setitem(sys.modules, "igraph", None)
    out = tiny_table("scale")
    assert out.count("igraph is not installed") == 1
    rows = [line for line in out.splitlines() if ": Leiden" in line and "exponent" not in line]
    assert len(rows) == 6
    for row in rows:
        assert len(re.findall(r"[\d.]+ m?s\b", row)) == 1, row
        assert len(re.findall(r"\b[01]\.\d{4}\b", row)) == 1, row


def test_row_leaves_out_what_there_is_not(benchmark):
    bench = benchmark("bench_coordinate")
    ours = benchmark("measure").Timed([3.0, 1.0, 2.0], np.array([0, 0, 1]))
    row = bench._compared("ours : theirs", ours, ours, np.array([0, 0, 1]), "1.5")
    filled = "ours : theirs 2.00 s 2.00 s 1.00 [1.5] 1.0000 1.0000"
    assert " ".join(str(row).split()) == filled
    assert " ".join(str(bench._compared("ours", ours, None)).split()) == "ours 2.00 s"


def test_quick_and_full_differ_in_size_alone(benchmark, monkeypatch):
    bench = benchmark("bench_coordinate")
    seen = []
    monkeypatch.setattr(bench, "print_table", seen.append)
    bench.main(["--quick", "--repeats", "5"])
    bench.main([])
    assert [max(settings.sizes) for settings in seen] == [100_000, 1_000_000]
    assert [settings.repeats for settings in seen] == [5, 3]


def test_pairs_in_files_become_entities_and_are_compared(benchmark, capsys):
    pytest.importorskip("duckdb")
    bench = benchmark("bench_scale")
    bench.main(["--pairs", "3e3", "--files", "2", "--workers", "1"])
    found = dict(re.findall(r"^(.{28})(\S+)$", capsys.readouterr().out, re.MULTILINE))
    found = {name.strip(): float(value) for name, value in found.items()}
    assert found["pair-F"] > 0.9
    assert found["components, pair-F"] < found["pair-F"] + 0.02
    assert found["ingest, % of CPU"] + found["rounds, % of CPU"] < 100
    assert found["peak MB"] > found["components, peak MB"] > 0


def test_truth_of_pairs_is_that_of_their_ids(benchmark):
    bench = benchmark("bench_scale")
    truth = bench.truth_of(5_000, 1_000)
    for pairs in bench.pairs_of(5_000, 1_000, seed=0):
        is_right = truth[pairs["a"]] == truth[pairs["b"]]
        assert (truth[np.r_[pairs["a"], pairs["b"]]] >= 0).all()
        assert 0.84 < is_right.mean() < 0.87
        ids = bench._columns(pairs)["id_a"]
        np.testing.assert_array_equal(bench.numbers_of(ids), pairs["a"])


def test_entities_that_stay_are_those_that_nothing_new_joins(benchmark):
    untouched = benchmark("bench_lasting").untouched
    before = np.array([0, 0, 1, 1, 2])
    assert untouched(before, np.array([0, 0, 1, 2, 3, 3])) == (2, 1)  # one splits, one grows
    assert untouched(before, np.array([0, 0, 0, 0, 1, 2])) == (3, 1)  # two merge
    assert untouched(before, np.array([2, 2, 1, 1, 0])) == (3, 3)


def test_every_stored_table_is_of_one_kind(benchmark, data_home, monkeypatch):
    bench = benchmark("bench_tables")
    monkeypatch.setattr(bench, "DATA", data_home)
    kinds = [kind for kind in bench.KINDS if kind != "songs"]
    found = [table.name for kind in kinds for table, _ in bench.stored(kind)]
    folders = (data_home / "entity_resolution" / name for name in bench.FOLDERS)
    assert sorted(found) == sorted(path.stem for at in folders for path in at.glob("*.npz"))


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
def test_told_thresholds_are_at_least_as_good(benchmark):
    pytest.importorskip("fast_hdbscan")
    bench = benchmark("bench_tables")
    given = benchmark("group_families").lists(0)
    table = bench.Table("lists", given.similarity, given.groups, given.labels)
    at_half, components, linked, links, *_ = scores = bench.compare(table, has_sources=True)
    assert at_half <= components
    assert linked <= links
    assert all(0 <= score <= 1 for score in scores)
    assert np.isnan(bench.compare(table, has_sources=False)[2:4]).all()
