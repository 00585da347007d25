"""Hostile input: every outcome is an answer or an error of our own.

The number of cases is small here; `make fuzz` sets SPHERELAX_FUZZ to try many more.
"""

import io
import os
import subprocess
import sys
import tempfile
import warnings
from dataclasses import fields
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from support.program import BLOCKS
from support.wheels import ROOT

import spherelax as sl
from fuzzing import problems as problems_of_all_kinds
from fuzzing.trial import judged

FEW = 200
CASES = int(os.environ.get("SPHERELAX_FUZZ", FEW))
PARTS = 4 if CASES > FEW else 1  # each loads all packages anew
GOOD = {"answer", "refused"}
# Small problems that once broke something, and what.
FOUND = {
    60: "all items that were similar to any are forgotten: the logarithm of no labels",
    111: "a new score of 1e40 times the largest one before: infinity less infinity; "
    "and scored matches that are forgotten until no two are of one group",
    175: "the same, assigned",
    303: "the same, with log odds",
    513: "a sparse similarity with a diagonal was written to: no longer symmetric",
    1233: "modularity of similarities of 5e-324",
    1311: "modularity of log odds whose sum is 0",
    6185: "forgotten items of a group with copies: more copies than items",
}

some = settings(
    max_examples=CASES // 2,
    deadline=None,
    derandomize=CASES <= FEW,
    suppress_health_check=list(HealthCheck),
)
odd = st.sampled_from([0.0, 0.5, 1.0, -1.0, np.nan, np.inf, 1e17, 1e308, 10**400])
numbers = st.one_of(st.floats(), st.integers(), odd)
cells = st.one_of(
    st.sampled_from(["a", "b", "c", "1", "2", "0.5", "item", "id", "score", "", "nan", "-1"]),
    st.text(max_size=5),
)


@cache
def saved_result():
    """Return the content of a saved result."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "result.npz")
        sl.io.save_result(path, sl.solve(BLOCKS))
        return path.read_bytes()


def verdict(work):
    """Do some work without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return judged(work)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_damaged_files(part):
    pytest.importorskip("anndata")
    from fuzzing.campaign import run  # noqa: PLC0415 (needs anndata and pyarrow)

    share = CASES // PARTS
    counts, faults = run(part * share, (part + 1) * share)
    assert faults == []
    assert counts.total() == share
    assert counts["answer"] > 0


@some
@given(
    rows=st.lists(st.lists(cells, min_size=1, max_size=6), max_size=8),
    separator=st.sampled_from([",", ";", "\t", " "]),
    ending=st.sampled_from([".csv", ".tsv", ".txt"]),
    kind=st.sampled_from([None, "edges", "pairs", "points"]),
)
def test_tables(rows, separator, ending, kind):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"table{ending}")
        path.write_text("\n".join(map(separator.join, rows)), "utf-8", "surrogatepass", "")
        assert verdict(lambda: sl.io.read(path, kind=kind)) in GOOD


@pytest.mark.slow
@some
@given(data=st.data())
def test_saved_results(data):
    content = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "result.npz")
        path.write_bytes(saved_result())
        saved = sl.io.read_arrays(path)
        name = data.draw(st.sampled_from(sorted(saved)))
        old = saved[name]
        if old.dtype.kind == "f":
            elements = st.floats(width=64)
            saved[name] = data.draw(arrays(np.float64, old.shape, elements=elements))
        elif old.dtype.kind == "i":
            elements = st.integers(-2, 9)
            saved[name] = data.draw(arrays(old.dtype, old.shape, elements=elements))
        np.savez(content, **saved)
        path.write_bytes(content.getvalue())

        def use():
            result = sl.io.load_result(path)
            items = sl.io.Items(BLOCKS, None)
            sl.io.summary(items, result)
            result.with_n_labels(2)
            result.at(1.0)
            sl.report.report_html(items, result)

        assert verdict(use) in GOOD


@some
@given(solver=st.sampled_from([sl.Coordinate, sl.Power]), value=numbers, data=st.data())
def test_settings(solver, value, data):
    name = data.draw(st.sampled_from([field.name for field in fields(solver)]))
    assert verdict(lambda: solver(**{name: value})) in GOOD


