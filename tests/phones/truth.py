"""When the emulated radio was connected, and what that means for the time a capture shows."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

NS = 10**9
Span = tuple[int, int]
"""The beginning and the end of a time, in ns since 1970."""

AT_ONCE_NS = 20_000_000
"""The most by which a packet passes the phone's interface before or after the radio carries it."""


@dataclass(frozen=True)
class Radio:
    """The radio: when it was connected, when it began to wake, and when it was busy."""

    connected: list[Span]
    promotions: list[int]
    busy: list[int]


@dataclass(frozen=True)
class Use:
    """How the radio was used in some time."""

    promotions: int
    on_s: float
    active_s: float

    def energy_j(self, power: Mapping[str, float], megabits: tuple[float, float]) -> float:
        """Give the energy by the model of methods F3; `megabits` are those sent and received."""
        return (
            self.promotions * power["promotion_mw"] * power["promotion_ms"] / 1e3
            + self.active_s * power["active_mw"]
            + (self.on_s - self.active_s) * power["tail_mw"]
            + megabits[0] * power["uplink_mj_per_mbit"]
            + megabits[1] * power["downlink_mj_per_mbit"]
        ) / 1e3


def read(folder: Path) -> Radio:
    """Read the truth of a run."""
    with (folder / "events.csv").open() as lines:
        connected, promotions = _states(csv.DictReader(lines))
    busy = sorted({time for way in ("dl", "ul") for time in _busy(folder / f"truth_{way}.csv")})
    return Radio(connected, promotions, busy)


def _states(events: Iterable[Mapping[str, str]]) -> tuple[list[Span], list[int]]:
    connected: list[Span] = []
    promotions: list[int] = []
    for each in events:
        if each["event"] == "rrc_promotion":
            promotions.append(ns(each["t_unix"]))
            connected.append((promotions[-1] + round(float(each["x"]) * 1e6), 2**63))
        elif each["event"] == "rrc_idle" and connected:
            connected[-1] = (connected[-1][0], ns(each["t_unix"]))
    return connected, promotions


def _busy(file: Path) -> list[int]:
    """Give the times of the TTIs that carried something."""
    with file.open() as lines:
        rows = csv.DictReader(lines)
        return [ns(r["t_unix"]) for r in rows if r["prb_alloc"] != "0" or r["prb_retx"] != "0"]


def ns(unix: str) -> int:
    """Give the nanoseconds of a time in seconds with six digits.

    >>> ns("1700000000.000250")
    1700000000000250000
    """
    seconds, _, micros = unix.partition(".")
    return int(seconds) * NS + int(micros) * 1000


def shown(packets: list[int], tail_s: float) -> Span:
    """Give the time of which a capture shows the radio: first packet to the last one's tail."""
    return packets[0], packets[-1] + round(tail_s * NS)


def use(radio: Radio, packets: Iterable[list[int]], tail_s: float, inactivity_s: float) -> Use:
    """Give the use of the radio in the time that captures with these packets show.

    A time that two captures show counts once.
    """
    times = [each for each in packets if each]
    within = merged([shown(each, tail_s) for each in times])
    on = common(radio.connected, within)
    reception = merged([(at, at + round(inactivity_s * NS)) for at in radio.busy])
    woken = [(each[0] - AT_ONCE_NS, each[-1] + AT_ONCE_NS) for each in times]
    return Use(
        sum(any(a <= at <= b for a, b in woken) for at in radio.promotions),
        length_s(on),
        length_s(common(reception, on)),
    )


def merged(spans: Iterable[Span]) -> list[Span]:
    """Join spans that meet.

    >>> merged([(4, 6), (0, 2), (1, 3)])
    [(0, 3), (4, 6)]
    """
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def common(some: list[Span], others: list[Span]) -> list[Span]:
    """Give what two lists of spans have in common.

    >>> common([(0, 3), (4, 6)], [(2, 5)])
    [(2, 3), (4, 5)]
    """
    both = ((max(a, c), min(b, d)) for a, b in some for c, d in others)
    return [(start, end) for start, end in both if start < end]


def length_s(spans: Iterable[Span]) -> float:
    """Give the length of spans in seconds."""
    return sum(end - start for start, end in spans) / NS
