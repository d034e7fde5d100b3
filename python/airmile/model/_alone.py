"""Throughputs of flows that had the phone's link for themselves, as in EFF14 (methods I0)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.model._stalled import stalled
from airmile.store._definitions import large_flow
from airmile.store._needs import source

if TYPE_CHECKING:
    from airmile.store import Tables

LEAST_BYTES = 327_680
"""The size of EFF14's short flows (section III); a smaller flow is not counted."""

LEAST_SIZE = "320 KiB"
"""`LEAST_BYTES` as reports write it."""


def throughputs(dataset: Tables, way: str) -> str:
    """Return SQL for the throughput, in bit/s, of each TCP flow without another flow beside it.

    It is from the SYN to the last payload, whatever the duration; `long` marks large flows (methods
    T5), as EFF14's runs A. Not counted are flows whose begin was not captured, those during which
    another flow of the phone had payload, and those that stood still for most of their time.
    """
    long = large_flow(
        f"{way}_unique_bytes", f"({way}_last_payload_ns - {way}_first_payload_ns) / 1e9"
    )
    last = f"{way}_last_payload_ns"
    payload = [f"{side}_{end}_payload_ns" for end in ("first", "last") for side in ("ul", "dl")]
    flows = source(
        dataset, "flows", "uid", "ue", "protocol", "start_ns", "initiator",
        f"{way}_unique_bytes", *payload,
    )  # fmt: skip
    first, end = f"least({payload[0]}, {payload[1]})", f"greatest({payload[2]}, {payload[3]})"
    return f"""
        WITH flow AS (
            SELECT *, {first} AS first_ns, {end} AS end_ns FROM {flows} WHERE {first} IS NOT NULL),
        own AS (
            SELECT * FROM flow
            WHERE protocol = 'tcp' AND initiator IS NOT NULL
                AND {way}_unique_bytes >= {LEAST_BYTES} AND {last} > start_ns)
        SELECT {way}_unique_bytes * 8e9 / ({last} - start_ns) AS throughput_bps,
            coalesce({long}, false) AS long
        FROM own
        WHERE (own.run, own.uid) NOT IN {stalled(dataset, way)} AND NOT EXISTS (
            SELECT 1 FROM flow WHERE flow.run = own.run AND flow.ue = own.ue
                AND flow.uid <> own.uid
                AND flow.first_ns <= own.{last} AND flow.end_ns >= own.start_ns)
        ORDER BY own.run, own.uid"""
