"""The client that sends requests on one connection and reads the answers."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol

from airmile.testbed.exchange import http1, http2
from airmile.testbed.exchange.plan import Flow, Request
from airmile.testbed.exchange.stream import Stream, client_context
from airmile.testbed.server import paced
from airmile.testbed.workloads._client import SERVER, Say

Stalls = Callable[[], http1.OnBytes]
"""A function that makes the callback which pauses the reader of one answer."""


class Speaker(Protocol):
    """The client's side of HTTP/1.1 or HTTP/2 over a TCP stream."""

    def ask(self, request: Request, bps: float) -> tuple[int, int]:
        """Send a request; return its first byte and the one after its last, as stream offsets."""

    def answers(self, requests: list[Request], stalls: Stalls) -> Iterator[tuple[int, int, int]]:
        """Read answers; yield each one's number, and when its first and its last byte was read."""


def connect(flow: Flow, port: int, say: Say) -> tuple[socket.socket, Stream]:
    """Connect to the server and do the TLS handshake."""
    connection = socket.socket()
    if flow.receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, flow.receive_buffer)
    connection.connect((SERVER, port))
    stream = Stream(connection, client_context(flow.tls, flow.protocol))
    stream.handshake()
    say(
        "connected",
        port=connection.getsockname()[1],
        protocol=flow.protocol,
        tls=flow.tls,
        handshake_to=stream.sent,
    )
    return connection, stream


def play(flow: Flow, port: int, chance: random.Random, say: Say) -> None:
    """Send the requests of one connection of a flow and read the answers."""
    connection, stream = connect(flow, port, say)
    own = connection.getsockname()[1]
    speaker: Speaker = Http2(stream) if flow.protocol == "h2" else Http1(stream)
    stalls = _stalls(flow, own, say)
    with connection:
        for pause_s, requests in flow.batches(chance):
            time.sleep(pause_s)
            asked = {each.number: _ask(speaker, each, flow.bps) for each in requests}
            for number, first_ns, last_ns in speaker.answers(requests, stalls):
                times = {"first_ns": first_ns, "last_ns": last_ns}
                say("exchange", port=own, number=number, **asked[number], **times)


def _ask(speaker: Speaker, request: Request, bps: float) -> dict[str, float]:
    began_ns = time.time_ns()
    begins, ends = speaker.ask(request, bps)
    return {
        "request_ns": began_ns,
        "written_ns": time.time_ns(),
        "request_from": begins,
        "request_to": ends,
        "answer_bytes": request.answer_bytes,
        "wait_ms": request.wait_ms,
    }


class Http1:
    """HTTP/1.1; several requests that are sent at once are pipelined."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._messages = http1.Messages(stream)

    def ask(self, request: Request, bps: float) -> tuple[int, int]:
        """Send a request."""
        head, size = http1.head_of(request), request.body_bytes
        if not bps:
            return self._stream.send(head + bytes(size))
        begins, _ = self._stream.send(head)
        paced(self._stream.send, size, bps, _CHUNK_MS)
        return begins, self._stream.sent

    def answers(self, requests: list[Request], stalls: Stalls) -> Iterator[tuple[int, int, int]]:
        """Read answers, which arrive in the order of the requests."""
        for request in requests:
            lines = self._messages.head()
            first_ns = time.time_ns()
            if lines is None:
                raise ConnectionError("the server closed before it answered")
            self._messages.body(http1.length_of(lines), stalls())
            yield request.number, first_ns, time.time_ns()


class Http2:
    """HTTP/2, whose streams are numbered 1, 3, 5 and so on (RFC 9113, section 5.1.1)."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        stream.send(http2.PREFACE + http2.opening())
        self._frames = http2.frames(stream)

    def ask(self, request: Request, bps: float) -> tuple[int, int]:
        """Send a request."""
        number = 2 * request.number + 1
        head, size = http2.request_head(request, number), request.body_bytes
        if not bps:
            return self._stream.send(head + b"".join(http2.data(number, size)))
        begins, _ = self._stream.send(head)
        chunk = max(1, int(bps / 8 * _CHUNK_MS / 1e3))
        for left in range(size, 0, -chunk):
            last = http2.END_STREAM if left <= chunk else 0
            self._stream.send(http2.frame(http2.DATA, last, number, bytes(min(chunk, left))))
            time.sleep(_CHUNK_MS / 1e3)
        return begins, self._stream.sent

    def answers(self, requests: list[Request], stalls: Stalls) -> Iterator[tuple[int, int, int]]:
        """Read answers in the order in which they arrive."""
        open_, first_ns, got = {2 * each.number + 1 for each in requests}, dict[int, int](), 0
        on_bytes = stalls()
        for frame in self._frames:
            if frame.kind == http2.SETTINGS and not frame.flags & http2.ACK:
                self._stream.send(http2.frame(http2.SETTINGS, http2.ACK, 0, b""))
            if frame.kind == http2.HEADERS:
                first_ns[frame.stream] = time.time_ns()
            if frame.kind == http2.DATA:
                got += len(frame.payload)
                self._stream.send(http2.given_back(frame.stream, len(frame.payload)))
                on_bytes(got)
            if frame.stream in open_ and frame.flags & http2.END_STREAM:
                open_.remove(frame.stream)
                yield (frame.stream - 1) // 2, first_ns[frame.stream], time.time_ns()
            if not open_:
                return
        raise ConnectionError("the server closed before it answered")


_CHUNK_MS = 20.0


def _stalls(flow: Flow, port: int, say: Say) -> Stalls:
    """Return a function that gives each answer its own copy of the reader's pauses."""
    return lambda: http1.pausing(flow.stalls, partial(say, "stalled", port=port))
