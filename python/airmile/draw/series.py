"""The content of the pictures of a flow, as arrays: time in seconds, and a value for each.

The data are those of the direction with most of the flow's payload. ACKs and windows are those of
the opposite direction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from airmile._words import NBSP, printable
from airmile.answers import _packets
from airmile.answers.verdict import _evidence, _sums
from airmile.answers.verdict._access import is_cellular
from airmile.store._needs import absent, contains
from airmile.store._rows import rows

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Lines = tuple[Array, ...]
"""Columns of equal length, of which the first is the time."""

KINDS: Mapping[str, tuple[str, ...]] = {
    "new data": ("new",),
    "retransmission": ("retransmission", "tail_probe"),
    "needless retransmission": ("spurious",),
    "lost before the capture point": ("upstream_loss",),
    "reordered": ("reordered",),
    "probe or copy": ("capture_duplicate", "keep_alive", "window_probe"),
}
"""The classes of segments (methods C2), by their name in pictures."""

SHORTEST_BIN_S = 0.1
"""The least width of a bin in s: rates over a shorter time show ACK clocking, not the link."""

MOST_BINS = 150


@dataclass(frozen=True)
class FlowSeries:
    """The content of a flow's pictures; all times are seconds since its first packet.

    Attributes
    ----------
    title : str
        Server, volume, duration and rate.
    start_ns : int
        Time of the flow's first packet, in ns since 1970 UTC.
    direction : {"downlink", "uplink"}
        The direction of the data.
    segments : mapping of str to Lines
        For each of `KINDS`: time, offset of the first byte, offset after the last byte.
    acks, edges : Lines
        For `acks`, time and cumulative ACK; for `edges`, time and right edge of the receive window.
    sacks, dsacks : Lines
        Time, left and right edge of SACK blocks; `dsacks` are those for bytes received twice.
    duplicate_acks, zero_windows : Lines
        Time and ACK number of duplicate ACKs, and of ACKs that close the window.
    in_flight, windows : Lines
        For `in_flight`, time and bytes in flight; for `windows`, time and receive window in bytes.
    round_trips, sack_round_trips : Lines
        Time and RTT in ms, measured by ACKs and by SACKs.
    delivered : Lines
        Start of a bin and its delivered rate in bits per second; the last time ends the last bin.
    available : Lines
        Time and available bandwidth in bits per second.
    slices : tuple of (start, end, cause)
        The causes that limited the flow, in order of time.
    vantage : {"ue", "monitor", "server"} or None
        Where the flow was captured; None if it is unknown.
    unseen : mapping of str to str
        Why a line is empty, for those of `in_flight`, `windows`, `round_trips`, `delivered` and
        `available` that cannot be measured at this capture point.
    cellular : bool
        Whether there is proof that the access link is cellular.
    """

    title: str
    start_ns: int
    direction: str
    segments: Mapping[str, Lines]
    acks: Lines
    edges: Lines
    sacks: Lines
    dsacks: Lines
    duplicate_acks: Lines
    zero_windows: Lines
    in_flight: Lines
    windows: Lines
    round_trips: Lines
    sack_round_trips: Lines
    delivered: Lines
    available: Lines
    slices: tuple[tuple[float, float, str], ...]
    vantage: str | None
    unseen: Mapping[str, str]
    cellular: bool

    @property
    def duration_s(self) -> float:
        """The time from the first packet to the last, in seconds."""
        times = [lines[0] for lines in (*self.segments.values(), self.acks) if lines[0].size]
        return float(max((t.max() for t in times), default=0.0))

    @property
    def unknown(self) -> list[tuple[float, float]]:
        """Periods of duplicate ACKs without SACK, which do not show what arrives."""
        times, rates = self.delivered
        if self.sacks[0].size or times.size < 2:
            return []
        repeated, _ = np.histogram(self.duplicate_acks[0], bins=times)
        silent = (rates[:-1] == 0) & (repeated > 0)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], silent.astype(int), [0]])))
        return [(float(times[a]), float(times[b])) for a, b in edges.reshape(-1, 2)]

    def part(self, span: tuple[float, float]) -> FlowSeries:
        """Return the part within `span` (s); step curves begin with the value at its start."""
        return replace(
            self,
            segments={kind: within(lines, span) for kind, lines in self.segments.items()},
            acks=_held(self.acks, span),
            edges=_held(self.edges, span),
            sacks=within(self.sacks, span),
            dsacks=within(self.dsacks, span),
            duplicate_acks=within(self.duplicate_acks, span),
            zero_windows=within(self.zero_windows, span),
            in_flight=_held(self.in_flight, span),
            windows=_held(self.windows, span),
            round_trips=within(self.round_trips, span),
            sack_round_trips=within(self.sack_round_trips, span),
            delivered=_held(self.delivered, span),
            available=within(self.available, span),
            slices=tuple(
                (max(start, span[0]), min(end, span[1]), cause)
                for start, end, cause in self.slices
                if start < span[1] and end > span[0]
            ),
        )


def within(lines: Lines, span: tuple[float, float], *, around: bool = False) -> Lines:
    """Return the values within a span; `around` adds the value before it and the one after it."""
    times = lines[0]
    inside = (times >= span[0]) & (times <= span[1])
    if around and times.size:
        first, last = np.searchsorted(times, span[0]) - 1, np.searchsorted(times, span[1], "right")
        inside[max(int(first), 0)] = True
        inside[min(int(last), times.size - 1)] = True
    return tuple(column[inside] for column in lines)


def _held(lines: Lines, span: tuple[float, float]) -> Lines:
    """Return the part of a step curve within a span, with the values at both ends of the span."""
    times, values = lines
    inside_times, inside = within(lines, span)
    before = int(np.searchsorted(times, span[0])) - 1
    if before >= 0:
        inside_times = np.append(span[0], inside_times)
        inside = np.append(values[before], inside)
    if inside.size and times[-1] > span[1]:
        inside_times, inside = np.append(inside_times, span[1]), np.append(inside, inside[-1])
    return inside_times, inside


def flow_series(dataset: Tables, uid: int) -> FlowSeries:
    """Return the content of the pictures of a flow."""
    packets = _packets.read(dataset, uid)
    sums = _sums.flow(dataset, uid) or _sums.flow(dataset.of_small_calls, uid)
    columns = _Columns(packets)
    down = columns.way == "downlink"
    payload = columns.of("payload_bytes")
    direction = "downlink" if payload[down].sum() >= payload[~down].sum() else "uplink"
    start_ns = int(packets["time_ns"][0].as_py())
    data = down if direction == "downlink" else ~down
    # The window in a reset has no meaning (RFC 9293 section 3.5.3).
    back = ~data & ~columns.reset
    title = _evidence.title(_evidence.facts(dataset, sums)) if sums else f"flow {uid}"
    vantage = _vantage(dataset, uid)
    at_receiver = vantage == ("ue" if direction == "downlink" else "server")
    acks = columns.lines(back, "ack_offset")
    # Next to the receiver, ACKs show how fast it responds, not the delay of the path.
    path = back & (not at_receiver)
    shown: dict[str, Lines] = {
        "in_flight": columns.in_flight(data) if path.any() else (np.empty(0), np.empty(0)),
        "windows": columns.lines(back, "window_bytes"),
        "round_trips": columns.lines(path, "rtt_ms"),
        "sack_round_trips": columns.lines(path, "sack_rtt_ms"),
        "delivered": _rate(*columns.lines(back, "delivered_bytes")),
        "available": _available(dataset, uid, direction, start_ns),
    }
    return FlowSeries(
        title=printable(title.replace(NBSP, " ")),
        start_ns=start_ns,
        direction=direction,
        segments={
            kind: columns.lines(data & np.isin(columns.kind, words), "start_offset", "end_offset")
            for kind, words in KINDS.items()
        },
        acks=acks,
        edges=columns.edges(back),
        sacks=columns.sacks(back & ~columns.dsack),
        dsacks=columns.sacks(back & columns.dsack, blocks=1),
        duplicate_acks=columns.lines(back & columns.duplicate, "ack_offset"),
        zero_windows=columns.lines(back & (columns.of("window_bytes") == 0), "ack_offset"),
        **shown,
        slices=_slices(dataset, uid, start_ns),
        vantage=vantage,
        unseen=_unseen(shown, direction, at_receiver=at_receiver, acked=bool(acks[0].size)),
        cellular=is_cellular(dataset),
    )


def _vantage(dataset: Tables, uid: int) -> str | None:
    """Return the capture point of a flow, which may differ between the captures of a dataset."""
    if absent(dataset, "flows", ("vantage",)):
        return dataset.manifest["vantage"]["value"] or None
    found = rows(dataset, f"SELECT vantage FROM flows WHERE uid = {uid}")
    vantage: str | None = found[0]["vantage"] if found else None
    return vantage


def _unseen(
    shown: Mapping[str, Lines], direction: str, *, at_receiver: bool, acked: bool
) -> dict[str, str]:
    """Return the reasons why lines are empty, by the name of the line."""
    if at_receiver:
        place = "phone" if direction == "downlink" else "server"
        why = {
            "in_flight": f"{direction} data in flight cannot be measured at the {place}",
            "round_trips": f"the round trip of {direction} data cannot be measured at the {place}",
            "available": "it cannot be measured where the data arrive",
        }
    else:
        why = {
            "in_flight": "no ACK shows what is in flight",
            "round_trips": "no ACK gave a round trip",
            "available": "it can be measured only while data queue at the link",
        }
    why["windows"] = "its scale is in the handshake, which was not captured"
    why["delivered"] = "no ACK shows what arrived"
    if not acked:
        missing = "no ACK of the receiver was captured"
        why |= dict.fromkeys(("in_flight", "windows", "round_trips", "delivered"), missing)
    return {name: text for name, text in why.items() if not shown[name][0].size}


class _Columns:
    """The columns of the packets as arrays, unknown values as NaN."""

    def __init__(self, packets: pa.Table) -> None:
        self._packets = packets
        ns = packets["time_ns"].to_numpy()
        self.time: Array = (ns - ns[0]) / 1e9
        self.way = packets["direction"].to_numpy(zero_copy_only=False).astype(str)
        self.kind = packets["class"].to_numpy(zero_copy_only=False).astype(str)
        self.dsack: Mask = packets["dsack"].to_numpy(zero_copy_only=False).astype(bool)
        self.reset: Mask = (
            np.char.find(packets["flags"].to_numpy(zero_copy_only=False).astype(str), "R") >= 0
        )
        self.duplicate: Mask = ~packets["duplicate_ack"].is_null().to_numpy()

    def of(self, name: str) -> Array:
        column = self._packets[name].cast("float64")
        return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)

    def lines(self, chosen: Mask, *names: str) -> Lines:
        """Return time and columns of the chosen packets that have a value."""
        values = [self.of(name) for name in names]
        chosen = chosen & ~np.isnan(values[0])
        return (self.time[chosen], *(value[chosen] for value in values))

    def edges(self, back: Mask) -> Lines:
        time, ack, window = self.lines(back, "ack_offset", "window_bytes")
        known = ~np.isnan(window)
        return time[known], (ack + window)[known]

    def sacks(self, back: Mask, blocks: int = 4) -> Lines:
        found = [
            self.lines(back, f"sack_{n}_left_offset", f"sack_{n}_right_offset")
            for n in range(1, blocks + 1)
        ]
        return tuple(np.concatenate(columns) for columns in zip(*found, strict=True))

    def in_flight(self, data: Mask) -> Lines:
        """Return the bytes in flight of the side that sends `data`, after each packet."""
        own, peer = self.of("own_in_flight_bytes"), self.of("peer_in_flight_bytes")
        return self.time, np.where(data, own, peer)


def _rate(time: Array, delivered_bytes: Array) -> Lines:
    """Return the delivered rate in bits per second, in bins of equal width."""
    if not time.size:
        return np.empty(0), np.empty(0)
    end = float(time.max())
    width = max(SHORTEST_BIN_S, end / MOST_BINS)
    edges = np.arange(0.0, end + width, width)
    bytes_each, _ = np.histogram(time, bins=edges, weights=delivered_bytes)
    rates = bytes_each * 8 / width
    return edges, np.append(rates, rates[-1] if rates.size else 0.0)


def _available(dataset: Tables, uid: int, direction: str, start_ns: int) -> Lines:
    """Return the bandwidth estimates from standing queues, or by the rule of a paper's profile."""
    if not contains(dataset, "bandwidth_samples"):
        return np.empty(0), np.empty(0)
    source = "c_rule" if dataset.manifest.get("profile") else "queue_evident"
    found = rows(
        dataset,
        f"""SELECT time_ns, bandwidth_bps FROM bandwidth_samples WHERE uid = {uid}
        AND direction = '{direction}' AND source = '{source}' ORDER BY time_ns""",
    )
    return _pair(found, start_ns, "bandwidth_bps")


def _pair(found: list[dict[str, Any]], start_ns: int, name: str) -> Lines:
    times = np.array([(row["time_ns"] - start_ns) / 1e9 for row in found], dtype=np.float64)
    return times, np.array([row[name] for row in found], dtype=np.float64)


def _slices(dataset: Tables, uid: int, start_ns: int) -> tuple[tuple[float, float, str], ...]:
    """Return the causes over time; adjacent slices of the same cause are joined."""
    if not contains(dataset, "slices"):
        return ()
    query = (
        f"SELECT start_ns, end_ns, cause FROM slices WHERE uid = {uid} ORDER BY start_ns, end_ns"
    )
    joined: list[tuple[float, float, str]] = []
    for row in rows(dataset, query):
        start, end = ((row[name] - start_ns) / 1e9 for name in ("start_ns", "end_ns"))
        if joined and joined[-1][2] == row["cause"] and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]), row["cause"])
        else:
            joined.append((start, end, row["cause"]))
    return tuple(joined)
