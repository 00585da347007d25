"""Which problems reach a constant of the default solver: the others need not be solved again.

A problem reaches a constant if an instruction ran that reads it, or that reads compiled code which
reads it. Constants that are read while modules are imported, as defaults of arguments or to make
other constants, are reached by all problems.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple, TypeVar

from constants import FOLDER, module_name

# File, first line and name of a function, and the position of the instruction in it.
Place = tuple[str, int, str, int]
Answer = TypeVar("Answer")


class Mention(NamedTuple):
    """A name that an instruction of a function reads."""

    name: str
    place: Place
    is_compiled: bool

    @property
    def function(self) -> str:
        """Name of the function."""
        return self.place[2]


def watched(function: Callable[[], Answer]) -> tuple[Answer, frozenset[Place]]:
    """Call a function, and return what it returns and the instructions of the solver that ran."""
    ran: set[Place] = set()

    def trace(frame: Any, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(str(FOLDER)):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            ran.add(_place(frame.f_code, frame.f_lasti))
        return trace

    sys.settrace(trace)
    try:
        answer = function()
    finally:
        sys.settrace(None)
    return answer, frozenset(ran)


def readers() -> Callable[[str], frozenset[Place] | None]:
    """Return a function that tells the places that read a name; None: it is read at import."""
    every = [mention for path in sorted(FOLDER.rglob("*.py")) for mention in _mentions(path)]

    def read(name: str) -> frozenset[Place] | None:
        if any(mention.name == name and mention.function == "<module>" for mention in every):
            return None
        names: set[str] = set()
        more = {name}
        while more:
            names |= more
            found = [mention for mention in every if mention.name in names]
            more = {mention.function for mention in found if mention.is_compiled} - names
        return frozenset(mention.place for mention in found if not mention.is_compiled)

    return read


def _mentions(path: Path) -> Iterator[Mention]:
    """Yield the names that a file reads; imports and assignments do not count."""
    module = import_module(module_name(path))
    kernels = {
        value.py_func.__code__.co_firstlineno
        for value in vars(module).values()
        if hasattr(value, "py_func") and value.py_func.__module__ == module.__name__
    }
    stack = [compile(path.read_text(encoding="utf-8"), str(path), "exec")]
    while stack:
        code = stack.pop()
        stack += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
        is_compiled = code.co_name != "<module>" and code.co_firstlineno in kernels
        for step in dis.get_instructions(code):
            if step.opname.startswith("LOAD") and isinstance(step.argval, str):
                yield Mention(step.argval, _place(code, step.offset), is_compiled)


def _place(code: CodeType, offset: int) -> Place:
    return code.co_filename, code.co_firstlineno, code.co_name, offset
