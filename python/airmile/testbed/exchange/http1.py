"""HTTP/1.1, as far as an exchange needs it (RFC 9112)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from airmile.testbed.exchange.plan import Request
from airmile.testbed.exchange.stream import NAME, Stream

Told = Callable[[int], None]
"""Told how many bytes of a body there are so far."""


class Messages:
    """Reads messages, one after the other."""

    def __init__(self, stream: Stream, begun: bytes = b"") -> None:
        self._stream = stream
        self._rest = begun

    def head(self) -> list[str] | None:
        """Give the lines of the next head, or None at the end."""
        while b"\r\n\r\n" not in self._rest:
            data = self._stream.receive()
            if not data:
                return None
            self._rest += data
        head, _, self._rest = self._rest.partition(b"\r\n\r\n")
        return head.decode("ascii").split("\r\n")

    def body(self, length: int, told: Told) -> None:
        """Read a body, and tell how much of it there is."""
        got = min(len(self._rest), length)
        self._rest = self._rest[got:]
        while got < length:
            told(got)
            data = self._stream.receive(min(_READ_BYTES, length - got))
            if not data:
                raise ConnectionError("the connection was closed within a body")
            got += len(data)
        told(got)


_READ_BYTES = 16_384
"""At once, so that a reader that stops does so where it should."""


def length_of(lines: list[str]) -> int:
    """Give the length of the body that a head announces."""
    for line in lines:
        name, _, value = line.partition(":")
        if name.lower() == "content-length":
            return int(value)
    return 0


def head_of(request: Request) -> bytes:
    """Write the head of a request, as long as the request is to be where it has no body."""
    size = request.body_bytes
    method = f"POST {request.path}" if size else f"GET {request.path}"
    length = f"Content-Length: {size}\r\n" if size else ""
    head = f"{method} HTTP/1.1\r\nHost: {NAME}\r\n{length}"
    padding = 0 if size else max(0, request.bytes - len(head) - len("Cookie: \r\n\r\n"))
    cookie = f"Cookie: {'c' * padding}\r\n" if padding else ""
    return f"{head}{cookie}\r\n".encode("ascii")


def requests(messages: Messages) -> Iterator[tuple[Request, int]]:
    """Give each request at the server, with the length of its body, which is still to be read."""
    while lines := messages.head():
        size = length_of(lines)
        yield Request.of(lines[0].split(" ")[1], size), size


def answer_head(size: int) -> bytes:
    """Write the head of an answer."""
    return f"HTTP/1.1 200 OK\r\nServer: airmile\r\nContent-Length: {size}\r\n\r\n".encode("ascii")
