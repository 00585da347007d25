"""A server for one page: on this machine only, for who knows its address."""

from __future__ import annotations

import re
import secrets
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs

from spherelax.asking.page import POLICY, Shown
from spherelax.asking.session import Session
from spherelax.errors import InvalidInputError, shown
from spherelax.judgements import WORDS

HOST = "127.0.0.1"
TOKEN_BYTES = 16
# Bytes of a form at most, and seconds for which a connection may be silent.
MAX_BYTES, SILENT = 1000, 30
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
PLAIN = re.compile("[0-9]{1,12}")  # a number of a request
VERDICTS = {said: same for same, said in WORDS.items()}


class Server(ThreadingHTTPServer):
    """A server that asks the questions of a session on a page.

    It listens on the loopback address, at a free port. The only address that it answers has a
    random token; what comes with another host or from another origin is refused.

    Parameters
    ----------
    session : Session
        What is asked, and where answers are kept.
    shown : Shown
        How it is shown.

    Attributes
    ----------
    address : str
        Where the page is.
    """

    daemon_threads = True

    def __init__(self, session: Session, shown: Shown) -> None:
        super().__init__((HOST, 0), Handler)
        self.session, self.shown = session, shown
        self.origin = f"http://{HOST}:{self.server_port}"
        self.path = f"/{secrets.token_urlsafe(TOKEN_BYTES)}/"
        self.address = self.origin + self.path

    def server_close(self) -> None:
        """Close the server and its session."""
        super().server_close()
        self.session.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that goes away."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Answers one request: the page, or a form of the page."""

    server: Server
    timeout: ClassVar[int] = SILENT
    server_version, sys_version = "spherelax", ""
    error_message_format, error_content_type = "%(explain)s\n", "text/plain; charset=utf-8"

    def do_GET(self) -> None:
        """Send the page."""
        if self._is_allowed():
            self._send_page()

    def do_POST(self) -> None:
        """Keep an answer, or undo the last one, and send the browser back to the page."""
        if not self._is_allowed(is_post=True) or (form := self._read_form()) is None:
            return
        try:
            if "undo" in form:
                self.server.session.undo()
            else:
                self.server.session.answer(*self._read_answer(form))
        except InvalidInputError as error:
            self._send_page(HTTPStatus.CONFLICT, f"Not kept: {error}")
            return
        self.send_response(HTTPStatus.SEE_OTHER)
        self.send_header("Location", self.server.path)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *values: object) -> None:
        """Say nothing: the address with its token belongs in no log."""

    def _is_allowed(self, *, is_post: bool = False) -> bool:
        """Tell whether a request is for this server; else refuse it."""
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        own = self.server.origin
        if f"http://{host}" != own:
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, f"the host must be {own}")
        elif origin not in ((own,) if is_post else (own, None)):
            self._refuse(HTTPStatus.FORBIDDEN, "other origins are refused")
        elif not secrets.compare_digest(self.path.encode(), self.server.path.encode()):
            self._refuse(HTTPStatus.NOT_FOUND, "the address must be the one that was printed")
        else:
            return True
        return False

    def _read_form(self) -> dict[str, str] | None:
        """Read the fields of a form; refuse one that is too long, or does not say how long."""
        length = self.headers.get("Content-Length", "")
        if not PLAIN.fullmatch(length):
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "a form must say how long it is")
            return None
        if int(length) > MAX_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {MAX_BYTES} bytes")
            return None
        fields = parse_qs(self.rfile.read(int(length)).decode(errors="replace"))
        return {name: values[-1] for name, values in fields.items()}

    def _read_answer(self, form: dict[str, str]) -> tuple[tuple[int, int], bool | None]:
        """Return a pair and whether its items are the same; refuse anything else."""
        n_items, ends = self.server.session.items.n_items, [form.get(name, "") for name in "ab"]
        numbers = [int(end) for end in ends if PLAIN.fullmatch(end) and int(end) < n_items]
        if len(set(numbers)) < 2:
            raise InvalidInputError(f"an answer must be of two items; found {shown(ends)}")
        verdict = form.get("verdict", "")
        if verdict not in VERDICTS:
            raise InvalidInputError(
                f"an answer must be one of {', '.join(VERDICTS)}; found {shown(verdict)}"
            )
        return (numbers[0], numbers[1]), VERDICTS[verdict]

    def _send_page(self, status: HTTPStatus = HTTPStatus.OK, said: str = "") -> None:
        """Send the page with the next question."""
        session = self.server.session
        try:
            content = self.server.shown.page(session.state(), session.store, said).encode()
        except InvalidInputError as error:
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))
            return
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        """Refuse a request; what follows on the connection is not read."""
        self.close_connection = True
        self.send_error(status, explain=why)
