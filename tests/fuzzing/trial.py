"""A trial: a damaged file goes through everything that takes it. Run as a program by `campaign`."""

import json
import shutil
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import numpy as np
from support.program import BLOCKS

import spherelax as sl
from fuzzing.damage import damaged
from fuzzing.specimens import N_POINTS, SELDOM
from spherelax.cli.facts import facts
from spherelax.cli.work import _steps
from spherelax.errors import LONGEST

MOST_ITEMS = 200  # larger problems are read, but not solved
EVERY = 100  # of this number of files, one is of those that are damaged seldom


def outcome(specimen: Path, case: int) -> str:
    """Damage a file and use it; return "answer", "refused", or the fault."""
    rng = np.random.default_rng(case)
    with tempfile.TemporaryDirectory() as folder:
        for other in specimen.parent.glob("*.h5"):  # matches and keypoints are read together
            shutil.copy(other, folder)
        path = Path(folder, specimen.name)
        path.write_bytes(damaged(specimen.read_bytes(), specimen.suffix, rng))
        return judged(lambda: use(path))


def judged(work) -> str:
    """Do some work; return "answer", "refused", or the fault."""
    try:
        work()
    except (sl.InvalidInputError, ImportError) as error:
        message = str(error)
        is_good = len(message) <= LONGEST and message.isprintable()
        return "refused" if is_good else f"message: {message[:200]!r}"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in where if "spherelax" in frame.filename] or where
        place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
        return f"{type(error).__name__} at {place}: {str(error)[:200]}"
    return "answer"


def use(path: Path) -> None:
    """Read a file as each kind that it may be, solve what it holds and show the result."""
    if path.name.startswith("groups"):
        items = sl.io.read_groups(path, sl.io.Items(BLOCKS, [f"i{i}" for i in range(9)]))
    elif path.stem == "arrays":
        sl.io.read_arrays(path, "X", "y")
        return
    elif sl.io.format_of(path) == "result":
        _show(sl.io.load_result(path))
        return
    elif path.suffix == ".h5":
        items = sl.io.read(path.with_name("matches.h5"), features=path.with_name("features.h5"))
    else:
        items = sl.io.read(path)
    if isinstance(items, sl.io.Points):
        if items.n_items <= N_POINTS and items.points.shape[1] <= N_POINTS:
            items.answer(sl.SphereClustering(n_jobs=1).fit(items.points).result_)
        return
    facts(items)
    if items.n_items <= MOST_ITEMS:
        result = sl.solve(items.problem, n_jobs=1)
        sl.io.columns_csv(items.answer(result))
        sl.io.summary(items, result)
        if isinstance(items, sl.io.HlocKeypoints):
            sl.io.write_hloc(path.with_name("cleaned.h5"), items, result, add_missing=True)
        elif isinstance(items, sl.io.Keypoints):
            sl.io.write_colmap(path.with_name("cleaned.db"), items, result, add_missing=True)
        if path.suffix == ".h5ad":
            sl.io.write_h5ad(path.with_name("labelled.h5ad"), path, result)


def _show(result: sl.Result) -> None:
    """Use everything of a saved result."""
    items = sl.io.Items(BLOCKS, None)
    _steps(result, ".json", is_verbose=True)
    _steps(result, ".csv", is_verbose=False)
    result.with_n_labels(2)
    result.at(0.5)
    sl.io.summary(items, result)
    if len(result.labels) == items.n_items:
        sl.report.report_html(items, result)


def main(folder: str, first: str, end: str) -> None:
    """Try the cases from first to end; say each before it begins and after it ended."""
    warnings.simplefilter("ignore")
    specimens = sorted(Path(folder).iterdir())
    often = [path for path in specimens if path.name not in SELDOM]
    seldom = [path for path in specimens if path.name in SELDOM]
    for case in range(int(first), int(end)):
        chosen = seldom if seldom and case % EVERY == 0 else often
        specimen = chosen[case % len(chosen)]
        _say(case, specimen.name, None)
        _say(case, specimen.name, outcome(specimen, case))


def _say(*line: object) -> None:
    sys.stdout.write(f"{json.dumps(line)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
