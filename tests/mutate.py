"""Mutation testing: which small changes of the numerical core does no quick test notice?

``python tests/mutate.py curve tally`` changes one operator or number of a module at a time, in a
copy of the project, runs the tests of the module, and prints the changes that all tests survive.
Without names, all modules of `TESTS` are tried. Numbers that have a name are left alone: what they
do is measured by `benchmarks/bench_constants.py`. Modules of kernels are not tried, because
to compile each change would take long. Needs `fork`.
"""

import ast
import copy
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 120.0  # seconds that the tests of a module may take; a change that takes longer is seen
# What the tests of each change would load again.
PRELOADED = "numba", "pytest", "scipy.optimize", "scipy.stats", "sklearn.neighbors"
# Modules under src/spherelax and their tests under tests, without the endings of the names.
TESTS = {
    "coordinate/graph/account": ["coordinate/graph/test_account"],
    "coordinate/worth/curve": ["coordinate/worth/test_curve"],
    "coordinate/worth/description": ["coordinate/worth/test_description"],
    "coordinate/points/lineage": ["coordinate/points/test_lineage"],
    "coordinate/lists/foretelling": ["coordinate/lists/test_foretelling"],
    "coordinate/lists/hierarchy": ["coordinate/lists/test_hierarchy"],
    "coordinate/points/softness": ["coordinate/points/test_softness"],
    "coordinate/worth/strata": ["coordinate/worth/test_strata"],
    "coordinate/graph/tally": ["coordinate/graph/test_tally"],
    "coordinate/points/unseen": ["coordinate/points/test_unseen"],
    "pick": ["test_pick"],
}
SWAPPED = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult},
    **{ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.MatMult: ast.Mult},
    **{ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.USub: ast.UAdd},
}


class Change(NamedTuple):
    """A changed module, and what was changed where."""

    source: str
    line: int
    before: str
    after: str


def changes(source: str) -> Iterator[Change]:
    """Yield a module with each of its changes."""
    tree = ast.parse(source)
    places = [i for i, node in enumerate(ast.walk(tree)) if _other(node) is not None]
    left_alone = {id(node) for part in _unchanged(tree) for node in ast.walk(part)}
    nodes = list(ast.walk(tree))
    for place in places:
        if id(nodes[place]) in left_alone:
            continue
        changed = copy.deepcopy(tree)
        node = list(ast.walk(changed))[place]
        before, line = ast.unparse(nodes[place]), nodes[place].lineno
        for field, value in vars(_other(node)).items():
            setattr(node, field, value)
        yield Change(ast.unparse(changed), line, before, ast.unparse(node))


def _unchanged(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield what stays: named numbers, decorators, annotations and texts."""
    yield from (node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from node.decorator_list
        if isinstance(node, ast.FunctionDef) and node.returns is not None:
            yield node.returns
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield node.annotation


def _other(node: ast.AST) -> ast.AST | None:
    """Return what a node is changed to; None if it stays."""
    if isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp | ast.UnaryOp):
        swapped = SWAPPED.get(type(node.op))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), node.operand))
        return None if swapped is None else _with(node, op=swapped())
    if isinstance(node, ast.Compare):
        return _with(node, ops=[SWAPPED[type(op)]() for op in node.ops])
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        return ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)
    return None


def _with(node: ast.AST, **fields: object) -> ast.AST:
    """Return a copy of a node with other fields."""
    return type(node)(**{**vars(node), **fields})


def survives(folder: Path, tests: list[str]) -> bool:
    """Tell whether tests pass in a copy of the project, in a process of their own."""
    child = os.fork()
    if child == 0:
        _run(folder, tests)
    watch = threading.Timer(LONGEST, _end, [child])
    watch.start()
    code = os.waitpid(child, 0)[1]
    watch.cancel()
    return code == 0


def _run(folder: Path, tests: list[str]) -> None:
    """Run tests and leave the process."""
    import pytest  # noqa: PLC0415 (only the process that is left needs it)

    code = 1
    with suppress(BaseException):
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        os.chdir(folder)
        sys.path[:0] = [str(folder / "src"), str(folder / "tests")]
        code = pytest.main(
            ["-xq", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
        )
    os._exit(code)


def _end(process: int) -> None:
    """End a process, unless it has ended."""
    with suppress(ProcessLookupError):
        os.kill(process, SIGKILL)


def try_module(folder: Path, name: str) -> int:
    """Print the changes of a module that its tests survive; return how many."""
    path = folder / "src" / "spherelax" / f"{name}.py"
    source = path.read_text(encoding="utf-8")
    tests = [str(path), *(str(folder / "tests" / f"{test}.py") for test in TESTS[name])]
    if not survives(folder, tests):
        raise SystemExit(f"{name}: the tests fail without any change")
    n_changes = n_survivors = 0
    try:
        for change in changes(source):
            path.write_text(change.source, encoding="utf-8")
            n_changes += 1
            if survives(folder, tests):
                n_survivors += 1
                print(f"{name}.py:{change.line}: {change.before}  ->  {change.after}", flush=True)
    finally:
        path.write_text(source, encoding="utf-8")
    print(f"{name}: {n_changes} changes, {n_survivors} survive", flush=True)
    return n_survivors


def main(names: list[str]) -> None:
    """Try modules by the ends of their names; all of them, if there are none."""
    sys.dont_write_bytecode = True
    for module in PRELOADED:
        __import__(module)
    chosen = [name for name in TESTS if not names or name.rpartition("/")[2] in names]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        shutil.copy(ROOT / "pyproject.toml", folder)
        for part in ("src", "tests"):
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("*.pyc"))
        for name in chosen:
            try_module(folder, name)


if __name__ == "__main__":
    main(sys.argv[1:])
