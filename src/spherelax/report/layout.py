"""The frame of a page: its head, its contents, and its sections one below the other."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from string import Template
from typing import NamedTuple

from spherelax._version import __version__
from spherelax.report.markup import embedded, packaged, text


class Section(NamedTuple):
    """A part of the page: its id for links, its heading and its HTML."""

    id: str
    heading: str
    body: str


def render(
    title: str,
    sections: Sequence[Section],
    *,
    before: str = "",
    script: str = "",
    data: object = None,
) -> str:
    """Return a page that needs no other files; ``before`` is HTML that stands before all sections.

    Examples
    --------
    >>> page = render("Entities", [Section("input", "Input", "<p>Three records.</p>")])
    >>> '<h2 id="input">Input</h2><p>Three records.</p>' in page
    True
    """
    body = "\n".join(
        f'<section aria-labelledby="{part.id}"><h2 id="{part.id}">{part.heading}</h2>'
        f"{part.body}</section>"
        for part in sections
    )
    return Template(packaged("page.html")).substitute(
        title=text(title),
        style=packaged("page.css"),
        script=script,
        script_hash=script_hash(script),
        contents="".join(f'<li><a href="#{part.id}">{part.heading}</a></li>' for part in sections),
        sections=before + body,
        data=embedded(data),
        version=text(__version__),
    )


def script_hash(script: str) -> str:
    """Return the hash of our script; the browser runs no other one.

    Examples
    --------
    >>> script_hash("")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"
