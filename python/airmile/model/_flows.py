"""Rates, round trips and sizes that the flows of a dataset give to the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from airmile._words import NBSP, counted, seconds, size
from airmile.answers.verdict import _quality
from airmile.model import _arguments as check
from airmile.model._alone import LEAST_SIZE, throughputs
from airmile.model._background import POOLED, left_out
from airmile.model._stalled import stalled as stalled_flows
from airmile.model.inputs import Inputs
from airmile.store._definitions import LARGE, large_flow
from airmile.store._needs import has, of_phones, source
from airmile.store._remedies import CAPTURE

if TYPE_CHECKING:
    from airmile.store import Tables

Array = NDArray[np.float64]

DIRECTIONS = {"downlink": "dl", "uplink": "ul"}


def from_dataset(dataset: Tables, direction: str = "downlink") -> Inputs:
    """Return the measurements of a dataset's TCP flows in one direction.

    Raises
    ------
    Missing
        The dataset has no table of flows.
    """
    check.one_of("direction", direction, tuple(DIRECTIONS))
    way = DIRECTIONS[direction]
    rows = dataset.arrow(_query(dataset, way)).to_pydict()
    runs = np.array(rows.pop("run"), dtype=str)
    columns = {name: np.array(values, dtype=float) for name, values in rows.items()}
    rate, rtt, moved = (columns[name] for name in ("rate_bps", "rtt_s", "bytes"))
    stalled = columns["stalled"] == 1
    known, loaded = np.isfinite(rtt), columns["loaded"] == 1
    unloaded = known & ~loaded
    others = left_out(dataset)
    pooled = known & loaded & ~np.isin(runs, others)
    large = np.isfinite(rate) & ~stalled
    alone = dataset.arrow(throughputs(dataset, way))
    return Inputs(
        str(dataset.path),
        rates_bps=rate[large],
        rtts_s=rtt[unloaded],
        loaded_rtts_s=rtt[pooled],
        sizes_bytes=moved[moved > 0],
        throughputs_bps=alone["throughput_bps"].to_numpy(),
        long_throughputs_bps=alone.filter(alone["long"])["throughput_bps"].to_numpy(),
        rate_of_rtt_bps=np.where(stalled, np.nan, rate)[unloaded],
        times_s=columns["took_s"][np.isfinite(columns["took_s"])],
        notes=(
            *_notes(dataset, direction, large.sum(), unloaded.sum(), pooled.sum()),
            *_stalled(int((np.isfinite(rate) & stalled).sum())),
            *_other_controls(others),
            *_without_tls(int(columns["plain"][moved > 0].sum()), int((moved > 0).sum())),
            *_quality.caveats(dataset),
        ),
        seen={"rates_bps": _largest(columns, stalled), "rtts_s": _handshakes(columns)},
        lacking=_lacking(direction),
        more=_lacking(direction),
        otherwise=OTHERWISE,
        one_sample=_one_sample(direction),
    )


def _query(dataset: Tables, way: str) -> str:
    """Return a query of one row per TCP flow: size, round trip, and the rate of a large flow."""
    span_s = f"({way}_last_payload_ns - {way}_first_payload_ns) / 1e9"
    flows = of_phones(
        dataset, "uid", "protocol", "vantage", "start_ns", "initiator", "service",
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
        SELECT run, coalesce(bytes, 0)::DOUBLE AS bytes,
               coalesce(service = 'http', false)::INT AS plain,
               span_s, (handshake_rtt_ms > 0)::INT AS complete,
               -- The start of a flow that began before the capture is unknown.
               CASE WHEN bytes > 0 AND initiator IS NOT NULL
                    THEN ({way}_last_payload_ns - start_ns) / 1e9 END AS took_s,
               CASE WHEN {large_flow("bytes", "span_s")}
                    THEN bytes * 8 / span_s END AS rate_bps,
               -- A handshake that wakes the radio includes the promotion delay. If that is unknown,
               -- one captured on the phone may include it; elsewhere the SYN passes the capture
               -- point after the promotion (methods B1).
               CASE WHEN handshake_rtt_ms > 0
                         AND NOT coalesce(handshake_after_idle, vantage = 'ue', false)
                    THEN handshake_rtt_ms / 1e3 END AS rtt_s,
               ((run, uid) IN {stalled_flows(dataset, way)})::INT AS stalled,
               EXISTS (SELECT 1 FROM busy WHERE busy.run = flow.run AND busy.ue = flow.ue
                       AND busy.start_ns = flow.bin_ns AND busy.uid <> flow.uid
                       AND flow.start_ns BETWEEN busy.first_ns AND busy.last_ns)::INT AS loaded
        FROM flow ORDER BY run, uid"""


