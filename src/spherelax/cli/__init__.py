"""The command line: arguments -> io -> solve -> io, plot, report.

NumPy and all that needs it is loaded by ``work``, which is loaded when there is something to do.
"""

from spherelax.cli.commands import cluster, info, main, match, path, report

__all__ = ["cluster", "info", "main", "match", "path", "report"]
