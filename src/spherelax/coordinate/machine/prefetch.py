"""Ask the processor for memory before it is needed, compiled.

Items, their neighbours and the neighbours' columns lie anywhere in memory. A processor that reads
them one after the other waits most of the time as soon as they do not fit into its cache.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

# Memory of an item is fetched this number of visits before the item is visited; what that memory
# points to, half this number before.
AHEAD = 4
# Number of columns or labels whose sums fit into the cache of a core: they need not be fetched.
CACHED = 1 << 18

# Whether kernels run as they are written: NUMBA_DISABLE_JIT is set.
IS_INTERPRETED = bool(getattr(config, "DISABLE_JIT", False))


def _prefetch(_: Any, array: Any, index: Any) -> Any:
    """Fetch the beginning of row ``index`` of an array into the cache; nothing waits for it.

    Any index will do: memory that is not there is not fetched, and nothing fails.

    Examples
    --------
    >>> import numpy as np
    >>> from numba import njit
    >>> @njit
    ... def total(values, order):
    ...     found = 0.0
    ...     for k in range(len(order)):
    ...         prefetch(values, order[min(k + 8, len(order) - 1)])
    ...         found += values[order[k]]
    ...     return found
    >>> total(np.arange(5.0), np.array([3, 1, 2]))
    6.0
    """

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array_type, index_type = signature.args
        view = context.make_array(array_type)(context, builder, arguments[0])
        row = context.cast(builder, arguments[1], index_type, types.intp)
        offset = builder.mul(row, builder.extract_value(view.strides, 0))
        address = cgutils.pointer_add(builder, view.data, offset)
        byte = builder.bitcast(address, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte.type, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte.type], kind)
        read, in_all_caches, data = number(0), number(3), number(1)
        builder.call(function, [byte, read, in_all_caches, data])
        return context.get_dummy_value()

    return types.none(array, index), build


def _nothing(array: Any, index: Any) -> None:
    """Do nothing, where kernels run as they are written."""


prefetch: Any = _nothing if IS_INTERPRETED else intrinsic(_prefetch)
