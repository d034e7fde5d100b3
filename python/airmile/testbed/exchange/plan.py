"""The requests that each connection of an exchange sends, with their sizes and pauses."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from airmile._errors import UsageError
from airmile.testbed.experiment import options
from airmile.testbed.experiment.options import IN_MEMORY, POSITIVE, STALLS, THREADS

Range = tuple[float, float]
"""The least and the greatest value; a value is drawn between them."""

PROTOCOLS = ("http1", "h2")
TLS = ("", "1.2", "1.3")


@dataclass(frozen=True)
class Request:
    """One request, and what the server does before it has answered.

    Attributes
    ----------
    number : int
        The position of the request on its connection, from 0.
    bytes : int
        The approximate size of the request; bytes beyond `LARGEST_HEAD` are sent as a body.
    answer_bytes : int
        The size of the answer's body.
    wait_ms : float
        The time between the end of the request and the first byte of the answer, at the server.
    stalls : tuple of (int, float)
        Pairs of a number of bytes and a time in seconds: after that many bytes of the request's
        body the server stops reading for that time.
    """

    number: int
    bytes: int
    answer_bytes: int
    wait_ms: float
    stalls: tuple[tuple[int, float], ...] = ()

    @property
    def body_bytes(self) -> int:
        """Return the size of the request's body; 0 if it has none."""
        return self.bytes if self.bytes > LARGEST_HEAD else 0

    @property
    def path(self) -> str:
        """Return the path of the request, in which the client encodes what the server is to do."""
        stalls = ",".join(f"{at}:{seconds}" for at, seconds in self.stalls)
        return f"/x/{self.number}/{self.answer_bytes}/{self.wait_ms}/{stalls}"

    @classmethod
    def of(cls, path: str, body_bytes: int) -> Request:
        """Return the request that a path describes."""
        _, _, number, answer, wait, stalls = path.split("/")
        pairs = (each.split(":") for each in stalls.split(",") if each)
        wanted = tuple((int(at), float(seconds)) for at, seconds in pairs)
        return cls(int(number), body_bytes, int(answer), float(wait), wanted)


LARGEST_HEAD = 1000
"""The largest head of a request, in bytes; a larger request has a body."""


@dataclass(frozen=True)
class Flow:
    """What one connection does, and how many connections do the same.

    Attributes
    ----------
    protocol, tls : str
        `http1` or `h2`; the TLS version `1.2` or `1.3`, or empty for plain text.
    count, depth : int
        The number of requests, and how many of them are sent at once.
    request_bytes, answer_bytes, wait_ms, pause_ms : (float, float)
        As in :class:`Request`; `pause_ms` is a pause of the client before each request but the
        first.
    bps : float
        The rate in bit/s at which the client writes a body; 0: as fast as possible.
    stalls, server_stalls : list of (int, float)
        Pairs of a number of bytes and a time in seconds: after that many bytes of an answer the
        client stops reading for that time. `server_stalls` are the same for the server and the body
        of a request (HTTP/1.1 only).
    receive_buffer : int
        SO_RCVBUF of the client in bytes; 0: the kernel's own tuning.
    start_s : float
        The time from the beginning of the workload to the first connection, in seconds.
    times : int
        The number of connections, one after the other.
    """

    protocol: str = "http1"
    tls: str = ""
    count: int = field(default=10, metadata=POSITIVE)
    depth: int = field(default=1, metadata=THREADS)
    request_bytes: Range = field(default=(300, 600), metadata=IN_MEMORY)
    answer_bytes: Range = field(default=(5_000, 60_000), metadata=IN_MEMORY)
    wait_ms: Range = (0, 0)
    pause_ms: Range = (0, 0)
    bps: float = 0
    stalls: list[tuple[int, float]] = field(default_factory=list, metadata=STALLS)
    server_stalls: list[tuple[int, float]] = field(default_factory=list, metadata=STALLS)
    receive_buffer: int = 0
    start_s: float = 0
    times: int = field(default=1, metadata=POSITIVE)

    @classmethod
    def of(cls, table: dict[str, Any]) -> Flow:
        """Return the flow that a table of an experiment describes.

        Raises
        ------
        ValueError
            A setting is unknown, has the wrong type, or is too small or too large.
        """
        known = {each.name for each in fields(cls)}
        if unknown := sorted(set(table) - known):
            raise ValueError(f"{unknown[0]} is not known: write one of {', '.join(sorted(known))}")
        try:
            options.check(cls, table, "")
        except UsageError as error:
            raise ValueError(f"{error.message}: {error.hint}") from None
        flow = cls(**table)
        if flow.protocol not in PROTOCOLS:
            raise ValueError(f"protocol = {flow.protocol!r}: write {' or '.join(PROTOCOLS)}")
        if flow.tls not in TLS:
            raise ValueError(f"tls = {flow.tls!r}: write 1.2 or 1.3, or nothing")
        if flow.protocol == "h2" and flow.server_stalls:
            raise ValueError("server_stalls: only with http1")
        return flow

    def batches(self, chance: random.Random) -> Iterator[tuple[float, list[Request]]]:
        """Yield each pause in seconds, with the requests that are sent together after it."""
        for first in range(0, self.count, self.depth):
            numbers = range(first, min(first + self.depth, self.count))
            pause_ms = chance.uniform(*self.pause_ms) if first else 0.0
            yield pause_ms / 1e3, [self._request(number, chance) for number in numbers]

    def _request(self, number: int, chance: random.Random) -> Request:
        return Request(
            number,
            round(chance.uniform(*self.request_bytes)),
            round(chance.uniform(*self.answer_bytes)),
            round(chance.uniform(*self.wait_ms), 3),
            tuple((at, seconds) for at, seconds in self.server_stalls),
        )
