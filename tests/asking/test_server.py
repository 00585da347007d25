"""The server: who may ask, for what, and how much."""

import http.client
import re
import socket
from urllib.parse import urlencode

import pytest

from spherelax.asking.server import MAX_BYTES


def ask(server, method="GET", path=None, body=None, **headers):
    """Send a request; return the status, the headers and the text."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    sent = {"Host": server.origin.removeprefix("http://"), "Origin": server.origin, **headers}
    connection.request(
        method,
        server.path if path is None else path,
        body,
        {name: value for name, value in sent.items() if value is not None},
    )
    answer = connection.getresponse()
    found = answer.status, answer.headers, answer.read().decode()
    connection.close()
    return found


def question(server):
    """The two items of the next question."""
    return re.findall(r'type="hidden" name="[ab]" value="(\d+)"', ask(server)[2])


def give(server, verdict, pair=None, **headers):
    """Answer the next question."""
    a, b = pair or question(server)
    return ask(server, "POST", body=urlencode({"a": a, "b": b, "verdict": verdict}), **headers)


def test_page_and_answers(server):
    status, headers, text = ask(server)
    assert status == 200
    assert "Do these two records belong to one entity?" in text
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
    assert headers["Cache-Control"] == "no-store"
    status, headers, _ = give(server, "same")
    assert (status, headers["Location"]) == (303, server.path)
    assert server.session.n_answers == 1
    assert ask(server, "POST", body="undo=1")[0] == 303
    assert server.session.n_answers == 0


def test_it_listens_on_this_machine_only(server):
    assert server.server_address[0] == "127.0.0.1"
    assert len(server.path) > 20
    name = socket.gethostbyname(socket.gethostname())
    if name != "127.0.0.1":
        with pytest.raises(OSError), socket.create_connection((name, server.server_port), 2):  # noqa: PT011
            pass


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "localhost:80"}, 421),
        ({"Host": ""}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_other_hosts_and_origins_are_refused(server, method, headers, status):
    pair = question(server)
    body = urlencode({"a": pair[0], "b": pair[1], "verdict": "same"}) if method == "POST" else None
    found, _, text = ask(server, method, body=body, **headers)
    assert found == status
    assert server.path not in text
    assert server.session.n_answers == 0


def test_an_answer_needs_an_origin(server):
    assert give(server, "same", Origin=None)[0] == 403
    assert ask(server, Origin=None)[0] == 200


@pytest.mark.parametrize(
    "path", ["/", "/favicon.ico", "/x/", "{own}x", "{own}?a=1", "{own}../", "/../etc/passwd", "//"]
)
def test_other_paths_are_refused(server, path):
    for method in ("GET", "POST"):
        status, _, text = ask(server, method, path.format(own=server.path), body="undo=1")
        assert status == 404
        assert server.path not in text


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "HEAD", "TRACE"])
def test_other_methods_are_refused(server, method):
    assert ask(server, method)[0] == 501


def test_size_is_bounded(server):
    assert ask(server, "POST", body="undo=1&x=" + "x" * MAX_BYTES)[0] == 413
    for length in ("-1", "1e3", "", "9" * 30):
        assert ask(server, "POST", body="undo=1", **{"Content-Length": length})[0] == 411
    connection = socket.create_connection(("127.0.0.1", server.server_port), 5)
    with connection:
        connection.sendall(b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n")
        assert b" 414 " in connection.recv(1000)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"a": 0, "b": 0, "verdict": "same"}, "an answer must be of two items"),
        ({"a": 0, "b": 24, "verdict": "same"}, "an answer must be of two items"),
        ({"a": 0, "b": "x", "verdict": "same"}, "an answer must be of two items"),
        ({"a": 0, "b": 12}, "one of same, different, cannot tell; found &#x27;&#x27;"),
        ({"a": 0, "b": 12, "verdict": "<b>"}, "found &#x27;&lt;b&gt;&#x27;"),
        ({}, "an answer must be of two items"),
    ],
)
def test_forms_of_something_else_are_refused(server, fields, said):
    status, _, text = ask(server, "POST", body=urlencode(fields))
    assert status == 409
    assert f"Not kept: {said}" in text or said in text
    assert server.session.n_answers == 0


def test_a_store_that_fails_is_told_and_the_question_stays(server):
    pair = question(server)
    store = server.session.store
    path = store.path
    path.unlink()
    path.mkdir()
    status, _, text = give(server, "same", pair)
    assert status == 409
    assert "Not kept: " in text
    assert "answers.sqlite: cannot be used; unable to open database file" in text
    path.rmdir()
    assert question(server) == pair


def test_contradictions_are_told(server):
    give(server, "same", (0, 12))
    status, _, text = give(server, "same", (0, 13))
    assert status == 409
    assert "must not contradict each other" in text
    assert server.session.n_answers == 1


def test_a_browser_that_goes_away_harms_nobody(server, capfd):
    for sent in (b"", b"GET ", f"POST {server.path} HTTP/1.1\r\n".encode()):
        with socket.create_connection(("127.0.0.1", server.server_port), 5) as connection:
            connection.sendall(sent)
    pair = question(server)
    request = (
        f"POST {server.path} HTTP/1.1\r\nHost: {server.origin[7:]}\r\nOrigin: {server.origin}\r\n"
        f"Content-Length: 24\r\n\r\na={pair[0]}&b={pair[1]}&verdict=same"
    )
    with socket.create_connection(("127.0.0.1", server.server_port), 5) as connection:
        connection.sendall(request.encode())
    assert ask(server)[0] == 200
    assert capfd.readouterr() == ("", "")
