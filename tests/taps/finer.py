"""Labels that are finer than the testbed's, where the kernel or the wired path shows more."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from airmile.testbed.scoring.cause import LOSSES
from airmile.testbed.scoring.pairs import Case
from tests.physics.held import Held
from tests.recorded.spans import Span, length, within

MOSTLY, HARDLY = 0.8, 0.1
"""The shares from which, and below which, something holds for a bin, as for the labels' queue."""

NEVER_EMPTY = 0.98
"""The share of TTIs with a queue from which what an application writes does not all get through:
below it the link waits for the application again and again."""

HELD_US = 30_000
"""The least time that the kernel's clocks count in a bin, as for the labels' receive window."""

NEAR_NS = 500_000_000
"""How long after a policer's drop its losses are in progress: a repair and its wait."""

_WINDOW = ("cwnd_or_path",)


class Finer:
    """The finer labels of a run's connections.

    Parameters
    ----------
    case : Case
        The run.
    waits : mapping of int to sequence of (int, int)
        By the phone's port: when a packet waited on the wired path.
    bulk : bool
        Whether the applications always have more to write, until they have written all.
    """

    def __init__(
        self, case: Case, waits: Mapping[int, Sequence[Span]], *, bulk: bool = False
    ) -> None:
        self._samples: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
        for row in case.rows("SELECT * FROM {samples} ORDER BY time_ns"):
            self._samples[row["phone_port"]].append(row)
        self._times = {
            port: [row["time_ns"] for row in rows] for port, rows in self._samples.items()
        }
        self._waits = waits
        self._written_ns = {
            port: _written_ns(rows) if bulk else rows[0]["time_ns"]
            for port, rows in self._samples.items()
        }
        drops = case.rows(
            "SELECT event, time_ns FROM truth_events "
            f"WHERE direction = '{case.direction}' AND event LIKE '%policed' ORDER BY time_ns"
        )
        self._policed = {
            event: [row["time_ns"] for row in drops if row["event"] == event]
            for event in ("policed", "wired_policed")
        }

    def __call__(self, port: int, held: Held, label: str) -> str:
        """Give the label of a bin by what the kernel and the wired path show of it."""
        span = held.start_ns, held.end_ns
        here, before = self._of(port, span)
        writes = span[1] <= self._written_ns.get(port, 0)
        if label == "link" and held.label_without_queue == "idle_or_app":
            return _unfilled(writes=writes, empties=held.busy_ratio < NEVER_EMPTY)
        if label in (*LOSSES, *_WINDOW, "mixed_link_cwnd"):
            for event, name in (("policed", "policed"), ("wired_policed", "upstream_policed")):
                if _any(self._policed[event], (span[0] - NEAR_NS, span[1])):
                    return name
        waited = self._waited(port, span)
        if label in LOSSES:
            return "loss_over_upstream" if waited >= MOSTLY else label
        if label == "rwnd":
            return "zero_window" if _share(here, lambda row: not row["snd_wnd"]) > 0.5 else label
        if label == "idle_or_app":
            return _without_data(here, before, writes=writes)
        return _window(here, before, waited) if label in _WINDOW else label

    def _of(self, port: int, span: Span) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
        times = self._times.get(port, [])
        begin, end = bisect_left(times, span[0]), bisect_left(times, span[1])
        rows = self._samples.get(port, [])
        return rows[begin:end], rows[begin - 1] if begin else None

    def _waited(self, port: int, span: Span) -> float:
        """Give the share of a bin in which a packet waited on the wired path."""
        return length(within(self._waits.get(port, ()), span)) / (span[1] - span[0])


def _any(times: Sequence[int], span: Span) -> bool:
    return bisect_left(times, span[0]) < bisect_left(times, span[1])


def _share(rows: Sequence[Mapping[str, Any]], holds: Any) -> float:
    return sum(map(holds, rows)) / len(rows) if rows else 0.0


def _grew(rows: Sequence[Mapping[str, Any]], before: Mapping[str, Any] | None, name: str) -> int:
    every = [*([before] if before else ()), *rows]
    # A counter that falls is that of a new connection with the same ports.
    return sum(max(0, after[name] - first[name]) for first, after in pairwise(every))


def _written_ns(rows: Sequence[Mapping[str, Any]]) -> int:
    """Give when an application had written all but a segment or two, which are in no count."""
    written = [
        row["bytes_acked"] + row["unacked"] * row["snd_mss"] + row["notsent"] for row in rows
    ]
    least = max(written) - 2 * rows[-1]["snd_mss"]
    times = (row["time_ns"] for row, each in zip(rows, written, strict=True) if each >= least)
    return int(next(times))


def _unfilled(*, writes: bool, empties: bool) -> str:
    """Label a full link whose sender has sent all that its socket holds."""
    if writes:
        return "mixed_link_cwnd" if empties else "link"
    return "idle_or_app" if empties else "drain"


def _without_data(
    rows: Sequence[Mapping[str, Any]], before: Mapping[str, Any] | None, *, writes: bool
) -> str:
    # Before its first data the sender waits for a request, or its own application to begin.
    sending = _share(rows, lambda row: row["unacked"] > 0) >= MOSTLY
    if (writes and sending) or _grew(rows, before, "sndbuf_lim_us") > HELD_US:
        return "send_buffer"
    moved = _grew(rows, before, "busy_us") or _grew(rows, before, "bytes_acked")
    return "idle_or_app" if moved else "silent"


def _window(
    rows: Sequence[Mapping[str, Any]], before: Mapping[str, Any] | None, waited: float
) -> str:
    if waited >= MOSTLY:
        return "upstream_path"
    if waited >= HARDLY or not rows:
        return "cwnd_or_path"
    if _grew(rows, before, "sndbuf_lim_us") > HELD_US:
        return "send_buffer"
    if any(row["cc"] == "bbr" for row in rows):
        return "window_growth"
    # No threshold yet is an infinite one (RFC 5681 section 3.1).
    starting = _share(rows, _starting)
    if starting >= MOSTLY:
        return "slow_start"
    return "congestion_window" if starting <= 1 - MOSTLY else "window_growth"


def _starting(row: Mapping[str, Any]) -> bool:
    return row["ssthresh"] is None or row["cwnd"] < row["ssthresh"]
