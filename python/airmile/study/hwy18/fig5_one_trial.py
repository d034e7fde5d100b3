"""Figure 5: bytes in flight and round trips during one trial of each congestion control."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from airmile._words import rate, seconds, size
from airmile.store._needs import Missing
from airmile.study import _packets
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import BEFORE_RADIO, Needs
from airmile.study.hwy18._trials import HOW, LACKING, trials

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

BIN_S = 0.1
"""The bin in s, with its most bytes in flight and its median round trip; our choice."""

PUBLISHED = {"bbr": "45 Mbps", "cubic": "36 Mbps"}
"""The throughput of the two trials in the paper."""

_SCHEMA = pa.schema(
    [("control", pa.string()), ("run", pa.string()), ("uid", pa.uint64()), ("bps", pa.float64()),
     ("time_s", pa.float64()), ("in_flight_bytes", pa.int64()), ("rtt_ms", pa.float64()),
     ("samples", pa.int64())]
)  # fmt: skip


def table(dataset: Tables) -> pa.Table:
    """Return one row per 100 ms of the fastest trial of each congestion control."""
    chosen = _fastest(dataset)
    bins = {
        trial["control"]: _bins(packets, trial)
        for trial, packets in _packets.of_flows(dataset, chosen)
    }
    rows = [row for trial in chosen for row in bins[trial["control"]]]
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def _fastest(dataset: Tables) -> list[dict[str, Any]]:
    """Return the fastest trial of each congestion control."""
    chosen = dataset.records(f"""
        SELECT run, uid, control, bps, dl_first_payload_ns AS first_ns FROM {trials(dataset)}
        WHERE bps IS NOT NULL
        QUALIFY row_number() OVER (PARTITION BY control ORDER BY bps DESC, run, uid) = 1
        ORDER BY control""")
    if not chosen:
        raise Missing(f"{dataset.path}: {LACKING}", HOW)
    return chosen


def _bins(packets: pa.Table, trial: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the bins of a trial in which a packet was sent or a round trip was measured."""
    flights: dict[int, int] = {}
    rtts: dict[int, list[float]] = {}
    sent = acknowledged = 0
    for packet in packets.to_pylist():
        place = int((packet["time_ns"] - trial["first_ns"]) // (BIN_S * 1e9))
        if packet["direction"] == "downlink" and packet["payload_bytes"]:
            sent = max(sent, packet["end_offset"])
            flights[place] = max(flights.get(place, 0), sent - acknowledged)
        elif packet["direction"] == "uplink" and packet["ack_offset"] is not None:
            acknowledged = max(acknowledged, packet["ack_offset"])
            if packet["rtt_ms"] is not None:
                rtts.setdefault(place, []).append(packet["rtt_ms"])
    known = {name: trial[name] for name in ("control", "run", "uid", "bps")}
    return [
        {
            **known, "time_s": place * BIN_S, "in_flight_bytes": flights.get(place),
            "rtt_ms": _median(rtts.get(place, [])), "samples": len(rtts.get(place, [])),
        }
        for place in sorted({*flights, *rtts})
    ]  # fmt: skip


def _median(values: list[float]) -> float | None:
    return sorted(values)[len(values) // 2] if values else None


def findings(rows: pa.Table) -> list[Finding]:
    """Return for each trial its throughput, most bytes in flight and median round trip."""
    found = []
    for control, own in by_control(rows).items():
        flights = [row["in_flight_bytes"] for row in own if row["in_flight_bytes"] is not None]
        rtts = [row["rtt_ms"] for row in own if row["rtt_ms"] is not None]
        middle = _median(rtts)
        found += [
            Finding(f"{control}: throughput", rate(own[0]["bps"]), PUBLISHED.get(control, "")),
            Finding("  most bytes in flight", size(max(flights)) if flights else "unknown"),
            Finding("  median round trip", "unknown" if middle is None else seconds(middle / 1e3),
                    "", sum(row["samples"] for row in own)),
        ]  # fmt: skip
    return found


def by_control(rows: pa.Table) -> dict[str, list[dict[str, Any]]]:
    """Return the bins of each trial, by the name of its congestion control."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows.to_pylist():
        found.setdefault(row["control"], []).append(row)
    return found


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw bytes in flight above round trips, with a line for each congestion control."""
    from airmile.study import _style

    above, below = figure.subplots(2, 1, sharex=True)
    for place, (control, own) in enumerate(by_control(rows).items()):
        colour, dash = _style.series(place)[0], _style.DASHES[place % 4]
        for axes, column, per in ((above, "in_flight_bytes", 1e3), (below, "rtt_ms", 1.0)):
            known = [row for row in own if row[column] is not None]
            axes.plot(
                [row["time_s"] for row in known], [row[column] / per for row in known], dash,
                color=colour, linewidth=1.4, label=f"{control} ({rate(own[0]['bps'])})",
            )  # fmt: skip
    for axes in (above, below):
        axes.set_ylim(bottom=0)
    _style.plain(above, "", "bytes in flight (KB)")
    _style.plain(below, "time since the first payload (s)", "round trip (ms)")
    _style.legend(above)


fig5 = Exhibit(
    "hwy18", "fig5", "section 5.1", "Bytes in flight and round trips of one trial",
    table, findings, picture,
    caption=(
        "The fastest download of each congestion control: most bytes in flight and median round "
        "trip in each 100 ms. Both are seen from the capture point, so that what the sender had "
        "sent but a monitor not yet seen is missing (methods B4, C1)."
    ),
    needs=Needs(places=BEFORE_RADIO),
)  # fmt: skip
