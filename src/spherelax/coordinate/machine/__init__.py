"""How kernels are compiled, kept on disk, shipped in a wheel, and shared between threads.

Every compiled function of the package has the decorator `compiled`. `prefetch` and its two numbers
fetch memory before it is needed; `Threads` let several threads work on parts of the rows.
"""

from spherelax.coordinate.machine.compiled import compiled
from spherelax.coordinate.machine.prefetch import AHEAD, CACHED, prefetch
from spherelax.coordinate.machine.threads import Items, Threads

__all__ = ["AHEAD", "CACHED", "Items", "Threads", "compiled", "prefetch"]
