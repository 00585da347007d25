"""Machine code that comes with the package, so that the first call need not compile.

A wheel may hold one file for each compiled function and each kind of its arguments. The name of
the file is a digest of all that the code depends on: the function, its arguments, its source files
(`sources`), the versions of Python, Numba and llvmlite, and the platform. So code that does not fit
is not found, and the function is compiled as if there were no file.

The code uses the instructions in `NEEDED` alone; a processor that lacks one of them uses no
file. Which instructions there are does not change a result: Numba neither contracts
products and sums nor reorders sums, unless it is told to, and no function here tells it to.
"""

from __future__ import annotations

import hashlib
import pickle
import sysconfig
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from spherelax.coordinate.machine import sources

FOLDER = Path(__file__).parents[2] / "_machine_code"
ENDING = ".code"

# Per architecture: LLVM's name of the processor that code is made for, and the instructions that
# it may use. x86-64-v3 is what processors have since about 2013.
NEEDED = {
    "x86_64": (
        "x86-64-v3",
        "+avx,+avx2,+bmi,+bmi2,+cx16,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sahf,+sse3,+sse4.1,+sse4.2,"
        "+ssse3,+xsave",
    )
}
ANY_PROCESSOR = ("generic", "")


class DamagedError(Exception):
    """Shipped code is not what was shipped."""


def load(function: Any, kinds: tuple[Any, ...], context: Any) -> Any:
    """Return the code of a function for kinds of arguments; None if none was shipped that fits."""
    if not FOLDER.exists():
        return None
    triple, _, features = context.codegen().magic_tuple()
    if not _instructions(target(triple)[1]) <= _instructions(features):
        return None
    try:
        content = FOLDER.joinpath(name(function, kinds, triple)).read_bytes()
    except OSError:
        return None
    context.refresh()  # so that all is there that code refers to
    return CompileResult._rebuild(context, *pickle.loads(unseal(content)))


def write(folder: Path, dispatcher: Any) -> None:
    """Write the code that this process has for a function, one file for each kind of arguments."""
    for kinds, result in dispatcher.overloads.items():
        triple = result.codegen.magic_tuple()[0]
        content = dumps(result._reduce())
        folder.joinpath(name(dispatcher.py_func, kinds, triple)).write_bytes(seal(content))


def target(triple: str) -> tuple[str, str]:
    """Return the processor that code is made for, and its instructions, in LLVM's words."""
    return NEEDED.get(triple.partition("-")[0], ANY_PROCESSOR)


def name(function: Any, kinds: tuple[Any, ...], triple: str) -> str:
    """Return the name of the file with the code of a function for kinds of arguments."""
    place = f"{function.__module__}.{function.__qualname__}"
    python = sysconfig.get_config_var("EXT_SUFFIX")  # its version as extensions state it
    versions = (python, numba.__version__, llvmlite.__version__)
    facts = (place, *map(str, kinds), *versions, triple, *target(triple), sources.digest(function))
    return f"{place.rpartition('.')[2]}-{hashlib.sha256(repr(facts).encode()).hexdigest()}{ENDING}"


def seal(content: bytes) -> bytes:
    """Return bytes with their checksum behind them."""
    return content + hashlib.sha256(content).digest()


def unseal(content: bytes) -> bytes:
    """Return bytes without the checksum behind them; raise DamagedError if it does not fit."""
    size = hashlib.sha256().digest_size
    if seal(content[:-size]) != content:
        raise DamagedError
    return content[:-size]


def _instructions(features: str) -> set[str]:
    """Return the instructions that a processor has, of LLVM's list."""
    return {feature[1:] for feature in features.split(",") if feature.startswith("+")}
