"""Checksums of files that are kept: damage is told, with the name of the file and what to do.

A checksum begins with the place of its file, so that files that were swapped are told too. Arrays
and archives have it behind their content, JSON as a value of its own; those of Parquet files are
kept in another file. They are against damage, not against an attacker.
"""

from __future__ import annotations

import json
import re
from hashlib import file_digest
from pathlib import Path
from typing import Any
from zlib import crc32

from spherelax.errors import InvalidInputError
from spherelax.io.files.faults import about
from spherelax.io.files.source import Source
from spherelax.io.files.writing import replace_file

# Folders of which there are several, whose files have the same names.
SEVERAL = re.compile(r"shard-\d+")
# Without one of these files, its whole folder is made again.
WHOLE = ("manifest.json", "judgements.npz", "edges.parquet", "items.parquet", "work.duckdb")
BLOCK = 1 << 20
SIZE = 4
CHECKSUM = "checksum"


def start_seal(path: Path) -> int:
    """Return the checksum of a file in which nothing is written yet: that of its place."""
    folder = path.parent.name
    return crc32(f"{folder if SEVERAL.fullmatch(folder) else ''}/{path.name}".encode())


def sum_file(path: Path) -> int:
    """Return the checksum of a file as it is.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "edges.parquet")
    ...     _ = path.write_bytes(b"PAR1")
    ...     sum_file(path) == crc32(b"/edges.parquetPAR1")
    True
    """
    found = start_seal(path)
    with about(path), path.open("rb") as file:
        while block := file.read(BLOCK):
            found = crc32(block, found)
    return found


def digest_file(path: Path) -> str:
    """Return what tells the content of a file from any other, whatever the file is called."""
    with about(path), path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def check_file(path: Path, checksum: int) -> None:
    """Refuse a file that has another checksum than it had."""
    if not path.is_file() or sum_file(path) != checksum:
        raise damaged(path)


def damaged(path: Path) -> InvalidInputError:
    """Return the error about a file that is not as it was written: it says what to do.

    Examples
    --------
    >>> print(damaged(Path("shards/round-02.npz")))
    shards/round-02.npz: was damaged after it was written; delete it and run again with the same \
settings
    """
    if path.name in WHOLE:
        folder = path.parent.parent if SEVERAL.fullmatch(path.parent.name) else path.parent
        advice = f"delete the folder {folder}"
    elif SEVERAL.fullmatch(path.parent.name):
        advice = "delete it and all round-*.npz beside it"
    else:
        advice = "delete it"
    return InvalidInputError(
        f"{path}: was damaged after it was written; {advice} and run again with the same settings"
    )


def seal_bytes(path: Path, content: bytes) -> None:
    """Write a file with its checksum behind."""
    found = crc32(content, start_seal(path))
    replace_file(path, content + found.to_bytes(SIZE, "little"))


def check_bytes(path: Path) -> memoryview:
    """Return the content of a file; refuse it if the checksum behind it does not fit."""
    with about(path):
        content = memoryview(path.read_bytes())
    if crc32(content[:-SIZE], start_seal(path)) != int.from_bytes(content[-SIZE:], "little"):
        raise damaged(path)
    return content[:-SIZE]


def seal_json(path: Path, content: dict[str, Any]) -> None:
    """Write values as JSON, with their checksum."""
    sealed = {**content, CHECKSUM: _sum_json(path, json.dumps(content))}
    replace_file(path, json.dumps(sealed, indent=1).encode())


def read_json(path: Path) -> dict[str, Any]:
    """Read what `seal_json` wrote.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "settings.json")
    ...     seal_json(path, {"n_steps": 30})
    ...     found = read_json(path)
    ...     path.write_text(path.read_text().replace("30", "31")) > 0
    ...     read_json(path)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
        ...
    spherelax.errors.InvalidInputError: settings.json: was damaged after it was written
    """
    if not path.exists():
        raise InvalidInputError(f"{path}: No such file or directory")
    try:
        found: dict[str, Any] = json.loads(Source(path).text)
        checksum = found.pop(CHECKSUM)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise damaged(path) from None
    if checksum != _sum_json(path, json.dumps(found)):
        raise damaged(path)
    return found


def _sum_json(path: Path, content: str) -> int:
    """Return the checksum of values as JSON."""
    return crc32(content.encode(), start_seal(path))
