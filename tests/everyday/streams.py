"""When each byte of a connection passed a capture point."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.recorded.packets import ACK, FIN, RST, SYN, Packet


@dataclass
class Passed:
    """One direction of a connection: when each byte first appeared.

    Attributes
    ----------
    starts, ends, times : list of int
        Runs of bytes by their offsets in the stream, with the time of their first appearance.
    repeated : list of (int, int, int)
        The times and the offsets of bytes that appeared again.
    """

    initial: int | None = None
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    repeated: list[tuple[int, int, int]] = field(default_factory=list)

    def add(self, packet: Packet) -> None:
        """Add the payload of a packet."""
        if packet.flags & SYN:
            if self.initial is not None:
                self.repeated.append((packet.time_ns, 0, 0))
            self.initial = packet.seq
        if self.initial is None or not packet.payload or packet.flags & SYN:
            return
        start = (packet.seq - self.initial - 1) % 2**32
        new = self._insert(start, start + packet.payload, packet.time_ns)
        if new < packet.payload:
            self.repeated.append((packet.time_ns, start, start + packet.payload))

    def _insert(self, start: int, end: int, time_ns: int) -> int:
        """Keep the parts that are new, and give their number of bytes."""
        new = 0
        at = bisect_right(self.ends, start)
        while start < end:
            until = self.starts[at] if at < len(self.starts) else end
            if start < until:
                stop = min(end, until)
                self.starts.insert(at, start)
                self.ends.insert(at, stop)
                self.times.insert(at, time_ns)
                new += stop - start
                at += 1
            start = max(start, self.ends[at] if at < len(self.ends) else end)
            at += 1
        return new

    def first_ns(self, byte: int) -> int | None:
        """Give the time when a byte first passed."""
        at = bisect_right(self.ends, byte)
        return self.times[at] if at < len(self.starts) and self.starts[at] <= byte else None

    def whole_ns(self, start: int, end: int) -> int | None:
        """Give the time when the last of some bytes had passed."""
        at, latest = bisect_right(self.ends, start), None
        while start < end:
            if at >= len(self.starts) or self.starts[at] > start:
                return None
            latest = max(latest or 0, self.times[at])
            start = self.ends[at]
            at += 1
        return latest

    def sent_ns(self, start: int, end: int) -> list[int]:
        """Give the times when bytes between two offsets first passed, in order."""
        at = bisect_right(self.ends, start)
        stop = bisect_left(self.starts, end)
        return sorted(self.times[at:stop])


@dataclass
class Connection:
    """Both directions of a connection at a capture point, and its handshake."""

    port: int
    server_port: int
    up: Passed = field(default_factory=Passed)
    down: Passed = field(default_factory=Passed)
    syn_ns: int | None = None
    syn_ack_ns: int | None = None
    established_ns: int | None = None
    last_ns: int = 0
    zero: list[tuple[int, int]] = field(default_factory=list)
    _closed: dict[bool, int] = field(default_factory=dict)

    def add(self, packet: Packet) -> None:
        """Add a packet."""
        self.last_ns = packet.time_ns
        (self.up if packet.up else self.down).add(packet)
        if packet.flags & SYN:
            if packet.up:
                self.syn_ns = self.syn_ns or packet.time_ns
            else:
                self.syn_ack_ns = self.syn_ack_ns or packet.time_ns
        elif packet.up and self.syn_ack_ns and self.established_ns is None:
            self.established_ns = packet.time_ns
        if packet.flags & ACK and not packet.flags & (SYN | RST | FIN):
            self._window(packet)

    def _window(self, packet: Packet) -> None:
        """Record the span in which a receiver's window was closed."""
        if packet.window == 0:
            self._closed.setdefault(packet.up, packet.time_ns)
        elif packet.up in self._closed:
            self.zero.append((self._closed.pop(packet.up), packet.time_ns))


def connections(every: Iterable[Packet]) -> dict[int, Connection]:
    """Give the connections of a capture by the phone's port."""
    found: dict[int, Connection] = {}
    for packet in every:
        key = packet.port
        if key not in found:
            found[key] = Connection(key, packet.server_port)
        found[key].add(packet)
    return found
