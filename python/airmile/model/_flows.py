"""Samples of a dataset's own flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from airmile.answers.verdict import _quality
from airmile.model import _arguments as check
from airmile.model.inputs import Inputs
from airmile.store._definitions import LARGE, large_flow
from airmile.store._needs import CAPTURE, has, source

if TYPE_CHECKING:
    from airmile.dataset import Dataset

Array = NDArray[np.float64]

DIRECTIONS = {"downlink": "dl", "uplink": "ul"}


def from_dataset(dataset: Dataset, direction: str = "downlink") -> Inputs:
    """Return the samples of a dataset's TCP flows in a direction.

    Raises
    ------
    Missing
        It has no table of flows.
    """
    check.one_of("direction", direction, tuple(DIRECTIONS))
    rows = dataset._arrow(_query(dataset, DIRECTIONS[direction])).to_pydict()
    columns = {name: np.array(values, dtype=float) for name, values in rows.items()}
    rate, rtt, size = (columns[name] for name in ("rate_bps", "rtt_s", "bytes"))
    known, loaded = np.isfinite(rtt), columns["loaded"] == 1
    unloaded = known & ~loaded
    large = np.isfinite(rate)
    return Inputs(
        str(dataset.path),
        rates_bps=rate[large],
        rtts_s=rtt[unloaded],
        loaded_rtts_s=rtt[known & loaded],
        sizes_bytes=size[size > 0],
        rate_of_rtt_bps=rate[unloaded],
        times_s=columns["took_s"][np.isfinite(columns["took_s"])],
        notes=(
            *_notes(dataset, direction, large.sum(), unloaded.sum(), (known & loaded).sum()),
            *_without_tls(int(columns["plain"][size > 0].sum()), int((size > 0).sum())),
            *_quality.caveats(dataset),
        ),
        lacking=_lacking(direction),
        one_sample=_one_sample(direction),
    )


def _query(dataset: Dataset, way: str) -> str:
    """One row per TCP flow: its rate where it is large, its round trip where it has one."""
    span_s = f"({way}_last_payload_ns - {way}_first_payload_ns) / 1e9"
    flows = source(
        dataset, "flows", "uid", "ue", "protocol", "vantage", "start_ns", "initiator", "service",
        "handshake_rtt_ms",
        "handshake_after_idle", f"{way}_unique_bytes", f"{way}_first_payload_ns",
        f"{way}_last_payload_ns",
    )  # fmt: skip
    return f"""
        WITH busy AS ({_busy(dataset)}),
             width AS (SELECT run, any_value(width_ns) AS width_ns FROM busy GROUP BY run),
             flow AS (SELECT *, {way}_unique_bytes AS bytes, {span_s} AS span_s,
                             start_ns - start_ns % width_ns AS bin_ns
                      FROM {flows} LEFT JOIN width USING (run) WHERE protocol = 'tcp')
        SELECT coalesce(bytes, 0)::DOUBLE AS bytes, coalesce(service = 'http', false)::INT AS plain,
               -- Of a flow that was met in mid-stream the start is not known.
               CASE WHEN bytes > 0 AND initiator IS NOT NULL
                    THEN ({way}_last_payload_ns - start_ns) / 1e9 END AS took_s,
               CASE WHEN {large_flow("bytes", "span_s")}
                    THEN bytes * 8 / span_s END AS rate_bps,
               -- A handshake that wakes the radio holds a promotion. One of which that is not known
               -- may: at the phone; elsewhere the SYN passes after it (methods B1).
               CASE WHEN handshake_rtt_ms > 0
                         AND NOT coalesce(handshake_after_idle, vantage = 'ue', false)
                    THEN handshake_rtt_ms / 1e3 END AS rtt_s,
               EXISTS (SELECT 1 FROM busy WHERE busy.run = flow.run AND busy.ue = flow.ue
                       AND busy.start_ns = flow.bin_ns AND busy.uid <> flow.uid
                       AND flow.start_ns BETWEEN busy.first_ns AND busy.last_ns)::INT AS loaded
        FROM flow ORDER BY run, uid"""


def _busy(dataset: Dataset) -> str:
    """Give the bins of half a second in which each flow moved payload (methods D3).

    With them goes the time from the flow's first payload to its last: connections that a browser
    opens together move payload in one bin, but none of them was there before the others.
    """
    payload = [f"{way}_{end}_payload_ns" for end in ("first", "last") for way in ("ul", "dl")]
    flows = source(dataset, "flows", "uid", "ue", *payload)
    first, last = f"least({payload[0]}, {payload[1]})", f"greatest({payload[2]}, {payload[3]})"
    if not has(dataset, "throughput"):
        return (
            f"SELECT run, ue, uid, 0 AS start_ns, 1 AS width_ns, {first} AS first_ns, "
            f"{last} AS last_ns FROM {flows} LIMIT 0"
        )
    bins = source(dataset, "throughput", "uid", "start_ns", "bytes", "throughput_bps")
    return f"""
        SELECT DISTINCT bins.run, flows.ue, bins.uid, bins.start_ns,
               round(bins.bytes * 8e9 / bins.throughput_bps)::BIGINT AS width_ns,
               {first} AS first_ns, {last} AS last_ns
        FROM {bins} AS bins JOIN {flows} AS flows USING (run, uid)
        WHERE bins.throughput_bps > 0"""


def _notes(
    dataset: Dataset, direction: str, large: int, unloaded: int, loaded: int
) -> tuple[str, ...]:
    notes = (
        f"{dataset.path}: capacity is the {direction} throughput of {large} flows above {LARGE}, "
        f"a lower bound where something else limited them; round trips are of {unloaded} "
        f"handshakes without other traffic of the phone, {loaded} with it",
    )
    if has(dataset, "throughput"):
        return notes
    return (*notes, "without the table throughput no handshake is known to be under load")


def _without_tls(plain: int, flows: int) -> tuple[str, ...]:
    """Say how many flows have no TLS handshake to save."""
    if plain == 0:
        return ()
    return (
        f"{plain} of {flows} flows go to ports of HTTP without TLS: for these it is --baseline tcp",
    )


def _one_sample(direction: str) -> dict[str, str]:
    return {
        "rates_bps": f"TCP flow of more than {LARGE} {direction}, which tells the rate",
        "rtts_s": "handshake without other traffic of the phone, which tells the round trip",
        "loaded_rtts_s": "handshake during other traffic of the phone",
    }


def _lacking(direction: str) -> dict[str, str]:
    return {
        "rates_bps": f"no TCP flow has more than {LARGE} {direction}: capture a longer one, "
        "or give a CSV file",
        "rtts_s": "no handshake of an idle phone was seen whole: capture from before the first "
        "connection",
        "loaded_rtts_s": "no connection was opened while another one of the phone moved payload: "
        "open some during a download",
        "sizes_bytes": CAPTURE,
    }
