"""The parts of HTTP/2 that the testbed needs (RFC 9113), with HPACK's literals (RFC 7541)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from airmile.testbed.exchange.plan import Request
from airmile.testbed.exchange.stream import NAME, Stream

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

DATA, HEADERS, SETTINGS, WINDOW_UPDATE = 0, 1, 4, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4

LARGEST_DATA = 16_384

_WINDOW = 6 << 20
"""The flow-control window of a stream in bytes: what browsers offer, and more than any body."""


@dataclass(frozen=True)
class Frame:
    """One HTTP/2 frame (RFC 9113, section 4.1)."""

    kind: int
    flags: int
    stream: int
    payload: bytes


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """Return the bytes of a frame."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def opening() -> bytes:
    """Return the SETTINGS and WINDOW_UPDATE frames that begin a connection."""
    settings = struct.pack(">HIHI", 2, 0, 4, _WINDOW)
    return frame(SETTINGS, 0, 0, settings) + frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 15 << 20))


def frames(stream: Stream, begun: bytes = b"") -> Iterator[Frame]:
    """Read frames until the connection ends."""
    rest = begun
    while True:
        while len(rest) < 9 or len(rest) < 9 + int.from_bytes(rest[:3], "big"):
            data = stream.receive()
            if not data:
                return
            rest += data
        size = int.from_bytes(rest[:3], "big")
        kind, flags, number = struct.unpack(">BBI", rest[3:9])
        yield Frame(kind, flags, number, rest[9 : 9 + size])
        rest = rest[9 + size :]


def data(stream: int, size: int) -> Iterator[bytes]:
    """Yield a body of `size` bytes as DATA frames, of which the last ends the stream."""
    for start in range(0, size, LARGEST_DATA):
        length = min(LARGEST_DATA, size - start)
        yield frame(DATA, END_STREAM if start + length == size else 0, stream, bytes(length))


def given_back(stream: int, size: int) -> bytes:
    """Return the frames by which a reader, like browsers, opens the windows after a body."""
    more = struct.pack(">I", size)
    return frame(WINDOW_UPDATE, 0, 0, more) + frame(WINDOW_UPDATE, 0, stream, more)


def request_head(request: Request, stream: int) -> bytes:
    """Return the HEADERS frame of a request."""
    size = request.body_bytes
    fields = bytes([0x83 if size else 0x82, 0x87])  # :method, :scheme https
    fields += _literal(_PATH, request.path) + _literal(_AUTHORITY, NAME)
    if size:
        fields += _literal(_CONTENT_LENGTH, str(size))
    else:
        fields += _literal(_COOKIE, "c" * max(1, request.bytes - len(fields) - 16))
    ends = END_HEADERS if size else END_HEADERS | END_STREAM
    return frame(HEADERS, ends, stream, fields)


def request_of(head: Frame) -> Request:
    """Return the request that a HEADERS frame describes."""
    fields = dict(_fields(head.payload))
    return Request.of(fields[_PATH], int(fields.get(_CONTENT_LENGTH, "0")))


def answer_head(size: int, stream: int) -> bytes:
    """Return the HEADERS frame of an answer with a body of `size` bytes."""
    fields = b"\x88" + _literal(_CONTENT_LENGTH, str(size))  # :status 200
    return frame(HEADERS, END_HEADERS, stream, fields)


_AUTHORITY, _PATH, _CONTENT_LENGTH, _COOKIE = 1, 4, 28, 32
"""Indices in the static table of HPACK (RFC 7541, appendix A)."""


def _literal(index: int, value: str) -> bytes:
    """Return a header field without indexing (RFC 7541, section 6.2.2)."""
    return _integer(index, 4) + _integer(len(value), 7) + value.encode("ascii")


def _integer(value: int, bits: int) -> bytes:
    """Return an integer that begins in the low `bits` of a byte (RFC 7541, section 5.1)."""
    most = (1 << bits) - 1
    if value < most:
        return bytes([value])
    rest, written = value - most, [most]
    while rest >= 128:
        written.append(rest % 128 + 128)
        rest //= 128
    return bytes([*written, rest])


def _fields(payload: bytes) -> Iterator[tuple[int, str]]:
    """Yield the literal header fields of a HEADERS frame that this module has written."""
    at = 0
    while at < len(payload):
        if payload[at] & 0x80:
            at += 1
            continue
        index, at = _read_integer(payload, at, 4)
        size, at = _read_integer(payload, at, 7)
        yield index, payload[at : at + size].decode("ascii")
        at += size


def _read_integer(payload: bytes, at: int, bits: int) -> tuple[int, int]:
    most = (1 << bits) - 1
    value, at, shift = payload[at] & most, at + 1, 0
    if value < most:
        return value, at
    while True:
        byte, at = payload[at], at + 1
        value += (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
