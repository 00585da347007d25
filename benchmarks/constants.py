"""The constants of the default solver: find them, change one, read and write their ledger.

A constant is a number with a name in capitals that a module of ``spherelax.coordinate`` assigns at
its top level. One is changed in the source while its module is imported, so that everything that is
made from it at import follows: other constants, default arguments, names in other modules.
"""

from __future__ import annotations

import ast
import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from numbers import Integral, Number
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

import numpy as np

import spherelax as sl

PACKAGE = "spherelax.coordinate"
FOLDER = Path(sl.__file__).parent / "coordinate"
LEDGER = Path(__file__).parents[1] / "docs" / "architecture.md"
# What ALWAYS becomes, which has no half: a number that is above every resolution.
LARGE = 1e30

# Some numbers are bounded by their meaning; what is halved and doubled is then something else.
FROM_ONE = {"TOP", "TOP_QUANTILE", "NEARLY", "SOFTNESS", "SPARE_ROOM"}  # the distance from 1
RATIOS = {"RATIO_OF_MANY"}  # the logarithm
# The least legal value of integers that must be more than 1.
LEAST_LEGAL = {"ENTRIES": 2, "ENTRIES_OF_MANY": 2, "STEPS": 2}


class Constant(NamedTuple):
    """A number with a name, and whether compiled code holds a copy of it."""

    module: str
    name: str
    value: Any
    is_compiled: bool = False

    @property
    def full_name(self) -> str:
        """``module.NAME``, as the ledger has it."""
        return f"{self.module}.{self.name}"


def assigned_names(source: str) -> list[str]:
    """Return the names in capitals that a module assigns at its top level.

    Examples
    --------
    >>> assigned_names("A_1 = 2; B: int = 3; c = 4")
    ['A_1', 'B']
    """
    targets: list[ast.expr] = []
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Assign):
            targets += statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets.append(statement.target)
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return [name for name in names if re.fullmatch("[A-Z][A-Z0-9_]*", name)]


def is_number(value: object) -> bool:
    """Tell whether a value is a number; True and False are not."""
    return isinstance(value, Number) and not isinstance(value, bool)


def find_constants() -> list[Constant]:
    """Return the constants of the solver in the order of modules and lines; imports the solver."""
    paths = sorted(FOLDER.rglob("*.py"))
    modules = {path: import_module(module_name(path)) for path in paths}
    compiled = {name for module in modules.values() for name in _compiled_names(module)}
    return [
        Constant(path.stem, name, getattr(module, name), name in compiled)
        for path, module in modules.items()
        for name in assigned_names(path.read_text(encoding="utf-8"))
        if is_number(getattr(module, name))
    ]


def variations(constant: Constant) -> dict[str, Any]:
    """Return the values that stand for half and for twice a constant; None where there is none.

    Examples
    --------
    >>> variations(Constant("walk", "TOP", 0.999)), variations(Constant("walk", "STEPS", 40))
    ({'halved': 0.9995, 'doubled': 0.998}, {'halved': 20, 'doubled': 80})
    """
    value, name = constant.value, constant.name
    if math.isinf(value):
        return {"halved": type(value)(LARGE), "doubled": None}
    if name in FROM_ONE:
        pair = [round(1 + factor * (value - 1), 12) for factor in (0.5, 2.0)]
    elif name in RATIOS:
        pair = [round(value**0.5, 12), value**2]
    elif isinstance(value, Integral):
        pair = [max(round(value / 2), LEAST_LEGAL.get(name, 1)), value * 2]
    else:
        pair = [type(value)(value * factor) for factor in (0.5, 2.0)]
    return {
        which: None if varied == value else varied
        for which, varied in zip(("halved", "doubled"), pair, strict=True)
    }


def change(constant: Constant, value: Any) -> None:
    """Let the solver, which must not be imported yet, be imported with another value."""
    if PACKAGE in sys.modules:
        raise RuntimeError(f"{PACKAGE} is imported already")
    sys.meta_path.insert(0, _Changed(constant, value))


