"""Damage to the content of files: any bytes, and what their formats are most sensitive to."""

import io
import sqlite3
import tempfile
import zipfile
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

ODD_BYTES = [b"", b"\0", b"\xff" * 8, b"\x7f" + b"\xff" * 7, b"\r", b"\n\n", b"\xc3", b'"', b"\x1b"]
ODD_CELLS = [
    *("", " ", "nan", "inf", "-inf", "-1", "0", "1e400", "1e-400", "1e308", "9" * 400, "-0.0"),
    *('"', "'", "#", "%", "\0", "\ufeff", "é" * 1000, "=1+1", "0x10", "1_000", "True", "a,b"),
    *(",", ";", "\t", "\r\n", "1 2 3", "item", "group", "id", "2147483648", "18446744073709551616"),
]  # fmt: skip
ODD_NUMBERS = [np.nan, np.inf, -np.inf, -1.0, 0.0, 1.0, 2.0, 1e308, -1e308, 5e-324, 2.0**63]
ODD_SHAPES = ["()", "(0,)", "(-1,)", "(99999999999999,)", "(4294967296, 4294967296)", "(3, 3, 3)"]
ODD_TYPES = ["|O", "<f2", "<f16", "<c16", "<U9", "|S3", "<M8[D]", "|b1", ">f8", "<i1", "nonsense"]
ODD_VALUES = [None, -1, 0, 2**31, 2**62, 1.5, "text", "", b"", b"\xff" * 7, 3, "9" * 30]


def damaged(content: bytes, ending: str, rng: np.random.Generator) -> bytes:
    """Return the content of a file with one to three faults."""
    kinds = {
        ".npz": (_bytes_changed, _archive_changed, _numbers_changed),
        ".npy": (_bytes_changed, _header_changed),
        ".db": (_bytes_changed, _values_changed),
        **dict.fromkeys((".csv", ".txt", ".tsv", ".mtx"), (_bytes_changed, _cell_changed)),
    }.get(ending, (_bytes_changed,))
    for _ in range(rng.integers(1, 4)):
        change = kinds[rng.integers(len(kinds))]
        with suppress(Exception):  # what is damaged already may not be open to more
            content = change(content, rng)
    return content


def _bytes_changed(content: bytes, rng: np.random.Generator) -> bytes:
    """Flip, cut, insert, repeat or overwrite bytes anywhere."""
    if not content:
        return bytes(rng.integers(0, 256, 20, dtype=np.uint8))
    at, end = np.sort(rng.integers(0, len(content) + 1, 2)).tolist()
    short = min(end, at + int(rng.integers(1, 64)))
    bit = content[at : at + 1] and bytes([content[at] ^ 1 << int(rng.integers(8))])
    odd = ODD_BYTES[rng.integers(len(ODD_BYTES))]
    flipped = content[:at] + bit + content[at + 1 :]
    variants = [
        *(flipped,) * 3,
        content[:at],
        content[:at] + rng.bytes(int(rng.integers(1, 40))) + content[at:],
        content[:at] + content[short:],
        content[:short] + content[at:],
        content[:at] + b"\0" * (short - at) + content[short:],
        content[:at] + odd + content[at + len(odd) :],
    ]
    return variants[rng.integers(len(variants))]


def _cell_changed(content: bytes, rng: np.random.Generator) -> bytes:
    """Replace a cell of a table by an odd one, or a line by another."""
    lines = content.decode().split("\n")
    at = int(rng.integers(len(lines)))
    separator = next((mark for mark in (",", "\t", " ") if mark in lines[at]), ",")
    cells = lines[at].split(separator)
    cells[rng.integers(len(cells))] = ODD_CELLS[rng.integers(len(ODD_CELLS))]
    lines[at] = separator.join(cells)
    if rng.random() < 0.2:
        lines[at] = lines[rng.integers(len(lines))]
    if rng.random() < 0.1:
        lines[at] += separator + "more"
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _packed(members: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return content.getvalue()


def _archive_changed(content: bytes, rng: np.random.Generator) -> bytes:
    """Damage, drop, double or rename an array of an archive, whose checksums stay right."""
    members = _members(content)
    name = list(members)[rng.integers(len(members))]
    choice = rng.integers(5)
    if choice == 0:
        members[name] = _header_changed(members[name], rng)
    elif choice == 1:
        members[name] = _bytes_changed(members[name], rng)
    elif choice == 2:
        del members[name]
    elif choice == 3:
        members[name] = members[list(members)[rng.integers(len(members))]]
    else:
        members[f"{'x' * 300}.npy"] = members[name]
    return _packed(members)


def _numbers_changed(content: bytes, rng: np.random.Generator) -> bytes:
    """Replace one or all numbers of an array by odd ones."""
    members = _members(content)
    name = list(members)[rng.integers(len(members))]
    array = np.load(io.BytesIO(members[name]))
    odd = ODD_NUMBERS[rng.integers(len(ODD_NUMBERS))]
    with np.errstate(all="ignore"):
        value = np.asarray(odd).astype(array.dtype)
    if array.ndim == 0 or rng.random() < 0.3:
        array = np.full_like(array, value)
    elif rng.random() < 0.2:
        array = rng.permutation(array)
    else:
        array.flat[rng.integers(array.size)] = value
    changed = io.BytesIO()
    np.save(changed, array)
    members[name] = changed.getvalue()
    return _packed(members)


def _header_changed(content: bytes, rng: np.random.Generator) -> bytes:
    """Give an array another shape or type than it has."""
    array = np.load(io.BytesIO(content))
    header = {"descr": array.dtype.str, "fortran_order": False, "shape": str(array.shape)}
    if rng.random() < 0.5:
        header["shape"] = ODD_SHAPES[rng.integers(len(ODD_SHAPES))]
    else:
        header["descr"] = ODD_TYPES[rng.integers(len(ODD_TYPES))]
    text = f"{{'descr': {header['descr']!r}, 'fortran_order': False, 'shape': {header['shape']}}}\n"
    return b"\x93NUMPY\x01\0" + len(text).to_bytes(2, "little") + text.encode() + array.tobytes()


def _values_changed(content: bytes, rng: np.random.Generator) -> bytes:
    """Write odd values into a table of a database."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "database.db")
        path.write_bytes(content)
        with closing(sqlite3.connect(path)) as database:
            tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master")]
            table = tables[rng.integers(len(tables))]
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            column = columns[rng.integers(len(columns))]
            rows = database.execute(f"SELECT rowid FROM {table}").fetchall()
            row = rows[rng.integers(len(rows))][0]
            value = ODD_VALUES[rng.integers(len(ODD_VALUES))]
            with suppress(sqlite3.Error):
                database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, row))
            if rng.random() < 0.1:
                database.execute(f"DROP TABLE {table}")
            database.commit()
        return path.read_bytes()
