"""A burst as a line: for people, and as NDJSON for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from airmile._words import NBSP, counted, percent, rate, seconds, size
from airmile.live.burst import Burst
from airmile.live.link import Totals

SCHEMA = 1


def text(burst: Burst, *, name_user: bool) -> str:
    """Return a burst as a line of text; `name_user` if the log has several users."""
    throughput, average = burst.throughput_bps, burst.average_bps
    cells = [
        f"{_clock(burst.start_ns)} ",
        f"user {burst.user:<5}" if name_user else "",
        f"burst {_padded(_milliseconds(burst.throughput_time_ms), 9)}",
        _padded("-" if burst.bytes is None else size(burst.bytes), 8),
        _padded(rate(throughput) if throughput is not None else "-", 9),
        f" mean of 5 {_padded(rate(average), 9)}" if average is not None else "",
        "" if burst.closed else " (the log ends within it)",
    ]
    return "  ".join(cell for cell in cells if cell).replace(NBSP, " ").rstrip()


def event(burst: Burst) -> str:
    """Return a burst as one line of JSON."""
    return json.dumps({"schema": SCHEMA, "event": "burst", **vars(burst)})


def ending(totals: Totals, state: Mapping[str, Any]) -> str:
    """Return a summary of all bursts for the end of the log."""
    if state["last_ns"] is None:
        return "end of the log: nothing in it that airmile reads"
    span_s = (state["last_ns"] - state["first_ns"]) / 1e9
    busy = totals.throughput_time_ms / 1e3
    alone = totals.users <= 1 and span_s > 0
    share = f", the downlink busy for {percent(busy / span_s)} of it" if alone else ""
    sums = f"{counted(totals.bursts, 'burst')}, {size(totals.bytes)} in {seconds(span_s)}{share}"
    return f"end of the log: {sums}".replace(NBSP, " ")


def end_event(totals: Totals, state: Mapping[str, Any]) -> str:
    """Return the summary as one line of JSON."""
    figures = {
        "bursts": totals.bursts,
        "bytes": totals.bytes,
        "throughput_time_ms": totals.throughput_time_ms,
        "first_ns": state["first_ns"],
        "last_ns": state["last_ns"],
        "skipped": totals.skipped,
    }
    return json.dumps({"schema": SCHEMA, "event": "end", **figures})


def _clock(ns: int) -> str:
    return f"{datetime.fromtimestamp(ns // 10**9, UTC):%H:%M:%S}.{ns % 10**9 // 10**6:03d}"


def _milliseconds(ms: float) -> str:
    return f"{ms:,.0f}".replace(",", NBSP) + f"{NBSP}ms"


def _padded(text: str, width: int) -> str:
    return text.rjust(width)
