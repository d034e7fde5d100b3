"""The estimate over HTTP: `/bw` for players, `/v1/link` for programs, `/metrics` for Prometheus.

Nothing of it needs more than the standard library. Pages of other origins may read it only where
they were named (``--allow-origin``).
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET, AF_INET6, socket
from typing import Any

from airmile._errors import OutputError, UsageError
from airmile.live import metrics
from airmile.live.link import Link

DEFAULT = "127.0.0.1:8000"
PATHS = ("/bw", "/v1/link", "/metrics")
SCHEMA = 1

MOST_CONNECTIONS = 64
"""More at a time are closed at once: each holds a thread."""

PATIENCE_S = 10.0
"""A client that says nothing for so long is let go."""

Answer = tuple[HTTPStatus, str, str]
TEXT = "text/plain; charset=utf-8"


def address(text: str) -> tuple[str, int]:
    """Return host and port of a text.

    >>> address("127.0.0.1:8000"), address("[::1]:0")
    (('127.0.0.1', 8000), ('::1', 0))
    """
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise UsageError(f"--listen {text}: no address", "give ADDRESS:PORT, as 127.0.0.1:8000")
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)


@contextmanager
def serving(
    link: Link,
    listen: tuple[str, int],
    origins: tuple[str, ...] = (),
    now_s: Callable[[], float] = time.monotonic,
) -> Iterator[str]:
    """Answer in threads of their own; give the address, whose port may have been 0.

    Raises
    ------
    OutputError
        The address is not free, or not of this machine.
    """
    host, port = listen
    try:
        server = _Server(listen, link, origins, now_s)
    except OSError as error:
        raise OutputError(
            f"cannot listen on {host}:{port}: {error.strerror or error}",
            "name another address with --listen ADDRESS:PORT, or --listen off",
        ) from None
    thread = threading.Thread(target=server.serve_forever, daemon=True, name="airmile-http")
    thread.start()
    shown = f"[{host}]" if ":" in host else host
    try:
        yield f"http://{shown}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


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
    """Answer with the plain number that BurstTracker's players read; without one, with why."""
    found = link.snapshot(now_s)
    if found.throughput_bps is None:
        return HTTPStatus.SERVICE_UNAVAILABLE, TEXT, f"no estimate: {found.reason}\n"
    return HTTPStatus.OK, TEXT, f"{found.throughput_bps:0.3f}"


class _Server(ThreadingHTTPServer):
    """A server whose threads end with the program, and are so many at most."""

    daemon_threads = True

    def __init__(
        self,
        listen: tuple[str, int],
        link: Link,
        origins: tuple[str, ...],
        now_s: Callable[[], float],
    ) -> None:
        self.link, self.origins, self.now_s = link, origins, now_s
        self.address_family = AF_INET6 if ":" in listen[0] else AF_INET
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__(listen, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Begin a thread, if there may be one more."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and free the place."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: socket | Any, client_address: Any) -> None:
        """Stay quiet: a client that hung up is none of the user's business."""


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    server: _Server
    timeout = PATIENCE_S
    server_version = "airmile"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer with a body."""
        self.wfile.write(self._head())

    def do_HEAD(self) -> None:
        """Answer without one."""
        self._head()

    def _head(self) -> bytes:
        path = self.path.split("?", 1)[0]
        status, kind, text = answer(self.server.link, path, self.server.now_s())
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self._allow()
        self.end_headers()
        return body

    def _allow(self) -> None:
        """Let pages of the named origins read the answer (Fetch standard, CORS protocol)."""
        origins, origin = self.server.origins, self.headers.get("Origin")
        if not origins:
            return
        self.send_header("Vary", "Origin")
        if "*" in origins:
            self.send_header("Access-Control-Allow-Origin", "*")
        elif origin in origins:
            self.send_header("Access-Control-Allow-Origin", origin)

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet: standard error is for talk with the user."""
