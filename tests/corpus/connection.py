"""A TCP connection as a program reports it, by which airmile and the oracles are compared."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass, field

End = tuple[str, int]
Value = int | float | bool | None

COUNTS = ("packets", "payload_bytes", "unique_bytes", "syn", "fin", "rst")
OPTIONS = ("mss", "window_scale", "sack", "timestamps")
RESENT = "resent"
RTT = ("rtt_samples", "rtt_min_ms", "rtt_mean_ms", "rtt_max_ms")
WIRESHARK = "wireshark_retransmissions"


@dataclass
class Way:
    """The data of one end; a field that the program does not report is missing."""

    values: dict[str, Value] = field(default_factory=dict)


@dataclass
class Connection:
    """A connection: its two ends, the first packet's time in seconds, and the data of each end."""

    start: float
    ways: dict[End, Way]

    @property
    def ends(self) -> frozenset[End]:
        """Give the two ends as a set, without an order."""
        return frozenset(self.ways)


def address(text: str) -> str:
    """Write an address as in RFC 5952; tcptrace writes ``::1`` as ``:0001``.

    >>> address("2001:0618:0400::5199:cc70"), address(":0001")
    ('2001:618:400::5199:cc70', '::1')
    """
    if text.startswith(":") and not text.startswith("::"):
        text = ":" + text
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return text


def merge(connections: Iterable[Connection]) -> Connection:
    """Add up connections between the same ends, which each program separates by its own rule."""
    parts = sorted(connections, key=lambda connection: connection.start)
    ways = {end: merge_ways([part.ways[end] for part in parts]) for end in parts[0].ways}
    return Connection(parts[0].start, ways)


def merge_ways(parts: list[Way]) -> Way:
    """Add the counts, weight the means, and keep the values of the first SYN."""
    if len(parts) == 1:
        return parts[0]
    whole = Way()
    for name in {name: None for part in parts for name in part.values}:
        known = [part.values[name] for part in parts if part.values.get(name) is not None]
        whole.values[name] = _merged(name, known, parts)
    return whole


def _merged(name: str, known: list[Value], parts: list[Way]) -> Value:
    numbers = [value for value in known if value is not None]
    if not numbers:
        return None
    if name in OPTIONS:
        return numbers[0]
    if name == "rtt_min_ms":
        return min(numbers)
    if name == "rtt_max_ms":
        return max(numbers)
    if name == "rtt_mean_ms":
        pairs = [(p.values.get("rtt_samples") or 0, p.values.get(name) or 0) for p in parts]
        samples = sum(n for n, _ in pairs)
        return sum(n * mean for n, mean in pairs) / samples if samples else None
    return sum(numbers)
