"""Compiling: the one decorator of all kernels, with a cache whose failure does no harm.

Code that came with the package is used if it fits (`shipped`). Else a function is compiled, and
Numba keeps machine code in files beside the source, or in the user's cache folder; it is used
until a source file changes that the function is made of (`sources`). If no folder can be written,
functions are compiled in every process. If a file is damaged, it is not used: what it held is
compiled again, and replaces it. Either is said once, as a warning.

Most functions are called by other compiled functions only. Numba would make machine code of each,
with an entry for Python, and then take its instructions over into its callers, where they are made
machine code again. Here a function that a compiled function calls becomes a part of its caller: no
more than the instructions that the caller takes over. What Python calls is compiled whole and kept.

Parts count no references to arrays, which the functions that Python calls hold for them. So a part
that makes or returns arrays must say that it allocates; one that does not say so is not compiled.

With plain functions of Numba instead of parts, the first answer takes 1.6 times as long where it
has to compile, and every later one 1.3 times as long, with shipped code too, because references are
counted (CPU seconds of problems of 300 and of 20,000 items).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, partial
from typing import Any, ParamSpec, TypeVar, overload

import numpy as np
from numba import njit, types
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

from spherelax.coordinate.machine import shipped, sources
from spherelax.coordinate.machine.prefetch import IS_INTERPRETED

Kernel = Callable[..., Any]
P = ParamSpec("P")
R = TypeVar("R")

_said: list[str] = []


@overload
def compiled(function: Callable[P, R]) -> Callable[P, R]: ...
@overload
def compiled(
    *, allocates: bool = False, error_model: str = "python"
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def compiled(function: Kernel | None = None, *, allocates: bool = False, **options: Any) -> Any:
    """Compile a function when it is first called; it runs without the interpreter's lock.

    With NUMBA_DISABLE_JIT=1 the function runs as it is written, to be debugged: same labels, slow.

    Parameters
    ----------
    function : callable, optional
        The function; without it, the decorator with options is returned.
    allocates : bool
        Whether it makes or returns arrays, and other compiled functions call it.
    **options
        Other options of :func:`numba.njit`.

    Examples
    --------
    >>> import numpy as np
    >>> from spherelax.coordinate.graph.tally import moments
    >>> moments(np.array([0, 1, 1]), np.array([1.0, 2.0, 3.0]), 2)[1]
    array([1., 5.])
    """
    if function is None:
        return partial(compiled, allocates=allocates, **options)
    if IS_INTERPRETED:  # numbers overflow without a word in compiled code
        return np.errstate(all="ignore")(function)
    options["no_cfunc_wrapper"] = True
    dispatcher: Any = njit(nogil=True, **options)(function)
    part = _part(function, _nrt=allocates, **options)
    dispatcher.get_call_template = partial(_call_widened, part)
    dispatcher.get_overload = part.get_overload
    dispatcher._cache = _Cache(function)
    return dispatcher


def _part(function: Kernel, **options: Any) -> Any:
    """Return the dispatcher that compiles a function as a part of those that call it."""
    options["no_cpython_wrapper"] = True
    part: Any = njit(nogil=True, pipeline_class=_PartCompiler, **options)(function)
    part.add_overload = partial(_offer, part)
    return part


def _call_widened(part: Any, arguments: Any, keywords: Any) -> Any:
    """Find the part for a call; one does for all signed integers, and for constants."""
    wide = [types.unliteral(kind) for kind in arguments]
    wide = [types.int64 if kind in types.signed_domain else kind for kind in wide]
    return part.get_call_template(wide, keywords)


def _offer(part: Any, result: Any) -> None:
    """Let other functions call a compiled part; the key stands for its entry, which it lacks."""
    if not part.targetoptions["_nrt"] and _owns_arrays(result.fndesc, part.targetctx):
        raise TypeError(f"{part.py_func.__name__} owns arrays: it must say that it allocates")
    key = object()
    part.targetctx.insert_user_function(key, result.fndesc, [result.library])
    part.overloads[tuple(result.signature.args)] = result._replace(entry_point=key)


def _owns_arrays(described: Any, context: Any) -> bool:
    """Tell whether a function, or one that it calls, returns an array."""
    called = (
        signature.return_type
        for call, signature in described.calltypes.items()
        if getattr(call, "op", "") == "call"
        and isinstance(described.typemap[call.func.name], types.Dispatcher)
    )
    models = (context.data_model_manager[kind] for kind in (described.restype, *called))
    return any(model.contains_nrt_meminfo() for model in models)


class _PartCompiler(Compiler):
    """Numba's compiler, which ends before there is machine code."""

    def define_pipelines(self) -> Any:
        """Return Numba's steps; their result is a part."""
        self.state.flags.no_compile = True
        self.state.library = _Part(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super().define_pipelines()


class _Part(JITCodeLibrary):
    """The instructions of a function and of its parts, for its callers: nothing that can run."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _Cache(NullCache):
    """The code of a function on disk: what came with the package, then what was kept here."""

    def __init__(self, function: Kernel) -> None:
        self._function = function
        self._digest = sources.digest(function)  # now: files may change before it is compiled

    @cached_property
    def _kept(self) -> Any:
        try:
            return _Kept(self._function, self._digest)
        except (RuntimeError, OSError):
            _say("no folder for it can be written", "set NUMBA_CACHE_DIR to one that can")
            return NullCache()

    @property
    def cache_path(self) -> Any:
        """The folder in which compiled code is kept."""
        return self._kept.cache_path

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled before; None if there is nothing that can be used."""
        try:
            found = shipped.load(self._function, sig, target_context)
        except Exception:  # damaged files raise anything
            _say(f"files in {shipped.FOLDER} are damaged", "install the package again")
            found = None
        return self._kept.load_overload(sig, target_context) if found is None else found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if that is possible."""
        self._kept.save_overload(sig, data)

    def flush(self) -> None:
        """Forget what was kept here."""
        self._kept.flush()


class _Kept(FunctionCache):
    """Numba's cache of a function; a damaged or unwritable file is as good as none."""

    def __init__(self, function: Kernel, digest: str) -> None:
        super().__init__(function)
        self._cache_file = _SealedFile(self._cache_path, self._impl.filename_base, digest)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled before; None if there is nothing that can be used."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # damaged files raise anything
            _say(f"files in {self._cache_path} are damaged", "they are replaced")
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if that is possible."""
        try:
            super().save_overload(sig, data)
        except Exception:  # as above, and a full or read-only disk
            _say(f"{self._cache_path} cannot be written", "set NUMBA_CACHE_DIR to another folder")


class _SealedFile(IndexDataCacheFile):
    """Cache files that end in a checksum: machine code that is damaged must not run.

    Numba reads the version before anything that old sources may have named otherwise, so the digest
    of the sources belongs to it.
    """

    def __init__(self, cache_path: str, filename_base: str, digest: str) -> None:
        super().__init__(cache_path, filename_base, digest)
        self._version += f" {digest}"

    def _dump(self, obj: Any) -> bytes:
        return shipped.seal(super()._dump(obj))

    def _load_data(self, name: str) -> Any:
        with open(self._data_path(name), "rb") as file:  # noqa: PTH123 (as Numba's own names)
            shipped.unseal(file.read())
        return super()._load_data(name)


def _say(reason: str, advice: str) -> None:
    """Warn that compiled code is not kept; only the first reason is told."""
    if _said:
        return
    _said.append(reason)
    warnings.warn(
        f"Compiled code was not taken from disk or kept there: {reason}; {advice}. "
        "Until then, functions are compiled when they are first used, which takes seconds.",
        RuntimeWarning,
        stacklevel=3,
    )
