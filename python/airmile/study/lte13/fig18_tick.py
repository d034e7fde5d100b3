"""Figure 18: the time that two packets need between them to show the tick of the phone's clock."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from airmile._words import percent, seconds
from airmile.store._needs import Missing, some
from airmile.study import _packets
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import BEFORE_RADIO, Needs
from airmile.study.lte13 import _flows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

APART_S = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0)
"""The times between two packets in s, delta_G in the paper, which chooses 3 s."""

CHOSEN_S, LITTLE = 3.0, 0.001

FLOWS, PAIRS = 20, 200
"""The number of flows, the longest ones, and the number of packet pairs in each."""

WHOLE_S = 10.0
"""The shortest flow in s whose fitted tick counts as the truth."""

HOW = "capture flows of 10 s or more whose phone sends TCP timestamps, and keep the capture"

_SCHEMA = pa.schema(
    [("run", pa.string()), ("uid", pa.uint64()), ("tick_ms", pa.float64()),
     ("apart_s", pa.float64()), ("pairs", pa.int64()), ("error_mean_ratio", pa.float64()),
     ("error_p90_ratio", pa.float64())]
)  # fmt: skip


def table(dataset: Tables) -> pa.Table:
    """Return one row per flow and delta_G: the error of the tick from two packets (methods E1).

    The truth is the tick that all packets of the flow show together (`tick_ms`); in the paper it is
    the tick of a trace of 30 minutes.
    """
    chosen = _longest(dataset)
    errors = {
        (flow["run"], flow["uid"]): list(_errors(dataset, flow, packets))
        for flow, packets in _packets.of_flows(dataset, chosen)
    }
    rows = [row for flow in chosen for row in errors[flow["run"], flow["uid"]]]
    lacking = f"{dataset.path}: no flow of {WHOLE_S:g} s or more with the tick of its phone"
    return some(pa.Table.from_pylist(rows, schema=_SCHEMA), lacking, HOW)


def _longest(dataset: Tables) -> list[dict[str, Any]]:
    flows = _flows.tcp(dataset, "uid", "start_ns", "end_ns", "tick_ms")
    return dataset.records(f"""
        SELECT run, uid, tick_ms FROM {flows}
        WHERE tick_ms IS NOT NULL
        ORDER BY end_ns - start_ns DESC, uid LIMIT {FLOWS}""")


def _errors(
    dataset: Tables, flow: Mapping[str, Any], packets: pa.Table
) -> Iterator[dict[str, Any]]:
    if "timestamp" not in packets.column_names:
        raise Missing(f"{dataset.path}: the packets have no timestamps", HOW)
    sent = packets.filter(
        pc.and_(pc.equal(packets["direction"], "uplink"), pc.is_valid(packets["timestamp"]))
    )
    points = list(
        zip(sent["time_ns"].to_pylist(), sent["timestamp"].to_pylist(), strict=True)
    )  # fmt: skip
    times = [time for time, _ in points]
    for apart_s in APART_S:
        found = sorted(_of_pairs(points, times, apart_s, flow["tick_ms"]))
        if found:
            yield {
                **flow, "apart_s": apart_s, "pairs": len(found),
                "error_mean_ratio": sum(found) / len(found),
                "error_p90_ratio": found[min(len(found) - 1, int(0.9 * len(found)))],
            }  # fmt: skip


def _of_pairs(
    points: list[tuple[int, int]], times: list[int], apart_s: float, tick_ms: float
) -> Iterator[float]:
    """Yield the error of each pair: a packet and the first one that is far enough after it."""
    for first in range(0, len(points), max(1, len(points) // PAIRS)):
        time, stamp = points[first]
        second = bisect_left(times, time + round(apart_s * 1e9))
        if second < len(points):
            ticks = (points[second][1] - stamp) % 2**32
            if 0 < ticks < 2**31:
                yield abs((points[second][0] - time) / 1e6 / ticks / tick_ms - 1)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the mean error over the flows at some times between packets."""
    found = [Finding("flows", str(len(set(rows["uid"].to_pylist()))), "2 devices")]
    for apart_s in (0.1, 1.0, CHOSEN_S, 10.0):
        own = rows.filter(pc.equal(rows["apart_s"], apart_s))
        if own.num_rows:
            error = pc.mean(own["error_mean_ratio"]).as_py()
            published = "less than 0.1 %" if apart_s == CHOSEN_S else ""
            pairs = pc.sum(own["pairs"]).as_py()
            name = f"mean error, packets {seconds(apart_s)} apart"
            found.append(Finding(name, _small(error), published, pairs))
    return found


def _small(ratio: float) -> str:
    return percent(ratio) if ratio >= 0.01 else f"{ratio * 100:.2g} %"


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a line per flow, coloured by its tick, and mark the paper's choice."""
    from airmile.study import _style

    axes = figure.subplots()
    flows: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in rows.to_pylist():
        flows.setdefault((row["run"], row["uid"]), []).append(row)
    ticks = sorted({round(own[0]["tick_ms"], 1) for own in flows.values()})
    named: set[float] = set()
    for own in flows.values():
        tick = round(own[0]["tick_ms"], 1)
        number = ticks.index(tick) % len(_style.SERIES)
        axes.plot(
            [row["apart_s"] for row in own],
            [max(row["error_mean_ratio"], 1e-6) * 100 for row in own],
            color=_style.SERIES[number], marker=_style.MARKS[number % len(_style.MARKS)],
            markersize=4, linewidth=1, alpha=0.7,
            label=None if tick in named else f"tick of {tick:g} ms",
        )  # fmt: skip
        named.add(tick)
    _style.log_x(axes)
    _style.log_y(axes)
    _style.threshold(axes, CHOSEN_S, "the paper's choice: 3 s")
    axes.axhline(
        LITTLE * 100, color=_style.GREY, linewidth=1, linestyle="--", label="0.1 %, as in the paper"
    )
    _style.plain(axes, "time between the two packets (s)", "mean error of the tick (%)")
    _style.legend(axes)


fig18 = Exhibit(
    "lte13", "fig18", "section 6.1", "The tick of the phone's clock from two packets", table,
    findings, picture, flows=_longest,
    needs=Needs(places=BEFORE_RADIO, timestamps=True, least_s=WHOLE_S),
    caption=(
        "Error of the tick of the phone's timestamp clock when it is taken from two packets, by "
        "the time between them; a line is a flow, and the 20 longest flows are shown. The truth "
        "is the tick that all packets of the flow show together (methods E1)."
    ),
)  # fmt: skip
