"""A process that works for another one: a task per line in, an answer per line out."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import warnings
from importlib import import_module
from queue import SimpleQueue

from spherelax.errors import SphereWarning
from spherelax.io.answers.packed import Values
from spherelax.scale.tasks import Fault

# What the process runs. Its own search path is not used, so that no file beside it is.
PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.stdin.readline())
from spherelax.scale.worker import serve
serve()
"""


def serve() -> None:
    """Do what comes by standard input; end when that is closed, even in the middle of a task.

    Ctrl-C is for the process that gives the tasks. What libraries print goes to standard error.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore", SphereWarning)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    orders: SimpleQueue[Values] = SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    while True:
        answers.write(json.dumps(answer(orders.get())) + "\n")
        answers.flush()


def answer(order: Values) -> list[str] | None:
    """Do a task; return what went wrong, or None.

    Examples
    --------
    >>> answer({"work": ["os", "rmdir"], "arguments": ["nowhere"]})
    ['input', "[Errno 2] No such file or directory: 'nowhere'"]
    """
    module, name = order["work"]
    try:
        getattr(import_module(module), name)(*order["arguments"])
    except Exception as error:  # the other process raises it
        return list(Fault.of(error))
    return None


def _listen(orders: SimpleQueue[Values]) -> None:
    """Take orders; without the process that gives them, there is nothing to do."""
    for line in sys.stdin:
        orders.put(json.loads(line))
    os._exit(0)