def _busy(dataset: Tables) -> str:
    """Return a query of the half-second bins in which each flow moved payload (methods D3).

    Each row also has the times of the flow's first and last payload. They show whether the flow
    loaded the link before another one began: connections that a browser opens together share a bin,
    but none of them loaded the link for the others.
    """
    payload = [f"{way}_{end}_payload_ns" for end in ("first", "last") for way in ("ul", "dl")]
    flows = of_phones(dataset, "uid", *payload)
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
    dataset: Tables, direction: str, large: int, unloaded: int, loaded: int
) -> tuple[str, ...]:
    notes = (
        f"{dataset.path}: capacity is the {direction} throughput of {_number(large, 'flow')} "
        f"above {LARGE}, a lower bound where something else limited them",
        f"{dataset.path}: round trips are from {_number(unloaded, 'handshake')} without other "
        f"traffic of the phone and {loaded} with it",
    )
    if has(dataset, "throughput"):
        return notes
    return (*notes, "without the table throughput no handshake is known to be under load")


def _number(of: int, noun: str) -> str:
    return counted(of, noun).replace(NBSP, " ")


def _other_controls(runs: list[str]) -> tuple[str, ...]:
    """Return a note with the number of runs whose round trips under load are not used."""
    if not runs:
        return ()
    return (
        f"round trips under load are those beside {' or '.join(POOLED)} flows, as in EFF14: "
        f"{len(runs)} runs with other flows are left out",
    )


def _stalled(flows: int) -> tuple[str, ...]:
    """Return a note with the number of large flows that stood still for most of their time."""
    if flows == 0:
        return ()
    return (
        f"{_number(flows, 'flow')} above {LARGE} left out: for most of the time the application "
        "gave no data, or the sender waited for a timer, so the link could have carried more",
    )


def _without_tls(plain: int, flows: int) -> tuple[str, ...]:
    """Return a note with the number of flows that have no TLS handshake to save."""
    if plain == 0:
        return ()
    return (
        f"{plain} of {flows} flows go to ports of HTTP without TLS: for these use --baseline tcp",
    )


def _one_sample(direction: str) -> dict[str, str]:
    return {
        "rates_bps": f"TCP flow of more than {LARGE} {direction}, which gives the rate",
        "throughputs_bps": f"TCP flow of {LEAST_SIZE} or more alone, which gives the throughput",
        "long_throughputs_bps": f"TCP flow of more than {LARGE} alone, which gives the throughput",
        "rtts_s": "handshake without other traffic of the phone, which gives the round trip",
        "loaded_rtts_s": "handshake during other traffic of the phone",
    }


def _lacking(direction: str) -> dict[str, str]:
    """Return how to get more samples of each group."""
    return {
        "rates_bps": f"capture two or more transfers of more than {LARGE} {direction} on the same "
        "network, as of a speed test or a large file, and analyse them with this capture: airmile "
        "analyze captures/ -o users.airmile",
        "throughputs_bps": f"capture two or more transfers of {LEAST_SIZE} {direction} from their "
        "start, without other traffic of the phone",
        "long_throughputs_bps": f"capture two or more transfers of more than {LARGE} {direction} "
        "from their start, without other traffic of the phone",
        "rtts_s": "begin the capture before the phone's first connection, and open some "
        "connections while it has no other traffic",
        "loaded_rtts_s": "open some connections during a download of the phone",
        "sizes_bytes": CAPTURE,
    }


OTHERWISE = (
    "or give your own numbers in a CSV file (columns rate_mbps, rtt_ms, size_bytes), or a paper's "
    "with your sizes: --from eff14-4g --sizes 2e4,2e5"
)


def _largest(columns: Mapping[str, Array], stalled: NDArray[np.bool_]) -> str:
    """Say how far the largest flow whose duration is known is from showing the rate."""
    moved, span_s = columns["bytes"], columns["span_s"]
    known = (moved > 0) & np.isfinite(span_s) & ~stalled
    unknown = int((moved > 0).sum() - known.sum() - ((moved > 0) & stalled).sum())
    if not known.any():
        return _without_duration(unknown, int(stalled.sum()))
    place = int(np.where(known, moved, 0).argmax())
    largest = f"{size(moved[place])} in {seconds(span_s[place])}"
    flows = counted(int(known.sum()), "TCP flow") + (" of known duration" if unknown else "")
    return f"a rate takes a flow of more than {LARGE}, and the largest of {flows} has {largest}"


def _without_duration(flows: int, stalled: int) -> str:
    """Say why no flow is the largest."""
    if stalled:
        return f"{counted(stalled, 'TCP flow')} stood still for most of the time"
    if flows == 0:
        return "no TCP flow has payload in this direction"
    of = counted(flows, "TCP flow")
    return f"of {of} with payload in this direction none has a known duration"


def _handshakes(columns: Mapping[str, Array]) -> str:
    """Say what became of the handshakes that were captured."""
    complete, awake = columns["complete"] == 1, np.isfinite(columns["rtt_s"])
    if not complete.any():
        return "no complete handshake was captured"
    return (
        f"of {counted(int(complete.sum()), 'complete handshake')} "
        f"{int((awake & (columns['loaded'] == 1)).sum())} met other traffic of the phone, and "
        f"{int((complete & ~awake).sum())} woke its radio or may have"
    )
