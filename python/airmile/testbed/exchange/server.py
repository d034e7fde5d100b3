"""The server of exchanges: ``python -m airmile.testbed.exchange.server FOLDER PORT BUFFER``.

The client's first bytes decide whether the server speaks TLS or plain text, HTTP/1.1 or HTTP/2. TLS
needs `cert.pem` and `key.pem` in FOLDER. The server prints a line for each connection and each
request that it has answered. BUFFER is SO_RCVBUF in bytes, or 0 for the kernel's own tuning.
"""

from __future__ import annotations

import json
import socket
import ssl
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import IO, Any

from airmile.testbed.exchange import http1, http2
from airmile.testbed.exchange.plan import Request
from airmile.testbed.exchange.stream import READ_BYTES, Stream
from airmile.testbed.hosts import rights

BLOCK = bytes(1 << 16)


class Log:
    """A writer of JSON lines that several threads may use at the same time."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._lock = threading.Lock()

    def __call__(self, event: str, **more: Any) -> None:
        """Write a line with the event and the time."""
        with self._lock:
            self._file.write(json.dumps({"event": event, **more}) + "\n")
            self._file.flush()


class Session:
    """One connection at the server."""

    def __init__(self, connection: socket.socket, context: ssl.SSLContext, log: Log) -> None:
        begun = connection.recv(READ_BYTES)
        tls = context if begun[:1] == _TLS_HANDSHAKE else None
        self._port = connection.getpeername()[1]
        self._log = log
        self._stream = Stream(connection, tls, server_side=True, begun=begun)
        self._stream.handshake()
        log("accepted", port=self._port, handshake_to=self._stream.sent)

    def serve(self) -> None:
        """Answer requests until the client closes the connection."""
        begun = self._stream.receive()
        if begun.startswith(http2.PREFACE):
            self._http2(begun.removeprefix(http2.PREFACE))
        else:
            self._http1(begun)

    def _http1(self, begun: bytes) -> None:
        messages = http1.Messages(self._stream, begun)
        for request, size in http1.requests(messages):
            began_ns = time.time_ns()
            messages.body(size, self._stalls(request))
            times = self._think(request, began_ns)
            begins, _ = self._stream.send(http1.answer_head(request.answer_bytes) + _first(request))
            for start in range(len(BLOCK), request.answer_bytes, len(BLOCK)):
                self._stream.send(BLOCK[: request.answer_bytes - start])
            self._answered(request, times, begins, self._stream.sent)

    def _http2(self, begun: bytes) -> None:
        self._stream.send(http2.opening() + http2.frame(http2.SETTINGS, http2.ACK, 0, b""))
        bodies: dict[int, tuple[Request, int, int]] = {}
        for frame in http2.frames(self._stream, begun):
            if frame.kind == http2.HEADERS:
                bodies[frame.stream] = (http2.request_of(frame), time.time_ns(), 0)
            elif frame.kind == http2.DATA:
                request, began_ns, got = bodies[frame.stream]
                bodies[frame.stream] = (request, began_ns, got + len(frame.payload))
            if frame.kind in (http2.HEADERS, http2.DATA) and frame.flags & http2.END_STREAM:
                request, began_ns, _ = bodies.pop(frame.stream)
                job = (request, frame.stream, began_ns, time.time_ns())
                threading.Thread(target=self._http2_answer, args=job, daemon=True).start()

    def _http2_answer(self, request: Request, stream: int, began_ns: int, read_ns: int) -> None:
        time.sleep(request.wait_ms / 1e3)
        write_ns = time.time_ns()
        frames = [http2.answer_head(request.answer_bytes, stream)]
        frames += http2.data(stream, request.answer_bytes)
        begins, ends = self._stream.send(b"".join(frames[:2]))
        for frame in frames[2:]:
            _, ends = self._stream.send(frame)
        self._answered(request, (began_ns, read_ns, write_ns), begins, ends)

    def _think(self, request: Request, began_ns: int) -> tuple[int, int, int]:
        read_ns = time.time_ns()
        time.sleep(request.wait_ms / 1e3)
        return began_ns, read_ns, time.time_ns()

    def _answered(
        self, request: Request, times: tuple[int, int, int], begins: int, ends: int
    ) -> None:
        began_ns, read_ns, write_ns = times
        self._log(
            "answered",
            port=self._port,
            number=request.number,
            began_ns=began_ns,
            read_ns=read_ns,
            write_ns=write_ns,
            answer_from=begins,
            answer_to=ends,
        )

    def _stalls(self, request: Request) -> http1.OnBytes:
        return http1.pausing(request.stalls, partial(self._log, "stalled", port=self._port))


_TLS_HANDSHAKE = b"\x16"
"""Content type of the first TLS record (RFC 8446, section 5.1)."""


def _first(request: Request) -> bytes:
    """Return the part of an answer's body that is sent together with its head."""
    return BLOCK[: request.answer_bytes]


def context_of(folder: Path) -> ssl.SSLContext:
    """Return the TLS settings of the server; without a certificate every handshake fails."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if (folder / "cert.pem").exists():
        context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


def serve(listener: socket.socket, context: ssl.SSLContext, log: Log) -> None:
    """Serve connections until the process ends."""
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_session, args=(connection, context, log), daemon=True).start()


def _session(connection: socket.socket, context: ssl.SSLContext, log: Log) -> None:
    with connection:
        try:
            Session(connection, context, log).serve()
        except OSError:
            return


def main(folder: Path, port: int, buffer: int) -> None:
    """Listen on the port and serve."""
    context = context_of(folder)
    rights.become()
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if buffer:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    listener.bind(("0.0.0.0", port))
    listener.listen(512)
    serve(listener, context, Log(sys.stdout))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
