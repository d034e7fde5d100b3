"""The estimate over HTTP: `/bw` for players, `/v1/link` for programs, `/metrics` for Prometheus.

The module needs only the standard library. Web pages of other origins may read the answers only if
the user named these origins (``--allow-origin``).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from socket import AF_INET, AF_INET6, create_server

from airmile._errors import OutputError, UsageError
from airmile.live import metrics, server
from airmile.live.link import Link
from airmile.live.request import Refused, Request, parse

DEFAULT = "127.0.0.1:8000"
PATHS = ("/bw", "/v1/link", "/metrics")
SCHEMA = 1

Answer = tuple[HTTPStatus, str, str]
TEXT = "text/plain; charset=utf-8"


def address(text: str) -> tuple[str, int]:
    """Return host and port of a text such as ``HOST:PORT``.

    >>> address("127.0.0.1:8000"), address("[::1]:0")
    (('127.0.0.1', 8000), ('::1', 0))
    """
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise UsageError(f"--listen {text}: not an address", "give ADDRESS:PORT, as 127.0.0.1:8000")
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)


@contextmanager
def serving(
    link: Link,
    listen: tuple[str, int],
    origins: tuple[str, ...] = (),
    now_s: Callable[[], float] = time.monotonic,
    hosts: tuple[str, ...] = (),
) -> Iterator[str]:
    """Answer requests in a separate thread, and yield the base URL.

    The base URL has the actual port if the requested port is 0.

    Raises
    ------
    OutputError
        The address is in use, or does not belong to this machine.
    """
    host, port = listen
    family = AF_INET6 if ":" in host else AF_INET
    try:
        listener = create_server(listen, family=family, backlog=server.backlog())
    except OSError as error:
        raise OutputError(
            f"cannot listen on {host}:{port}: {error.strerror or error}",
            "name another address with --listen ADDRESS:PORT, or --listen off",
        ) from None
    shown = f"[{host}]" if ":" in host else host
    base = f"http://{shown}:{listener.getsockname()[1]}"
    named = (host, *hosts)
    with server.running(listener, partial(respond, link, origins, named, now_s)):
        yield base


def respond(
    link: Link,
    origins: tuple[str, ...],
    hosts: tuple[str, ...],
    now_s: Callable[[], float],
    head: bytes,
) -> bytes:
    """Return the whole answer to the head of a request."""
    try:
        request = parse(head, hosts)
        status, kind, text = answer(link, request.path, now_s())
    except Refused as refused:
        request = Request("GET", "")
        status, kind, text = refused.status, TEXT, f"{refused.reason}\n"
    body = text.encode()
    lines = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Server: airmile",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        "Connection: close",
        *_allowed(origins, request.fields.get("origin")),
    ]
    whole = "\r\n".join([*lines, "", ""]).encode("latin-1")
    return whole if request.method == "HEAD" else whole + body


def _allowed(origins: tuple[str, ...], origin: str | None) -> Iterator[str]:
    """Let pages of the named origins read the answer (Fetch standard, CORS protocol)."""
    if not origins:
        return
    yield "Vary: Origin"
    if "*" in origins:
        yield "Access-Control-Allow-Origin: *"
    elif origin in origins:
        yield f"Access-Control-Allow-Origin: {origin}"


def answer(link: Link, path: str, now_s: float) -> Answer:
    """Return status, type and text for a path."""
    if path == "/bw":
        return _bandwidth(link, now_s)
    if path == "/v1/link":
        document = {"schema": SCHEMA, "source": "modem", **vars(link.snapshot(now_s))}
        return HTTPStatus.OK, "application/json", json.dumps(document) + "\n"
    if path == "/metrics":
        return HTTPStatus.OK, metrics.TYPE, metrics.text(link, now_s)
    status = HTTPStatus.OK if path == "/" else HTTPStatus.NOT_FOUND
    return status, TEXT, f"airmile live answers {', '.join(PATHS)}\n"


def _bandwidth(link: Link, now_s: float) -> Answer:
    """Return the plain number that BurstTracker's players read, or why there is none."""
    found = link.snapshot(now_s)
    if found.throughput_bps is None:
        return HTTPStatus.SERVICE_UNAVAILABLE, TEXT, f"no estimate: {found.reason}\n"
    return HTTPStatus.OK, TEXT, f"{found.throughput_bps:0.3f}"
