"""Slow clients, many clients, and clients of foreign web pages, at `airmile live`."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection

import pytest

from airmile.live import http, server
from airmile.live.link import Link


@pytest.fixture
def port() -> Iterator[int]:
    with http.serving(Link(), ("127.0.0.1", 0), hosts=("phone.example",)) as base:
        yield int(base.rpartition(":")[2])


def asked(port: int, request: bytes) -> bytes:
    """Send bytes and return the whole answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(request)
        answer = bytearray()
        while more := client.recv(4096):
            answer += more
    return bytes(answer)


def test_more_slow_clients_than_places_starve_nobody(port: int) -> None:
    with ExitStack() as stack:
        for _ in range(server.MOST_CONNECTIONS + 50):
            slow = socket.create_connection(("127.0.0.1", port), timeout=30)
            stack.enter_context(slow).sendall(b"GET /bw HT")
        for _ in range(20):
            connection = HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", "/v1/link")
            assert connection.getresponse().status == 200
            connection.close()


def test_as_many_as_there_are_places_wait_in_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_CONNECTIONS", PLACES)
    with (
        socket.create_server(("127.0.0.1", 0), backlog=server.backlog()) as listener,
        ExitStack() as stack,
    ):
        clients = [stack.enter_context(socket.socket()) for _ in range(5 * PLACES)]
        for client in clients:
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        # The other clients repeat their SYN a second later (RFC 6298, section 2.1).
        _, waiting, _ = select.select([], clients, [], 0.1)
        assert len(waiting) == PLACES
        for client in waiting:
            client.send(b"GET / HTTP/1.1\r\n\r\n")
        with server.running(listener, lambda _: b"whole"):
            for client in waiting:
                client.settimeout(30)
                assert client.recv(5) == b"whole"


PLACES = 8


def test_a_whole_request_has_a_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "DEADLINE_S", 0.2)
    with (
        http.serving(Link(), ("127.0.0.1", 0)) as base,
        socket.create_connection(("127.0.0.1", int(base.rpartition(":")[2])), timeout=30) as slow,
    ):
        slow.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        assert _ends(slow)


def _ends(client: socket.socket) -> bool:
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:8000", 200),
        ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200),
        ("192.0.2.7", 200),
        ("phone.example:8000", 200),
        ("attacker.example", 421),
        ("localhost.attacker.example:8000", 421),
        ("127.0.0.1.attacker.example", 421),
        ("", 421),
    ],
)
def test_only_this_machine_s_names_are_answered(port: int, host: str, status: int) -> None:
    shown = asked(port, f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    assert shown.startswith(f"HTTP/1.1 {status} ".encode())


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET / HTTP/1.0\r\n\r\n", 200),
        (b"GET / HTTP/1.1\r\n\r\n", 421),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: other.example\r\n\r\n", 400),
        (b"GET /\r\n\r\n", 400),
        (b"\x16\x03\x01\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", 501),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 40_000 + b"\r\n\r\n", 431),
    ],
)
def test_odd_requests(port: int, request_: bytes, status: int) -> None:
    try:
        shown = asked(port, request_)
    except ConnectionResetError:
        # The unread part of a long request is discarded, and perhaps the answer with it.
        assert status == 431
    else:
        assert shown.startswith(f"HTTP/1.1 {status} ".encode())


def test_a_head_has_no_body(port: int) -> None:
    shown = asked(port, b"HEAD /v1/link HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert shown.startswith(b"HTTP/1.1 200 ") and shown.endswith(b"\r\n\r\n")