@st.composite
def problems(draw):
    """Small problems: alone or two side by side, with a twin, asymmetric by rounding, scaled."""
    n = draw(st.integers(2, 9))
    values = st.sampled_from([0.0, 0.0, 1.0, 1.0, 0.1, 0.5, 2.0, 1e-12, 1e12])
    W = draw(arrays(np.float64, (n, n), elements=values))
    W = np.maximum(W, W.T)
    change = draw(st.sampled_from(["none", "beside", "twin", "rounding", "scaled", "shapeless"]))
    if change == "beside":
        W = np.block([[W, np.zeros((n, n))], [np.zeros((n, n)), W * draw(st.floats(0.5, 2.0))]])
    elif change == "twin":
        W = W[np.r_[:n, 0]][:, np.r_[:n, 0]]
    elif change == "rounding":
        W = W * (1.0 + 1e-12 * np.triu(np.ones_like(W)))
    elif change == "scaled":
        W = W * 10.0 ** draw(st.integers(-250, 250))
    elif change == "shapeless":
        W = draw(arrays(np.float64, (n, n)))
    groups = draw(st.none() | st.lists(st.integers(0, 3), min_size=len(W), max_size=len(W)))
    return W, groups


@pytest.mark.slow
@some
@given(
    problem=problems(),
    kind=st.sampled_from([None, None, "graph", "pairs", "odds", "information"]),
    pick=st.sampled_from([None, None, "eta", "stability"]) | numbers,
    one_per_group=st.sampled_from(["always", "unless_copies"]),
)
def test_small_problems(problem, kind, pick, one_per_group):
    W, groups = problem

    def use():
        result = sl.solve(W, groups, kind=kind, pick=pick, one_per_group=one_per_group, n_jobs=1)
        assert np.isfinite(result.resolution)
        assert len(result.labels) == len(W)
        assert np.all((result.confidence >= 0) & (result.confidence <= 1))
        assert np.isfinite(result.path.stability).all()
        result.at(1e20)
        result.with_n_labels(2)
        pairs = result.pairs()
        assert len(pairs.items) >= len(W) - result.n_labels
        assert pairs.probability is None or len(pairs.probability) == len(pairs.items)
        result.entities()
        result.extend(W, groups)
        with tempfile.TemporaryDirectory() as folder:
            sl.io.save_result(Path(folder, "result.npz"), result)
            loaded = sl.io.load_result(Path(folder, "result.npz"))
        np.testing.assert_array_equal(loaded.labels, result.labels)

    assert verdict(use) in GOOD


@pytest.mark.parametrize("seed", FOUND, ids=str)
def test_what_broke_before(seed):
    assert problems_of_all_kinds.fault(seed) is None


def answers(n, package, **variables):
    """Return the answers to n small problems in a new process."""
    paths = os.pathsep.join([str(package), str(ROOT / "tests")])
    return subprocess.run(
        [sys.executable, "-m", "fuzzing.problems", "0", str(n), "answers"],
        cwd=package,
        env={**os.environ, "PYTHONPATH": paths, **variables},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout.splitlines()


@cache
def compiled_answers():
    """Return the answers of the functions that are compiled here."""
    return answers(CASES // 4, ROOT / "src")


def test_machine_code_of_a_wheel_answers_as_the_compiler(installed, tmp_path):
    n = CASES // 4
    found = answers(n, installed, NUMBA_CACHE_DIR=str(tmp_path / "empty"))
    assert len(found) == n
    assert found == compiled_answers()


@pytest.mark.slow
def test_kernels_as_they_are_written_answer_as_the_compiler():
    n = CASES // 50
    found = answers(n, ROOT / "src", NUMBA_DISABLE_JIT="1")
    assert len(found) == n
    assert found == compiled_answers()[:n]


@pytest.mark.slow
def test_all_that_is_done_with_small_problems():
    found = {seed: problems_of_all_kinds.fault(seed) for seed in range(CASES // 4)}
    assert {seed: fault for seed, fault in found.items() if fault} == {}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
def test_flipped_bits_of_runs_in_shards(tmp_path):
    for package in ("duckdb", "pyarrow"):
        pytest.importorskip(package)
    from fuzzing import flips  # noqa: PLC0415 (needs both)

    made = flips.runs(tmp_path)
    found = [flips.outcome(made[seed % len(made)], seed) for seed in range(CASES // 5)]
    assert set(found) == {"named", "same"}
