"""Figure 10: how the round trip to the phone grows with the bytes in flight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from airmile._words import count, seconds, size
from airmile.store._needs import Missing, samples, some, source
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import BEFORE_RADIO, Needs
from airmile.study._together import joined

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

BIN_KB = 25
"""The width in KB of a bin of bytes in flight."""

SHOWN = 20
"""The fewest samples of a bin in the picture: quartiles of fewer are due to chance."""

QUANTILES = (5, 25, 50, 75, 95)

BEYOND_PHONE = (
    "capture a download between the radio network and the servers, or at the server: a capture on "
    "the phone does not show when its data were sent"
)
LONGER = "capture a longer download"


def table(dataset: Tables) -> pa.Table:
    """Return one row per bin of bytes in flight: RTT quantiles of the packets (methods B4, C1).

    The RTTs are of downlink data: at a monitor between the monitor and the phone, at a server on
    the whole path.
    """
    known = source(dataset, "rtt_samples", "direction", "rtt_ms", "in_flight_bytes", "source")
    quantiles = ", ".join(f"quantile_cont(rtt_ms, {q / 100}) AS rtt_p{q}_ms" for q in QUANTILES)
    rows = dataset.arrow(f"""
        SELECT (in_flight_bytes // {BIN_KB * 1000} * {BIN_KB})::BIGINT AS in_flight_kb, source,
            count(*) AS n, {quantiles}
        FROM {known}
        WHERE direction = 'downlink' AND in_flight_bytes IS NOT NULL AND rtt_ms IS NOT NULL
        GROUP BY ALL ORDER BY source, in_flight_kb""")
    lacking = f"{dataset.path}: no downlink RTT sample with its bytes in flight"
    found = some(rows, lacking, samples(dataset, BEYOND_PHONE))
    if not any(_shown(found, where) for where in set(found["source"].to_pylist())):
        few = f"fewer than {SHOWN} downlink RTT samples in each bin of {BIN_KB} KB in flight"
        raise Missing(f"{dataset.path}: {few}", LONGER)
    return found


def findings(rows: pa.Table) -> list[Finding]:
    """Return the median RTT of an almost empty queue and of the longest queue."""
    found = []
    for where in dict.fromkeys(rows["source"].to_pylist()):
        shown = _shown(rows, where)
        if not shown:
            continue
        for row in (shown[0], shown[-1]):
            low, high = row["in_flight_kb"], row["in_flight_kb"] + BIN_KB
            name = f"{where}: median at {low} to {high} KB"
            found.append(Finding(name, seconds(row["rtt_p50_ms"] / 1e3), "", row["n"]))
    most = max(row["in_flight_kb"] for row in rows.to_pylist()) + BIN_KB
    found.append(Finding("most in flight, up to", size(most * 1e3), "above 1,200 KB"))
    return found


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw the median, with bands for the middle half and the middle nine tenths."""
    from airmile.study import _style

    axes = figure.subplots()
    for place, where in enumerate(dict.fromkeys(rows["source"].to_pylist())):
        shown, colour = _shown(rows, where), _style.series(place)[0]
        if not shown:
            continue
        x = [row["in_flight_kb"] + BIN_KB / 2 for row in shown]
        y = {q: [row[f"rtt_p{q}_ms"] for row in shown] for q in QUANTILES}
        n = sum(row["n"] for row in shown)
        axes.fill_between(x, y[5], y[95], color=colour, alpha=0.12, linewidth=0)
        axes.fill_between(x, y[25], y[75], color=colour, alpha=0.25, linewidth=0)
        axes.plot(x, y[50], color=colour, linewidth=1.8, label=f"{where}, median (n = {count(n)})")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    _style.plain(axes, "bytes in flight (KB)", "RTT (ms): median, 25-75 %, 5-95 %")
    _style.legend(axes)


def _shown(rows: pa.Table, where: str) -> list[dict[str, Any]]:
    return [row for row in rows.to_pylist() if row["source"] == where and row["n"] >= SHOWN]


fig10 = Exhibit(
    "lte13", "fig10", "section 4.3", "Bytes in flight against the round trip to the phone", table,
    findings, joined(picture, "source"), needs=Needs(places=BEFORE_RADIO),
    caption=(
        "Round trip of downlink packets against the bytes in flight when they were sent, in "
        "bins of 25 KB: median, middle half and middle nine tenths, because single points of "
        "many samples would hide each other. Where it rises, the queue before the radio grows "
        "(methods B4, C1)."
    ),
)  # fmt: skip
