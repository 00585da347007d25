"""The command line: it reads files, solves, and writes labels, pictures and reports.

NumPy and everything that needs it is imported by ``work``, and that only when a command runs, so
that ``--help`` is quick.
"""

from spherelax.cli.commands import cluster, info, main, match, path, report, scale

__all__ = ["cluster", "info", "main", "match", "path", "report", "scale"]
