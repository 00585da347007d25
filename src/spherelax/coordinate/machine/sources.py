"""Which source files a compiled function is made of, and their digest.

Machine code holds all that its function calls, and the constants that it reads, from whatever file
they come. So code that was kept is used only while no file has changed that the function's file
imports, directly or through other files of the package.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

# A line that imports: a module, and perhaps names from it, which may be modules too.
IMPORT = re.compile(rb"^\s*(?:from|import)\s+([\w.]+)(?:\s+import\s+(\([^)]*\)|[^\n]*))?", re.M)
NAME = re.compile(rb"\w+")


def digest(function: Callable[..., Any]) -> str:
    """Return a digest of the file of a function, and of all that it imports from its package.

    Examples
    --------
    >>> from spherelax.coordinate.graph.tally import moments
    >>> len(digest(moments.py_func))
    64
    """
    package, *inner = function.__module__.split(".")
    path = Path(function.__code__.co_filename)
    return _digest(path, path.parents[len(inner)], package)


@cache
def _digest(path: Path, home: Path, package: str) -> str:
    """Return the digest of a file and of its imports; the folder of the package is in ``home``."""
    found: dict[Path, str] = {}
    waiting = [path]
    while waiting:
        path = waiting.pop()
        if path not in found and path.is_file():
            found[path], modules = _read(path)
            inside = (name.split(".") for name in modules if f"{name}.".startswith(f"{package}."))
            for parts in inside:
                place = home.joinpath(*parts)
                waiting += [place.with_suffix(".py"), place / "__init__.py"]
    facts = sorted((path.relative_to(home).as_posix(), text) for path, text in found.items())
    return hashlib.sha256(repr(facts).encode()).hexdigest()


@cache
def _read(path: Path) -> tuple[str, list[str]]:
    """Return the digest of a file, and the names that it imports and that may be modules."""
    content = path.read_bytes()
    return hashlib.sha256(content).hexdigest(), list(_imports(content))


def _imports(source: bytes) -> Iterator[str]:
    """Yield the modules that a source imports, and the names from them."""
    for module, names in IMPORT.findall(source):
        yield module.decode()
        yield from (f"{module.decode()}.{name.decode()}" for name in NAME.findall(names))
