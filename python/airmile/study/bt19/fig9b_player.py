"""Figure 9b: bitrate, throughput and buffer of a player over time, by port of the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from airmile._words import rate, seconds
from airmile.store._needs import some
from airmile.study._exhibit import Exhibit, Finding
from airmile.study.bt19 import _clips

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables


def table(dataset: Tables) -> pa.Table:
    """Return one row per segment of the first clip on each port without micro-fetches."""
    rows = dataset.arrow(f"""
        WITH segment AS (FROM {_clips.segments(dataset)} WHERE NOT coalesce(micro_fetch, false)),
        shown AS (
            SELECT port, min((run, trial)) AS clip FROM segment
            WHERE port IS NOT NULL GROUP BY port)
        SELECT port, run, trial, segment,
            (end_ns - min(start_ns) OVER (PARTITION BY run, trial)) / 1e9 AS time_s,
            bitrate_bps, got_bps, buffered_s
        FROM segment JOIN shown USING (port) WHERE (run, trial) = clip
        ORDER BY port, segment""")
    return some(rows, f"{dataset.path}: {_clips.LACKING}", _clips.HOW)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the means of bitrate and throughput over the segments, and the mean buffer."""
    found = []
    for port, own in by_port(rows).items():
        n = len(own)
        found += [
            Finding(f"port {port}: mean bitrate", _mean(own, "bitrate_bps", rate), "", n),
            Finding("  mean throughput of a segment", _mean(own, "got_bps", rate), "", n),
            Finding("  mean buffer", _mean(own, "buffered_s", seconds), "", n),
        ]
    return found


def by_port(rows: pa.Table) -> dict[int, list[dict[str, Any]]]:
    """Return the segments on each port."""
    ports: dict[int, list[dict[str, Any]]] = {}
    for row in rows.to_pylist():
        ports.setdefault(row["port"], []).append(row)
    return ports


def _mean(rows: list[dict[str, Any]], name: str, words: Callable[[float], str]) -> str:
    known = [row[name] for row in rows if row[name] is not None]
    return words(sum(known) / len(known)) if known else "unknown"


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw bitrates (solid) and throughputs (dotted) above the buffer, with a colour per port."""
    from airmile.study import _style

    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    for place, (port, own) in enumerate(by_port(rows).items()):
        colour, mark = _style.series(place)
        time_s = [row["time_s"] for row in own]
        for name, dash, spoken in (("bitrate_bps", "-", "bitrate"), ("got_bps", ":", "throughput")):
            above.plot(
                time_s, [_per_mega(row[name]) for row in own], dash, color=colour, marker=mark,
                markersize=3, linewidth=1.4, label=f"port {port}: {spoken}",
            )  # fmt: skip
        below.plot(
            time_s, [row["buffered_s"] for row in own], color=colour, marker=mark, markersize=3
        )
    for axes in (above, below):
        axes.set_ylim(bottom=0)
    _style.plain(above, "", "Mbps")
    _style.plain(below, "time since the first request (s)", "buffer (s)")
    _style.legend(above)


def _per_mega(bps: float | None) -> float | None:
    return None if bps is None else bps / 1e6


fig9b = Exhibit(
    "bt19", "fig9b", "section 5.1", "A player over time, by port", table, findings, picture,
    caption=(
        "Bitrate of the segments that a player chose, the throughput that it measured, and its "
        "buffer, for the first clip on each port. In the paper the port behind a proxy gets less "
        "(methods H3)."
    ),
    apart=None,
)  # fmt: skip
