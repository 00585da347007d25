"""The nested block model of graph-tool, which runs in a Python of its own.

There is no graph-tool on PyPI. Debian's package python3-graph-tool belongs to Debian's Python and
needs its older NumPy, so that one process cannot hold both.
"""

from __future__ import annotations

import subprocess

import numpy as np
import scipy.sparse as sp

from spherelax.baselines.face import Labels, clustering_problem
from spherelax.labels import separate
from spherelax.problem import Similarity
from spherelax.settings import Range, check_range

TRIALS = Range(1, integer=True)
SEED = Range(0, integer=True)
NEEDED = "nested_block_model needs a Python with graph-tool"

# Reads edges from standard input and writes the lowest level of the best of several fits.
PROGRAM = """
import sys
import numpy as np
from graph_tool import Graph, seed_rng
from graph_tool.inference import minimize_nested_blockmodel_dl

n_items, n_trials, seed = map(int, sys.argv[1:])
edges = np.frombuffer(sys.stdin.buffer.read()).reshape(-1, 3)
np.random.seed(seed)
seed_rng(seed + 1)
graph = Graph(directed=False)
graph.add_vertex(n_items)
weight = graph.new_edge_property("double")
graph.add_edge_list(edges, eprops=[weight])
settings = {}
if len(edges) and np.ptp(edges[:, 2]) > 0:
    settings = {"recs": [weight], "rec_types": ["real-exponential"]}
fits = [minimize_nested_blockmodel_dl(graph, state_args=settings) for _ in range(n_trials)]
best = min(fits, key=lambda fit: fit.entropy())
labels = best.get_bs()[0][:n_items]
sys.stdout.buffer.write(np.asarray(labels, dtype=np.int64).tobytes())
"""


def nested_block_model(
    similarity: Similarity, *, n_trials: int = 5, random_state: int = 0, python: str = "python3"
) -> Labels:
    """Fit a nested block model, corrected for degrees (Peixoto 2014).

    ``min S(A | l) + S(l)`` over labels l: the bits that describe the graph if the labels are known,
    and those that describe the labels, by labels of labels and so on. Numbers of edges between
    labels are free, so a label need not be a community. If the similarities differ, they are taken
    for exponential within each pair of labels.

    Parameters
    ----------
    similarity : array-like or sparse array of shape (n_items, n_items)
        Symmetric and non-negative; its diagonal is not used.
    n_trials : int
        Number of fits, of which the best is kept.
    random_state : int
        Seed of the fits.
    python : str
        An interpreter that has graph-tool, such as Debian's with python3-graph-tool.

    Returns
    -------
    ndarray of shape (n_items,)
        Labels of the lowest level; each item without a similarity has its own label.

    Examples
    --------
    >>> nested_block_model(np.eye(2), python="nowhere")
    Traceback (most recent call last):
        ...
    ImportError: nested_block_model needs a Python with graph-tool; found no program 'nowhere'
    """
    check_range(TRIALS, n_trials=n_trials)
    check_range(SEED, random_state=random_state)
    problem = clustering_problem(similarity)
    upper = sp.triu(sp.coo_array(problem.similarity), 1).tocoo()
    edges = np.c_[upper.row, upper.col, upper.data].astype(np.float64)
    numbers = [str(number) for number in (problem.n_items, n_trials, random_state)]
    program = [python, "-W", "ignore", "-c", PROGRAM, *numbers]
    try:
        done = subprocess.run(program, input=edges.tobytes(), capture_output=True, check=True)
    except FileNotFoundError as error:
        raise ImportError(f"{NEEDED}; found no program {python!r}") from error
    except subprocess.CalledProcessError as error:
        reason = error.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise ImportError(f"{NEEDED}; {python!r} says: {reason}") from error
    labels = np.frombuffer(done.stdout, dtype=np.int64)
    return separate(labels, problem.isolated)
