"""The list of flows as text, fitted to the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from airmile._words import DAY_S, NBSP, count, moment, printable, seconds, size
from airmile.answers.verdict._flows import place
from airmile.causes import cause_name
from airmile.render import grid

Row = dict[str, Any]

COLUMNS: dict[str, Callable[[Row], str]] = {
    "rank": lambda row: str(row["rank"]),
    "start": lambda row: _known(partial(_start, row), row["since_start_s"]),
    "duration": lambda row: _known(seconds, row["duration_s"]),
    "server": place,
    "down": lambda row: _known(size, row["dl_payload_bytes"]),
    "up": lambda row: _known(size, row["ul_payload_bytes"]),
    "limited by": lambda row: _cause(row),
    "rtt": lambda row: _known(seconds, row["round_trip_s"]),
    "resent": lambda row: count(row["resent"]) if row["tracked"] else "-",
    "uid": lambda row: str(row["uid"]),
}
"""The headings of the columns, each with the function that writes its text for a flow."""

TEXTS = {"server": len("255.255.255.255:65535"), "limited by": len("undetermined")}
"""Columns that may be folded, and their least width: an IPv4 address with port, or a word."""

LEFT_OUT = ("uid", "start", "resent", "duration")
"""Columns that a narrow terminal leaves out, in this order; a rank identifies a flow like a uid."""

REASONS = {
    "quic": "QUIC",
    "udp": "UDP",
    "icmp": "ICMP",
    "other_protocol": "no TCP",
    "no_payload": "no payload",
    "no_transfer": "no transfer seen",
    "control": "small calls",
    "no_time": "no time",
}
"""Why nothing limited a flow, by the words of `flows.limited_by_reason`."""

SHOWN_AS = {
    "start_ns": "start",
    "duration_s": "duration",
    "server": "server",
    "dl_payload_bytes": "down",
    "ul_payload_bytes": "up",
    "limited_by": "limited by",
    "uid": "uid",
}
"""Columns of the table `flows` that the list always shows."""


def lines(flows: list[Row], sort: str | None, width: int | None) -> Iterator[str]:
    """Yield the lines of a list of flows, in at most `width` columns if that is given.

    `sort` is the column by which they are ordered; it is shown after the rank, unless the list
    always shows it.
    """
    whole = _grid(flows, None if sort in SHOWN_AS else sort)
    for number in range(len(LEFT_OUT) + 1):
        left = LEFT_OUT[:number]
        narrowed = whole.kept([name not in left for name in whole.names])
        fitting = grid.folded(narrowed, width, TEXTS)
        if fitting is not None:
            yield from _plain(fitting)
            if left:
                explanation = f"... columns left out: {', '.join(left)} (a pipe gets all)"
                yield from textwrap.wrap(explanation, width or len(explanation))
            return
    yield from _plain(grid.blocks(whole, width or 0, len(flows)))


REPEATED_RATIO = 0.05
"""The share of repeated bytes from which the sizes of a list and of a report look different."""


def note(flows: list[Row]) -> str:
    """Return why sizes are larger than those of a report; nothing if they hardly are."""
    if not any(_repeats(row, way) for row in flows for way in ("dl", "ul")):
        return ""
    return "down, up: with what was sent again; the report of a flow counts each byte once"


def _repeats(row: Row, way: str) -> bool:
    carried, unique = row[f"{way}_payload_bytes"], row.get(f"{way}_unique_bytes")
    return bool(carried and unique and carried - unique >= REPEATED_RATIO * carried)


def _grid(flows: list[Row], sort: str | None) -> grid.Grid:
    columns = {name: [text(row) for row in flows] for name, text in COLUMNS.items()}
    if sort is not None:
        by = [grid.shown(row["sorted_by"]) for row in flows]
        columns = {"rank": columns.pop("rank"), sort: by, **columns}
    right = [name not in TEXTS for name in columns]
    return grid.Grid(list(columns), list(columns.values()), right)


def _cause(row: Row) -> str:
    cause, reason = row["limited_by"], row["limited_by_reason"]
    if cause is not None:
        return cause_name(cause, cellular=row["cellular"])
    return "-" if reason is None else f"- ({REASONS.get(reason, printable(reason))})"


def _start(row: Row, since_s: float) -> str:
    if since_s >= DAY_S:
        return f"{moment(row['start_ns'])}{NBSP}UTC"
    return f"{since_s:.3f}{NBSP}s"


def _known(text: Callable[[Any], str], value: Any) -> str:
    return "-" if value is None else text(value)


def _plain(written: Iterator[str]) -> Iterator[str]:
    return (line.replace(NBSP, " ") for line in written)
