"""The rows of the truth of a run."""

from __future__ import annotations

from dataclasses import dataclass

TRUTH_COLUMNS = ("tap", "port", "start_ns", "end_ns", "label")
REQUEST_COLUMNS = (
    "tap",
    "port",
    "number",
    "request_end_ns",
    "first_byte_ns",
    "server_wait_ns",
    "round_trip_ns",
)


@dataclass(frozen=True)
class Row:
    """The label of a connection over a span."""

    tap: str
    port: int
    start_ns: int
    end_ns: int
    label: str


@dataclass(frozen=True)
class Wait:
    """The wait of one request at a capture point."""

    tap: str
    port: int
    number: int
    request_end_ns: int
    first_byte_ns: int
    server_wait_ns: int
    round_trip_ns: int
