"""The parts of runs: hosts and workloads."""

from __future__ import annotations

from typing import Any

from tests.recorded.runs import Table

SECONDS = 7
"""The duration of a transfer: long enough for every state of a sender, several times."""

ONCE = (1, 2)
"""Seeds of runs that last long: one to develop with, one held out."""


def controls(control: str) -> Table:
    return {"hosts": {end: {"congestion_control": control} for end in ("server", "phone")}}


def download(seconds: float = SECONDS, **more: Any) -> Table:
    return {"name": "bulk_download", "bytes": 1_000_000_000, "seconds": seconds, **more}


def upload(mbps: float, seconds: float = SECONDS, **more: Any) -> Table:
    return {"name": "bulk_upload", "bytes": round(mbps * 1e6 / 8 * seconds), **more}


def posted(mbps: float, **more: Any) -> Table:
    size = round(mbps * 1e6 / 8 * SECONDS)
    flow = {"count": 1, "request_bytes": [size, size], "answer_bytes": [200, 200]}
    return {"name": "exchange", "flows": [flow], **more}


def asked(count: int, answer_bytes: int, **more: Any) -> Table:
    flow = {"count": count, "answer_bytes": [answer_bytes, answer_bytes], **more}
    return {"name": "exchange", "flows": [flow]}


def window(mbps: float, wired_ms: float) -> int:
    """Give the receive buffer that limits a sender to a rate on an ordinary link."""
    return round(mbps * 1e6 / 8 * (2 * wired_ms + _RADIO_MS) / 1e3)


_RADIO_MS = 24.0
"""The least round trip of the radio: air both ways, and a grant."""
