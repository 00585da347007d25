"""A file while it is read: its text is read once, and its format is found once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from spherelax.errors import InvalidInputError
from spherelax.io.files.faults import about


@dataclass(eq=False)
class Source:
    r"""A file that several functions use: its path, its format and its text.

    Attributes
    ----------
    path : Path
        The file.
    format : str or None
        The format of the file, from :func:`format_of`; None if that was not called yet.
    text : str
        The whole text of a text file, without a byte order mark.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "edges.csv")
    ...     _ = path.write_text("ann,anna\n")
    ...     source = Source(path)
    ...     source.ending, source.text
    ('.csv', 'ann,anna\n')
    """

    path: Path
    format: str | None = None

    @classmethod
    def of(cls, file: File) -> Source:
        """Return a source unchanged, or make one of a path."""
        return file if isinstance(file, Source) else cls(Path(file))

    @property
    def ending(self) -> str:
        """Ending of the file, in small letters."""
        return self.path.suffix.lower()

    @cached_property
    def text(self) -> str:
        """Content of a UTF-8 file; an error names the row."""
        with about(self.path):
            content = self.path.read_bytes()
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            row = error.object.count(b"\n", 0, error.start) + 1
            byte = error.object[error.start]
            raise InvalidInputError(
                f"{self.path}, row {row}: must be text in UTF-8; found byte 0x{byte:02x}"
            ) from None

    def __str__(self) -> str:
        return str(self.path)


File = str | Path | Source
