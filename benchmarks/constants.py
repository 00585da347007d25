"""The constants of the default solver: find them, change one, read and write their ledger.

A constant is a number, or a tuple of numbers, with a name in capitals that a module assigns at its
top level. One is changed in the source while its module is imported, so that everything that is
made from it at import follows: other constants, default arguments, names in other modules.

The ledger is ``docs/constants.toml``: one table for each constant, and a list of the other numbers
in formulas. ``python benchmarks/constants.py follow`` drops the rows of what the code no longer has
and adds rows without words for what is new, ``... page`` writes the tables of the page
``docs/constants.md``, ``... count`` counts the numbers.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from numbers import Integral, Number
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

import numpy as np

import spherelax as sl

PACKAGE = "spherelax"
FOLDER = Path(sl.__file__).parent
# The default solver, and what makes its input and reads its path: folders and files of the package.
PARTS = ("coordinate", "similarity", "pick.py", "result/path.py")
LEDGER = Path(__file__).parents[1] / "docs" / "constants.toml"
PAGE = LEDGER.with_suffix(".md")
CAPITALS = re.compile("[A-Z][A-Z0-9_]*")
# What an infinite number becomes, which has no half: more than every resolution.
LARGE = 1e30

# What can see that a number changes: the ruler to measure it with. `speed` is speed or memory
# alone, a `guard` is a plain numerical guard; neither should be seen at all, by labels least.
RULERS = ("labels", "status", "calibration", "speed", "guard")
# Some numbers are bounded by their meaning; what is halved and doubled is then something else.
# Seeds are neither: two other seeds stand for half and twice.
VARIED = ("distance from 1", "logarithm", "seed")
NOT_MEASURED = "not measured"
NO_VALUE = "\N{EN DASH}"
MARK = "<!-- All below is made from constants.toml by `python benchmarks/constants.py page`. -->"


class Constant(NamedTuple):
    """A number, or a tuple of numbers, with a name; and whether compiled code holds a copy."""

    module: str
    name: str
    value: Any
    is_compiled: bool = False

    @property
    def full_name(self) -> str:
        """The name in the ledger: ``module.NAME`` in the default solver, else the whole path."""
        room, _, _ = self.module.partition(".")
        stem = self.module.rpartition(".")[2] if room == "coordinate" else self.module
        return f"{stem}.{self.name}"


def files() -> list[Path]:
    """Return the files whose numbers count."""
    places = [FOLDER / part for part in PARTS]
    return sorted(path for place in places for path in ([place] if place.suffix else _in(place)))


def _in(folder: Path) -> Iterator[Path]:
    return folder.rglob("*.py")


@cache
def _body(source: str) -> list[ast.stmt]:
    """Return the statements of a module."""
    return ast.parse(source).body


def assigned_names(source: str) -> list[str]:
    """Return the names in capitals that a module assigns at its top level.

    What is made from other such names is left out: it follows them, and is no number of its own.

    Examples
    --------
    >>> assigned_names("A_1 = 2; B: int = 3; c = 4; D = A_1; E = B / 2")
    ['A_1', 'B']
    """
    found = []
    for statement in _body(source):
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            parts = [node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name)]
            if not any(map(CAPITALS.fullmatch, parts)):
                found += [target.id for target in targets if isinstance(target, ast.Name)]
    return [name for name in found if CAPITALS.fullmatch(name)]


def numbers(value: object) -> tuple[Any, ...]:
    """Return the numbers that a value consists of, none if it is no number; True is none.

    Examples
    --------
    >>> numbers(2.5), numbers((0.3, 0.7)), numbers("3"), numbers(("3", 4)), numbers(True)
    ((2.5,), (0.3, 0.7), (), (), ())
    """
    parts = value if type(value) is tuple else (value,)
    are_numbers = all(isinstance(one, Number) and not isinstance(one, bool) for one in parts)
    return parts if are_numbers else ()


def find_constants() -> list[Constant]:
    """Return the constants of the solver in the order of modules and lines; imports the solver."""
    modules = {path: import_module(module_name(path)) for path in files()}
    compiled = {
        (owner.get(name), name)
        for path, module in modules.items()
        for owner in [owners(path)]
        for name in _compiled_names(module)
    }
    return [
        Constant(
            module.__name__.removeprefix(f"{PACKAGE}."),
            name,
            getattr(module, name),
            (module.__name__, name) in compiled,
        )
        for path, module in modules.items()
        for name in assigned_names(path.read_text(encoding="utf-8"))
        if numbers(getattr(module, name))
    ]


def owners(path: Path) -> dict[str, str]:
    """Return the modules in which names of a module are assigned: by it, or where it has them from.

    Functions and classes count as assigned.
    """
    source = path.read_text(encoding="utf-8")
    found = {
        alias.asname or alias.name: str(node.module)
        for node in _body(source)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    own = [node.name for node in _body(source) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    own += assigned_names(source)
    return {**found, **dict.fromkeys(own, module_name(path))}


class Literal(NamedTuple):
    """A number that a formula of a function has, without a name."""

    file: str
    literal: str


# Numbers that say what they are.
OBVIOUS = (0.0, 0.5, 1.0, 2.0)


def find_literals() -> Counter[Literal]:
    """Count the floats, and the seeds of generators, that functions of the solver have in them."""
    found: Counter[Literal] = Counter()
    for path in files():
        name = path.relative_to(FOLDER).as_posix()
        found.update(Literal(name, one) for one in literals(path.read_text(encoding="utf-8")))
    return found


def literals(source: str) -> list[str]:
    r"""Return the floats that are not obvious, and the seeds, in the functions of a module.

    Examples
    --------
    >>> literals("A = 3.0\ndef f(x, y=4.0):\n    return default_rng(5).random() + 1e-9 * x + .5")
    ['4.0', '1e-09', 'default_rng(5)']
    """
    functions = [node for node in _body(source) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    nodes = [node for function in functions for node in ast.walk(function)]
    floats = [
        repr(node.value)
        for node in nodes
        if isinstance(node, ast.Constant)
        and isinstance(node.value, float)
        and node.value not in OBVIOUS
    ]
    seeds = [
        f"default_rng({node.args[0].value!r})"
        for node in nodes
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("default_rng")
        and node.args
        and isinstance(node.args[0], ast.Constant)
    ]
    return floats + seeds


def variations(constant: Constant, row: dict[str, Any]) -> dict[str, Any]:
    """Return the values that stand for half and for twice a constant; None where there is none.

    Examples
    --------
    >>> variations(Constant("walk", "TOP", 0.999), {"varied": "distance from 1"})
    {'halved': 0.9995, 'doubled': 0.998}
    >>> variations(Constant("walk", "STEPS", 41), {}), variations(Constant("a", "B", (1, 0.5)), {})
    ({'halved': 20, 'doubled': 82}, {'halved': (None, 0.25), 'doubled': (2, 1.0)})
    """
    value, varied, least = constant.value, row.get("varied"), row.get("least", 1)
    if isinstance(value, tuple):
        each = [variations(constant._replace(value=one), row) for one in value]
        return {which: tuple(one[which] for one in each) for which in ("halved", "doubled")}
    if math.isinf(value):
        return {"halved": type(value)(LARGE), "doubled": None}
    if varied == "seed":
        pair = [value + 1, value + 2]
    elif varied == "distance from 1":
        pair = [round(1 + factor * (value - 1), 12) for factor in (0.5, 2.0)]
    elif varied == "logarithm":
        pair = [round(value**0.5, 12), value**2]
    elif isinstance(value, Integral):
        pair = [type(value)(max(round(int(value) / 2), least)), type(value)(value * 2)]
    else:
        pair = [type(value)(value * factor) for factor in (0.5, 2.0)]
    return {
        which: None if other == value else other
        for which, other in zip(("halved", "doubled"), pair, strict=True)
    }


def change(constant: Constant, value: Any) -> None:
    """Forget the package, and let it be imported anew with another value of a constant.

    Modules that know the package as ``sl`` get the new one.
    """
    old = sys.modules.get(PACKAGE)
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{PACKAGE}.")]:
        del sys.modules[name]
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Changed)]
    sys.meta_path.insert(0, _Changed(constant, value))
    package = import_module(PACKAGE)
    for module in list(sys.modules.values()):
        if old is not None and vars(module).get("sl") is old:
            vars(module)["sl"] = package


class _Changed(MetaPathFinder):
    """Finds the module of a constant, whose value it changes."""

    def __init__(self, constant: Constant, value: Any) -> None:
        self.constant, self.value = constant, value

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the usual specification with a loader that changes the source."""
        if fullname != f"{PACKAGE}.{self.constant.module}":
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None:
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
    for value in vars(module).values():
        function = getattr(value, "py_func", None)
        code = getattr(function, "__code__", None)
        if isinstance(code, CodeType) and function.__module__ == module.__name__:
            yield from _names(code)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def written(value: Any) -> str:
    """Return a value as the page writes it.

    Examples
    --------
    >>> written(4096), written(np.float32(1e-30)), written(2.0), written(np.inf), written((0.3, 1))
    ('4096', '1e-30', '2', 'inf', '0.3, 1')
    """
    return ", ".join(str(one).removesuffix(".0") for one in numbers(value))


