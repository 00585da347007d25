"""Small pieces of HTML. All text from the data must go through `text`."""

from __future__ import annotations

import html
import json
import pkgutil
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

# Longest name, in characters; longer ones are shortened.
MAX_NAME = 60
# Characters of the user's own columns that are shown beside a name.
MAX_OWN = 80
# Classes of invisible characters that change the direction of the text after them.
TURNING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


def text(value: object) -> str:
    r"""Escape text for HTML, in an element or a quoted attribute.

    Examples
    --------
    >>> text('<script>alert("1")</script>')
    '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;'
    """
    return html.escape(plain(value), quote=True)


def plain(value: object) -> str:
    r"""Return text without invisible and invalid characters, so that it can be shown.

    Examples
    --------
    >>> plain("two\nlines, half a pair \ud800")
    'two lines, half a pair �'
    """
    return "".join(map(_visible, str(value)))


def shortened(value: object, length: int = MAX_NAME) -> str:
    """Return a name as it is shown; of a long one both ends, because names may differ at either.

    Examples
    --------
    >>> shortened("photographs/2024/castle/north/0001.jpg:75", 24)
    'photographs/…0001.jpg:75'
    """
    short = plain(value)
    if len(short) <= length:
        return short
    half = (length - 1) // 2
    return f"{short[: length - 1 - half]}…{short[-half:]}"


def name(value: object) -> str:
    """Return a name from the data as HTML; it may be written from right to left.

    Examples
    --------
    >>> name("a < b")
    '<bdi>a &lt; b</bdi>'
    """
    return f"<bdi>{text(shortened(value))}</bdi>"


def isolated(value: object) -> str:
    r"""Return a name for places where HTML elements are not allowed, such as in an option.

    Examples
    --------
    >>> isolated("a < b")
    '\u2068a &lt; b\u2069'
    """
    return f"\u2068{text(shortened(value))}\u2069"


def embedded(data: object) -> str:
    r"""Return data as JSON that is safe inside a script element.

    Examples
    --------
    >>> embedded(["</script>", "<!--"])
    '["\\u003c/script\\u003e","\\u003c!--"]'
    """
    packed = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        packed = packed.replace(character, f"\\u{ord(character):04x}")
    return packed


def facts(rows: Iterable[tuple[str, str, str]]) -> str:
    """Return a list of terms; each row is a term, its number and a note, all HTML."""
    said = "".join(
        f"<div><dt>{term}</dt><dd><b>{number}</b> <span>{note}</span></dd></div>"
        for term, number, note in rows
    )
    return f'<dl class="facts">{said}</dl>'


def table(
    caption: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Sequence[int] = (),
    id: str = "",
    is_stacked: bool = False,
) -> str:
    """Return a table; its cells are HTML, the first of each row names the row.

    ``numbers`` are the columns that hold numbers. On a narrow screen the rows of a stacked table
    become blocks.
    """
    kinds = [' class="number"' if column in numbers else "" for column in range(len(heads))]
    head = "".join(
        f'<th scope="col"{kind}>{said}</th>' for kind, said in zip(kinds, heads, strict=True)
    )
    body = "".join(f"<tr>{_cells(kinds, row, heads)}</tr>" for row in rows)
    place = (f' id="{id}"' if id else "") + (' class="stack"' if is_stacked else "")
    return (
        f"<table{place}><caption>{caption}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def bars(caption: str, head: tuple[str, str], rows: Iterable[tuple[str, int]], id: str = "") -> str:
    """Return a bar chart that is a table: a name, a bar and a number in each row."""
    pairs = list(rows)
    top = max((n for _, n in pairs), default=0) or 1
    body = "".join(
        f'<tr><th scope="row">{said}</th><td><span class="bar" style="width:{100 * n / top:.1f}%">'
        f'</span><span class="number">{n:,}</span></td></tr>'
        for said, n in pairs
    )
    place = f' id="{id}"' if id else ""
    return (
        f'<table class="bars"{place}><caption>{caption}</caption><thead><tr>'
        f'<th scope="col">{head[0]}</th><th scope="col">{head[1]}</th></tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def own_columns(details: Mapping[str, Sequence[object]], item: int) -> str:
    """Return what the user's own columns say of an item, as one text.

    Examples
    --------
    >>> own_columns({"name": ["Ann", "Bo"], "town": [None, "Lund"]}, 1)
    'Bo, Lund'
    """
    own = (values[item] for values in details.values())
    said = plain(", ".join(str(value) for value in own if value is not None))
    return said if len(said) <= MAX_OWN else f"{said[: MAX_OWN - 1]}…"


def packaged(filename: str, module: str = __name__) -> str:
    """Return the text of a file that comes with the package, beside a module."""
    return (pkgutil.get_data(module, filename) or b"").decode()


def _cells(kinds: Sequence[str], row: Sequence[str], heads: Sequence[str]) -> str:
    """Return the cells of a row; each holds the name of its column, for narrow screens."""
    first = f'<th scope="row" data-head="{heads[0]}"{kinds[0]}>{row[0]}</th>'
    return first + "".join(
        f'<td data-head="{head}"{kind}>{said}</td>'
        for kind, said, head in zip(kinds[1:], row[1:], heads[1:], strict=True)
    )


def _visible(character: str) -> str:
    """Return a space for any white space, and a replacement mark for characters that do harm."""
    if character.isspace():
        return " "
    is_broken = unicodedata.category(character) in ("Cc", "Cs")
    return "\ufffd" if is_broken or unicodedata.bidirectional(character) in TURNING else character
