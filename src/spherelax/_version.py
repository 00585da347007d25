"""The version of the package, for those of its parts that write it into files."""

__version__ = "0.1.0"
