"""Figure 22: how the estimated bandwidth of two large flows changes with time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import rate
from airmile.store._definitions import LARGE_S
from airmile.store._needs import some, source
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import BEFORE_RADIO, Needs
from airmile.study.lte13 import _flows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

FLOWS = 2
"""The number of flows: those with samples in the most seconds, each of another phone."""


def table(dataset: Tables) -> pa.Table:
    """Return a row per sample of these flows; times count from the first packet (methods E2)."""
    samples = source(
        dataset, "bandwidth_samples", "uid", "direction", "time_ns", "bandwidth_bps", "source"
    )
    flows = _flows.large(dataset, "uid", "ue", "start_ns", "server", "server_name")
    rows = dataset.arrow(f"""
        WITH sample AS (
            SELECT run, uid, ue, coalesce(server_name, server) AS host,
                (time_ns - start_ns) / 1e9 AS time_s, bandwidth_bps, source AS estimator
            FROM {samples} AS samples JOIN {flows} AS flows USING (run, uid)
            WHERE direction = 'downlink'),
        covered AS (
            SELECT run, uid, ue, estimator, count(DISTINCT floor(time_s)) AS seconds
            FROM sample GROUP BY ALL HAVING seconds >= {LARGE_S}),
        best AS (
            FROM covered QUALIFY row_number() OVER (
                PARTITION BY run, ue ORDER BY seconds DESC, estimator = 'c_rule', uid) = 1
            ORDER BY seconds DESC, run, uid LIMIT {FLOWS})
        SELECT run, uid, host, time_s, bandwidth_bps
        FROM sample JOIN best USING (run, uid, estimator) ORDER BY run, uid, time_s""")
    lacking = f"{dataset.path}: no large flow with bandwidth samples in {LARGE_S:g} seconds"
    return some(rows, lacking, f"{_flows.HOW_LARGE}; {_flows.MONITOR}")


def findings(rows: pa.Table) -> list[Finding]:
    """Return the range of the middle nine tenths of each flow's samples."""
    found = []
    for name, bps in _by_flow(rows, "bandwidth_bps").items():
        ordered = sorted(bps)
        low, high = (ordered[round((len(ordered) - 1) * share)] for share in (0.05, 0.95))
        found.append(Finding(f"{name}: 5 to 95 %", f"{rate(low)} to {rate(high)}", "", len(bps)))
    return found


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw the samples of each flow over its time."""
    from airmile.study import _style

    axes = figure.subplots()
    bps = _by_flow(rows, "bandwidth_bps")
    for place, (name, time_s) in enumerate(_by_flow(rows, "time_s").items()):
        colour, mark = _style.series(place)
        y = [each / 1e6 for each in bps[name]]
        axes.plot(time_s, y, color=colour, marker=mark, ms=2.5, linewidth=0.9, label=name)
    axes.set_ylim(bottom=0)
    _style.plain(axes, "time from the flow's first packet (s)", "estimated bandwidth (Mbps)")
    _style.legend(axes)


def _by_flow(rows: pa.Table, column: str) -> dict[str, list[float]]:
    """Return the values of a column for each flow, named by its rank and its server."""
    flows: dict[tuple[str, int], tuple[str, list[float]]] = {}
    for row in rows.to_pylist():
        name = f"flow {len(flows) + 1}, of {row['host'] or 'an unknown server'}"
        flows.setdefault((row["run"], row["uid"]), (name, []))[1].append(row[column])
    return dict(flows.values())


fig22 = Exhibit(
    "lte13", "fig22", "section 6.3", "Estimated bandwidth of two large flows", table, findings,
    picture, needs=Needs(places=BEFORE_RADIO),
    caption=(
        "Estimated bandwidth over the time of two large flows of different phones. The flows "
        "are those with samples in most seconds, five or more (methods E2)."
    ),
)  # fmt: skip