# The ledger. Fields of a constant in their order; the last three are there only where they say
# something: what is varied instead of the number, its least legal value, and that the model of
# the constant is going to be replaced, so that it is not measured any more.
FIELDS = ("value", "meaning", "chosen", "seen_by", "halved", "doubled", "varied", "least")
FIELDS += ("replaced",)
# Fields of a number without a name: where it is and how often, and why it needs none.
LITERAL_FIELDS = ("file", "literal", "times", "why")
Table = dict[str, Any]


def read_table(path: Path) -> Table:
    """Return the ledger: constants by their names under "constant", a list under "literal"."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def write_table(table: Table) -> str:
    """Return the text of a ledger, which `read_table` reads.

    Examples
    --------
    >>> print(write_table({"constant": {"walk.STEPS": {"value": 40}}, "literal": []}))
    [constant."walk.STEPS"]
    value = 40
    <BLANKLINE>
    """
    heads = [(f'[constant."{name}"]', row, FIELDS) for name, row in table["constant"].items()]
    heads += [("[[literal]]", row, LITERAL_FIELDS) for row in table["literal"]]
    blocks = [
        "\n".join([head, *(f"{key} = {_toml(row[key])}" for key in fields if key in row)])
        for head, row, fields in heads
    ]
    return "\n\n".join(blocks) + "\n"


def _toml(value: Any) -> str:
    """Return a value as TOML has it."""
    if isinstance(value, float) and math.isinf(value):
        return "inf"
    return json.dumps(value, ensure_ascii=False)


def follow_code(table: Table) -> Table:
    """Return a ledger that has what the code has: what is new has no words yet.

    A constant that went to another module takes its row along, if it kept name and value.
    """
    old, new = table["constant"], {}
    found = find_constants()
    gone = old.keys() - {constant.full_name for constant in found}
    moved = {(name.rpartition(".")[2], str(old[name]["value"])): old[name] for name in gone}
    for constant in found:
        name, value = constant.full_name, plain(constant.value)
        empty = {"meaning": "", "chosen": "", "seen_by": "labels"}
        row = old.get(name) or moved.get((constant.name, str(value)), empty)
        if row.get("value") != value:
            row = {**row, "halved": NOT_MEASURED, "doubled": NOT_MEASURED}
        new[name] = {**row, "value": value}
    why = {Literal(row["file"], row["literal"]): row["why"] for row in table["literal"]}
    rest = sorted(find_literals().items())
    return {
        "constant": new,
        "literal": [{**one._asdict(), "times": n, "why": why.get(one, "")} for one, n in rest],
    }


def differences(table: Table, text: str) -> dict[str, Any]:
    """Say where the code, a ledger and the text of its page differ; nothing: nowhere."""
    rows = table["constant"]
    code = {found.full_name: plain(found.value) for found in find_constants()}
    listed = Counter(
        {Literal(row["file"], row["literal"]): row["times"] for row in table["literal"]}
    )
    found = find_literals()
    said = {
        "not in the ledger": sorted(code.keys() - rows.keys()),
        "not in the code": sorted(rows.keys() - code.keys()),
        "other values in the code": {
            name: value
            for name, value in code.items()
            if rows.get(name, {}).get("value", value) != value
        },
        "numbers in formulas that are not in the ledger": list(found - listed),
        "numbers in formulas that are not in the code": list(listed - found),
        "the page": "" if write_page(table, text) == text else "is not made from the ledger",
    }
    return {what: which for what, which in said.items() if which}


def faults(table: Table) -> list[str]:
    """Name the rows of a ledger in which something is missing or cannot be."""
    wrong = []
    for constant in find_constants():
        row = table["constant"].get(constant.full_name, {})
        values = variations(constant, row)
        is_filled = all(row.get(field) for field in FIELDS[1:6])
        is_legal = (
            set(row) <= set(FIELDS)
            and row.get("seen_by") in RULERS
            and row.get("varied", VARIED[0]) in VARIED
        )
        # A dash stands where there is no such value, and nowhere else.
        are_dashes = all(
            (row.get(which) == NO_VALUE) == (values[which] is None) for which in values
        )
        if not (is_filled and is_legal and are_dashes):
            wrong.append(constant.full_name)
    return wrong + [
        row["file"] for row in table["literal"] if not all(map(row.get, LITERAL_FIELDS))
    ]


def plain(value: Any) -> Any:
    """Return the value of a constant as TOML can hold it.

    Examples
    --------
    >>> plain(np.float32(1e-30)), plain((0.3, 0.7)), plain(np.uint64(64))
    (1e-30, [0.3, 0.7], 64)
    """
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):  # single precision is written as short as it can be
        return float(str(value)) if isinstance(value, np.floating) else value.item()
    return value


def rooms() -> dict[str, str]:
    """Return the folders of the modules of the default solver, by the names of the modules."""
    inside = [path.relative_to(FOLDER) for path in files()]
    return {path.stem: path.parent.as_posix() for path in inside if path.parts[0] == "coordinate"}


def page(table: Table) -> str:
    """Return the tables of the page: constants by room, then numbers without a name."""
    by_room: dict[str, list[str]] = {}
    room = rooms()
    for name in table["constant"]:
        module = name.rpartition(".")[0]
        by_room.setdefault(room.get(module, module.partition(".")[0]), []).append(name)
    lines = [MARK, "", *_counts(table)]
    for title, names in sorted(by_room.items()):
        lines += ["", f"## {title}", ""]
        lines += ["| constant | value | what it is | chosen | seen by | halved | doubled |"]
        lines += ["|---" * 7 + "|"]
        for name in names:
            row = table["constant"][name]
            value = row["value"]
            value = written(tuple(value) if isinstance(value, list) else value)
            seen = row["seen_by"] + ("; to be replaced" if row.get("replaced") else "")
            cells = (f"`{name}`", value, row["meaning"], row["chosen"], seen)
            lines.append("| " + " | ".join((*cells, row["halved"], row["doubled"])) + " |")
    lines += ["", "## Numbers in formulas", "", "| file | number | times | why it has no name |"]
    lines += ["|---" * 4 + "|"]
    for row in table["literal"]:
        lines.append(f"| {row['file']} | `{row['literal']}` | {row['times']} | {row['why']} |")
    return "\n".join(lines) + "\n"


def count(table: Table) -> dict[str, int]:
    """Count the numbers of a ledger, by what sees them, whether they stay, and whether measured."""
    sums: Counter[str] = Counter()
    for row in table["constant"].values():
        n = len(row["value"]) if isinstance(row["value"], list) else 1
        sums["constants"] += n
        sums["seed" if row.get("varied") == "seed" else row["seen_by"]] += n
        is_measured = NOT_MEASURED not in (row["halved"], row["doubled"])
        sums["to be replaced" if row.get("replaced") else "stay"] += n
        sums["stay, not measured"] += n * (not row.get("replaced") and not is_measured)
    sums["in formulas"] = sum(row["times"] for row in table["literal"])
    return dict(sums)


def _counts(table: Table) -> list[str]:
    """Return the counts as a table."""
    rows = [f"| {what} | {n} |" for what, n in count(table).items()]
    return ["| numbers | |", "|---|---|", *rows]


def write_page(table: Table, text: str) -> str:
    """Return the text of a page with new tables; what is above the mark stays."""
    return text.partition(MARK)[0] + page(table)


def main(argv: list[str] | None = None) -> None:
    """Let the ledger follow the code, write the page, or count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("follow", "page", "count"))
    what = parser.parse_args(argv).what
    table = read_table(LEDGER)
    if what == "follow":
        LEDGER.write_text(write_table(follow_code(table)), encoding="utf-8")
    elif what == "page":
        PAGE.write_text(write_page(table, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print("\n".join(f"{n:5} {what}" for what, n in count(table).items()))


if __name__ == "__main__":
    main()