class _Changed(MetaPathFinder):
    """Finds the module of a constant, whose value it changes."""

    def __init__(self, constant: Constant, value: Any) -> None:
        self.constant, self.value = constant, value

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the usual specification with a loader that changes the source."""
        package, _, module = fullname.rpartition(".")
        if not f"{package}.".startswith(f"{PACKAGE}.") or module != self.constant.module:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        is_module = spec is not None and spec.submodule_search_locations is None
        if spec is not None and is_module and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin, self.constant, self.value)
        return spec


class _Loader(SourceFileLoader):
    """Loads a module whose constant has another value."""

    def __init__(self, fullname: str, path: str, constant: Constant, value: Any) -> None:
        super().__init__(fullname, path)
        self.constant, self.value = constant, value

    def get_code(self, fullname: str) -> CodeType:
        """Compile the changed source, whatever has been compiled before."""
        path = self.get_filename(fullname)
        return compile(_changed(self.get_data(path), self.constant.name, self.value), path, "exec")


def _changed(source: bytes, name: str, value: Any) -> ast.Module:
    """Return a module that assigns another value to a name; no line of it moves."""
    tree = ast.parse(source)
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                new = ast.parse(_expression(value), mode="eval").body
                for node in ast.walk(new):
                    ast.copy_location(node, statement)
                statement.value = new
                return tree
    raise LookupError(f"no assignment to {name}")


def _expression(value: Any) -> str:
    """Return a value as Python code; a NumPy scalar stays one."""
    plain = repr(value.item() if isinstance(value, np.generic) else value)
    return f"np.{type(value).__name__}({plain})" if isinstance(value, np.generic) else plain


def module_name(path: Path) -> str:
    """Return the name by which a file of the solver is imported."""
    inner = path.relative_to(FOLDER).with_suffix("").parts
    return ".".join((PACKAGE, *inner)).removesuffix(".__init__")


def _compiled_names(module: ModuleType) -> Iterator[str]:
    """Yield the names that compiled functions of a module use: numba copies their values."""
    for function in vars(module).values():
        code = getattr(getattr(function, "py_func", None), "__code__", None)
        if isinstance(code, CodeType):
            yield from _names(code)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


# The ledger: a Markdown table whose first columns are the constant and its value.
ROW = re.compile(r"^\| `(?P<name>\w+\.[A-Z][A-Z0-9_]*)` \| (?P<value>[^|]+?) \|(?P<rest>.*)\|$")


def written(value: Any) -> str:
    """Return a value as the ledger writes it.

    Examples
    --------
    >>> written(4096), written(np.float32(1e-30)), written(2.0), written(np.inf)
    ('4096', '1e-30', '2', 'inf')
    """
    return str(value).removesuffix(".0")


def read_ledger(text: str) -> dict[str, list[str]]:
    """Return the cells after the name of each constant, by ``module.NAME``.

    Examples
    --------
    >>> read_ledger("| `walk.STEPS` | 40 | steps of the grid | speed |")
    {'walk.STEPS': ['40', 'steps of the grid', 'speed']}
    """
    rows = [row for row in map(ROW.match, text.splitlines()) if row]
    return {
        row["name"]: [row["value"], *(cell.strip() for cell in row["rest"].split("|"))]
        for row in rows
    }


def rewrite_ledger(text: str, new_cells: Callable[[str, list[str]], list[str]]) -> str:
    """Return the text of a ledger with new cells after each name."""
    lines = []
    for line in text.splitlines():
        row = ROW.match(line)
        if row:
            cells = next(iter(read_ledger(line).values()))
            cells = [f"`{row['name']}`", *new_cells(row["name"], cells)]
        lines.append(f"| {' | '.join(cells)} |" if row else line)
    return "\n".join(lines) + "\n"
