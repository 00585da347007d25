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

import constants
from constants import Constant

# File, first line and name of a function, and the position of the instruction in it.
Place = tuple[str, int, str, int]
Answer = TypeVar("Answer")


class Mention(NamedTuple):
    """A name that an instruction reads, and the module that assigns it; None: any may."""

    owner: str | None
    name: str
    module: str
    place: Place
    is_compiled: bool

    @property
    def function(self) -> str:
        """Name of the function that the instruction belongs to."""
        return self.place[2]

    def is_of(self, names: set[tuple[str, str]]) -> bool:
        """Tell whether the name is among some, given with their modules."""
        return any(self.name == name and self.owner in (None, owner) for owner, name in names)


def watched(function: Callable[[], Answer]) -> tuple[Answer, frozenset[Place]]:
    """Call a function, and return what it returns and the instructions of the solver that ran."""
    ran: set[Place] = set()
    solver = {str(path) for path in constants.files()}

    def trace(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in solver:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            ran.add(_place(frame.f_code, frame.f_lasti))
        return trace

    sys.settrace(trace)
    try:
        answer = function()
    finally:
        sys.settrace(None)
    return answer, frozenset(ran)


class Readers:
    """Who reads a constant: instructions, and compiled functions that hold a copy of it."""

    def __init__(self) -> None:
        self.every = [mention for path in constants.files() for mention in _mentions(path)]

    def places(self, constant: Constant) -> frozenset[Place] | None:
        """Return the instructions that read a constant; None: it is read at import."""
        name = f"{constants.PACKAGE}.{constant.module}", constant.name
        if any(one.is_of({name}) and one.function == "<module>" for one in self.every):
            return None
        names = {name, *self.kernels(constant)}
        found = (mention for mention in self.every if mention.is_of(names))
        return frozenset(mention.place for mention in found if not mention.is_compiled)

    def kernels(self, constant: Constant) -> set[tuple[str, str]]:
        """Return the compiled functions that hold a copy of a constant, with their modules."""
        names: set[tuple[str, str]] = set()
        more = {(f"{constants.PACKAGE}.{constant.module}", constant.name)}
        while more:
            names |= more
            found = [one for one in self.every if one.is_compiled and one.is_of(more)]
            more = {(one.module, one.function) for one in found} - names
        return {(module, name) for module, name in names if name != constant.name}


def _mentions(path: Path) -> Iterator[Mention]:
    """Yield the names that a file reads; imports and assignments do not count."""
    module = import_module(constants.module_name(path))
    owners = constants.owners(path)
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
            is_attribute = step.opname in ("LOAD_ATTR", "LOAD_METHOD")
            if is_attribute or step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                owner = None if is_attribute else owners.get(step.argval, "")
                place = _place(code, step.offset)
                yield Mention(owner, step.argval, module.__name__, place, is_compiled)


def _place(code: CodeType, offset: int) -> Place:
    return code.co_filename, code.co_firstlineno, code.co_name, offset
