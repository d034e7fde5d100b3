"""Figure 24: the periodic requests of a player, and the throughput between and during them."""

from __future__ import annotations

import statistics
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from airmile._words import percent, rate, seconds, size
from airmile.answers import periodic
from airmile.answers._series import LEAST_REQUESTS
from airmile.store import _sql
from airmile.store._needs import Missing, source
from airmile.study._exhibit import Exhibit, Finding

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

REGULAR = 0.5
"""The share of its periods with a request that makes a service periodic; our choice."""

IDLE_S = 1.0
"""The link is idle between requests for longer than this, in s, as the figure shows.

It is the time for which LTE13 counts a flow as active after its last payload (methods A8): requests
that follow each other faster leave no silence.
"""

HOW = (
    "capture a player or another application that asks again and again, as in `airmile testbed run "
    "lte13_periodic`"
)


def table(dataset: Tables) -> pa.Table:
    """Return rows of the service with the most periodic bytes (methods F2).

    There is one row per request and one per bin of throughput. The columns from `period_s` on
    describe the service.
    """
    found = [
        each for each in periodic.table(dataset).to_pylist()
        if each["period_s"] is not None and each["period_s"] > IDLE_S
        and each["regularity_ratio"] >= REGULAR and _idle_s(dataset, each) > IDLE_S
    ]  # fmt: skip
    if not found:
        lacking = (
            f"no service with {LEAST_REQUESTS} periodic requests of a phone between which its link "
            f"is idle for {IDLE_S:g} s"
        )
        raise Missing(f"{dataset.path}: {lacking}", HOW)
    most = max(found, key=lambda each: each["bytes"])
    rows = dataset.arrow(_rows(dataset, most))
    reuse = most["requests"] / most["connections"]
    for name, value in (
        ("periods", most["requests"] - 1), ("period_s", most["period_s"]),
        ("regularity_ratio", most["regularity_ratio"]), ("requests_per_connection", reuse),
    ):  # fmt: skip
        rows = rows.append_column(name, pa.array([float(value)] * rows.num_rows))
    return rows


def _idle_s(dataset: Tables, found: dict[str, Any]) -> float:
    """Return the median time in s from the end of all answers until the next period's request."""
    rows = dataset.records(f"""
        SELECT request_ns, end_ns FROM {periodic.requests(dataset)} WHERE {_of(found)}
        ORDER BY request_ns""")
    ends = accumulate((row["end_ns"] for row in rows), max)
    pauses = [
        (after["request_ns"] - end) / 1e9
        for before, after, end in zip(rows, rows[1:], ends, strict=False)
        if after["request_ns"] - before["request_ns"] > found["period_s"] * 1e9 / 2
    ]
    return statistics.median(pauses) if pauses else 0.0


def _of(found: dict[str, Any]) -> str:
    """Return the SQL condition for the requests of a phone to a service."""
    return " AND ".join(
        f"{name} = {_sql.literal(found[name])}" for name in ("run", "ue", "service")
    )


def _rows(dataset: Tables, found: dict[str, Any]) -> str:
    run, ue, service = (_sql.literal(found[name]) for name in ("run", "ue", "service"))
    bins = source(dataset, "throughput", "uid", "direction", "start_ns", "bytes", "throughput_bps")
    return f"""
        WITH request AS (
            FROM {periodic.requests(dataset)}
            WHERE {_of(found)}),
        origin AS (SELECT min(request_ns) AS origin_ns FROM request),
        bin AS (
            SELECT start_ns, sum(bytes)::BIGINT AS bytes, sum(throughput_bps) AS throughput_bps
            FROM {bins} WHERE direction = 'downlink' AND run = {run}
                AND uid IN (SELECT uid FROM request)
            GROUP BY start_ns)
        SELECT 'request' AS event, (request_ns - origin_ns) / 1e9 AS time_s,
            (end_ns - request_ns) / 1e9 AS seconds, ue_port, bytes,
            NULL::DOUBLE AS throughput_bps, {run} AS run, {ue} AS ue, {service} AS service
        FROM request, origin
        UNION ALL
        SELECT 'bin', (start_ns - origin_ns) / 1e9, bytes * 8 / throughput_bps, NULL, bytes,
            throughput_bps, {run}, {ue}, {service}
        FROM bin, origin WHERE throughput_bps > 0
        ORDER BY event DESC, time_s"""


def findings(rows: pa.Table) -> list[Finding]:
    """Return the period and its regularity, the sizes, the reuse and the highest throughput."""
    asked = rows.filter(pc.equal(rows["event"], "request"))
    first, n = asked.slice(0, 1).to_pylist()[0], asked.num_rows
    periods = round(first["periods"])
    least, most = pc.min(asked["bytes"]).as_py(), pc.max(asked["bytes"]).as_py()
    peak = pc.max(rows["throughput_bps"]).as_py()
    return [
        Finding("service", f"{first['service']}", "Netflix", n),
        Finding("period", seconds(first["period_s"]), "10 s", periods),
        Finding("periods with a request", percent(first["regularity_ratio"]), "", periods),
        Finding("bytes of a request", f"{size(least)} to {size(most)}", "1 MB to 4 MB", n),
        Finding("requests of a connection", f"{first['requests_per_connection']:.1f}", "2", n),
        Finding("response takes, median", seconds(pc.quantile(asked["seconds"])[0].as_py()),
                "below 1 s", n),
        Finding("highest throughput", "unknown" if peak is None else rate(peak), "30 Mbps"),
    ]  # fmt: skip


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw each request on the line of its port, above the throughput of all requests."""
    from airmile.study import _style

    above, below = figure.subplots(2, 1, sharex=True)
    asked = rows.filter(pc.equal(rows["event"], "request")).to_pylist()
    ports = {port: place for place, port in enumerate(dict.fromkeys(r["ue_port"] for r in asked))}
    for each in asked:
        above.barh(ports[each["ue_port"]], max(each["seconds"], 0.05), left=each["time_s"],
                   height=0.6, color=_style.SERIES[0], lw=0)  # fmt: skip
    above.set_yticks(list(ports.values()), [str(port) for port in ports], fontsize=7)
    _style.plain(above, "", "port of the phone")
    bins = rows.filter(pc.equal(rows["event"], "bin"))
    below.bar(
        bins["time_s"].to_numpy(),
        [bps / 1e6 for bps in bins["throughput_bps"].to_pylist()],
        width=bins["seconds"].to_numpy(),
        align="edge",
        color=_style.SERIES[1],
        lw=0,
    )
    _style.plain(below, "time since the first request (s)", "throughput (Mbps)")


fig24 = Exhibit(
    "lte13", "fig24", "section 7.2", "Periodic requests leave the link idle and the radio on",
    table, findings, picture,
    caption=(
        "Requests of the service with most periodic bytes, each on the line of its connection's "
        "port, above the throughput that they reach. Between them the link is idle for longer than "
        "1 s while the radio stays on (methods F2, A8)."
    ),
)  # fmt: skip
