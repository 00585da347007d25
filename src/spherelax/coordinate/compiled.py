"""How the compiled functions of the solver are compiled: one decorator for each of two kinds.

A `kernel` is called from Python. An `inner` function is called by compiled functions only: calling
it from Python fails; tests call its ``py_func``, the same function uncompiled. Compiled code is
kept on disk, and other threads may run while it runs.

Numba makes two wrappers for each function, one for Python and one for C. Without those that are not
used, the first call after installation takes a seventh less time. Division by zero, which does not
occur, follows NumPy: functions that can raise take longer, for Numba then counts references to
their arrays.
"""

from __future__ import annotations

from typing import Any

from numba import njit

_KERNEL: dict[str, Any] = {"cache": True, "nogil": True, "no_cfunc_wrapper": True}
_INNER: dict[str, Any] = {**_KERNEL, "no_cpython_wrapper": True, "error_model": "numpy"}

kernel = njit(**_KERNEL)
inner = njit(**_INNER)
