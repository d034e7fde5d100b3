"""SQL of the seconds of sessions that have payload, over all flows of a phone (methods A8, A9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.store import _needs
from airmile.store._needs import source
from airmile.study._curves import Curve

if TYPE_CHECKING:
    from airmile.store import Tables

KB = 1000

SIZES = (("up to 10 KB", 0, 10 * KB), ("10 to 100 KB", 10 * KB, 100 * KB),
         ("above 100 KB", 100 * KB, None))  # fmt: skip
"""The classes of a second by uplink bytes: more than the first, up to the second; our choice."""

LITTLE_BYTES = 5 * KB
"""A second with fewer downlink bytes counts as upload alone (UP16 section 3)."""


def how(dataset: Tables) -> str:
    """Return how to get slots with samples."""
    return _needs.samples(dataset, "capture uploads on the phone")


def slots(dataset: Tables) -> str:
    """Return SQL with one row per slot, which is a second of a session with payload.

    `rtt_increase_ms` is the mean over the uplink samples in the slot of the RTT minus the least RTT
    of the flow. `on_device_delay_ms` is the mean delay within the phone. Both are null without
    samples.
    """
    rows = source(
        dataset, "slots", "uid", "session_id", "slot", "ul_bytes", "dl_bytes", "ul_rtt_ms",
        "ul_rtt_samples", "on_device_delay_ms", "on_device_delay_samples",
    )  # fmt: skip
    flows = source(dataset, "flows", "uid", "ul_rtt_min_ms")
    return f"""(
        SELECT run, session_id, slot, count(*) AS flows, sum(ul_bytes)::BIGINT AS ul_bytes,
            sum(dl_bytes)::BIGINT AS dl_bytes,
            sum(ul_rtt_samples * (ul_rtt_ms - ul_rtt_min_ms))
                / nullif(sum(ul_rtt_samples) FILTER (ul_rtt_ms IS NOT NULL), 0) AS rtt_increase_ms,
            sum(on_device_delay_samples * on_device_delay_ms)
                / nullif(sum(on_device_delay_samples), 0) AS on_device_delay_ms
        FROM {rows} JOIN {flows} USING (run, uid) GROUP BY run, session_id, slot)"""


def by_size(dataset: Tables, value: str, condition: str) -> list[Curve]:
    """Return a curve of a value, in seconds, for each class of uplink bytes."""
    return [
        Curve(
            name,
            f"""SELECT {value} / 1e3 AS value FROM {slots(dataset)}
            WHERE {condition} AND ul_bytes > {least}"""
            + ("" if most is None else f" AND ul_bytes <= {most}"),
        )
        for name, least, most in SIZES
    ]
