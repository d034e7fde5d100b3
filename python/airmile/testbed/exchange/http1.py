"""The parts of HTTP/1.1 that the testbed's requests and answers need (RFC 9112)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

from airmile.testbed.exchange.plan import Request
from airmile.testbed.exchange.stream import NAME, Stream

OnBytes = Callable[[int], None]
"""A callback that receives the number of bytes of a body that have been read so far."""


class Messages:
    """A reader of the HTTP/1.1 messages on a connection, one after the other."""

    def __init__(self, stream: Stream, begun: bytes = b"") -> None:
        self._stream = stream
        self._rest = begun

    def head(self) -> list[str] | None:
        """Return the lines of the next head, or None when the connection has ended."""
        while b"\r\n\r\n" not in self._rest:
            data = self._stream.receive()
            if not data:
                return None
            self._rest += data
        head, _, self._rest = self._rest.partition(b"\r\n\r\n")
        return head.decode("ascii").split("\r\n")

    def body(self, length: int, on_bytes: OnBytes) -> None:
        """Read a body, and call `on_bytes` with the number of bytes read so far."""
        got = min(len(self._rest), length)
        self._rest = self._rest[got:]
        while got < length:
            on_bytes(got)
            data = self._stream.receive(min(_READ_BYTES, length - got))
            if not data:
                raise ConnectionError("the connection was closed within a body")
            got += len(data)
        on_bytes(got)


_READ_BYTES = 16_384
"""The most bytes that are read at once; a larger read could pass the place of a pause."""


def pausing(stalls: Iterable[tuple[int, float]], say: Callable[..., object]) -> OnBytes:
    """Return a callback that pauses the reader after given bytes for given times.

    Parameters
    ----------
    stalls : iterable of (bytes, seconds)
        Pairs of a number of bytes and a pause, in the order of the bytes.
    say : callable
        A function that is called after each pause with its begin and end, `since_ns` and
        `until_ns`.
    """
    left = list(stalls)

    def on_bytes(got: int) -> None:
        if left and got >= left[0][0]:
            _, seconds = left.pop(0)
            since_ns = time.time_ns()
            time.sleep(seconds)
            say(since_ns=since_ns, until_ns=time.time_ns())

    return on_bytes


def length_of(lines: list[str]) -> int:
    """Return the length of the body that a head announces."""
    for line in lines:
        name, _, value = line.partition(":")
        if name.lower() == "content-length":
            return int(value)
    return 0


def head_of(request: Request) -> bytes:
    """Return the head of a request; the head of one without a body is padded to its size."""
    size = request.body_bytes
    method = f"POST {request.path}" if size else f"GET {request.path}"
    length = f"Content-Length: {size}\r\n" if size else ""
    head = f"{method} HTTP/1.1\r\nHost: {NAME}\r\n{length}"
    padding = 0 if size else max(0, request.bytes - len(head) - len("Cookie: \r\n\r\n"))
    cookie = f"Cookie: {'c' * padding}\r\n" if padding else ""
    return f"{head}{cookie}\r\n".encode("ascii")


def requests(messages: Messages) -> Iterator[tuple[Request, int]]:
    """Yield each request and the length of its body, which the caller has to read."""
    while lines := messages.head():
        size = length_of(lines)
        yield Request.of(lines[0].split(" ")[1], size), size


def answer_head(size: int) -> bytes:
    """Return the head of an answer with a body of `size` bytes."""
    return f"HTTP/1.1 200 OK\r\nServer: airmile\r\nContent-Length: {size}\r\n\r\n".encode("ascii")
