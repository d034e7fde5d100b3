"""Figure 3: the PRBs of up to two users in each millisecond, and their bursts.

The picture shows the time around one burst of the second user (or of the only user), so that the
burst begins and ends while others go on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import count, percent
from airmile.store._needs import some
from airmile.store._remedies import MODEM
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._radio import BEGIN_SHARE, END_SHARE, bursts, scheduled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

SPAN_MS = 300
"""The time that is shown, in ms: short enough to distinguish single milliseconds."""
LEAD_MS = 30
"""The time that is shown before the burst, in ms."""
LONG_ENOUGH_MS = 10
"""The least throughput time of the burst in ms: its begin and end must be distinct."""


def table(dataset: Tables, estimator: str = "bursttracker", span_ms: int = SPAN_MS) -> pa.Table:
    """Return one row per user and scheduled millisecond in the picture, with its burst."""
    rows = dataset.arrow(f"""
        WITH ms AS (FROM {scheduled(dataset)}), burst AS (FROM {bursts(dataset, estimator)}),
        users AS (
            SELECT run, "user", row_number() OVER (ORDER BY count(*) DESC, run, "user") AS place
            FROM ms WHERE run = (SELECT run FROM ms GROUP BY run ORDER BY count(*) DESC, run LIMIT 1)
            GROUP BY run, "user" QUALIFY place <= 2),
        busy AS (
            SELECT time_ns, count(*) OVER (ORDER BY time_ns
                RANGE BETWEEN CURRENT ROW AND {(span_ms - LEAD_MS) * 1_000_000} FOLLOWING) AS following
            FROM ms JOIN users USING (run, "user") WHERE share IS NOT NULL),
        span AS (
            SELECT coalesce(
                (SELECT start_ns FROM burst JOIN users USING (run, "user")
                    WHERE closed AND throughput_time_ms >= {LONG_ENOUGH_MS}
                    ORDER BY place DESC, start_ns LIMIT 1),
                (SELECT arg_max(time_ns, (following, -time_ns)) FROM busy)
            ) - {LEAD_MS * 1_000_000} AS begin_ns)
        SELECT run, "user", place, (time_ns - begin_ns) / 1e6 AS ms, share AS prb_share,
            (burst.start_ns - begin_ns) / 1e6 AS burst_begin_ms,
            CASE WHEN closed THEN (burst.end_ns - begin_ns) / 1e6 END AS burst_end_ms
        FROM ms JOIN users USING (run, "user") CROSS JOIN span
        LEFT JOIN burst ON burst.run = ms.run AND burst."user" = ms."user"
            AND ms.time_ns BETWEEN burst.start_ns AND burst.end_ns
        WHERE time_ns >= begin_ns AND time_ns < begin_ns + {span_ms * 1_000_000}
            AND share IS NOT NULL
        ORDER BY place, ms""")  # noqa: E501
    return some(rows, f"{dataset.path}: no downlink allocation with a PRB total", MODEM)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the shares of milliseconds in which a user had nearly all PRBs, or few of them."""
    shares = rows["prb_share"].to_pylist()
    most = sum(share > BEGIN_SHARE for share in shares) / len(shares)
    few = sum(share < END_SHARE for share in shares) / len(shares)
    users = len(set(rows["place"].to_pylist()))
    begins = {(row["place"], row["burst_begin_ms"]) for row in rows.to_pylist()}
    bursts_seen = sum(begin is not None for _, begin in begins)
    return [
        Finding("users, scheduled ms shown", f"{users}, {count(len(shares))}"),
        Finding("bursts in the time shown", count(bursts_seen)),
        Finding("ms in which a user had more than 90 %", percent(most), "nearly every ms"),
        Finding("ms in which a user had less than 40 %", percent(few), "at ends of bursts"),
    ]


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a panel per user: a bar per millisecond, with bursts shaded from begin to end."""
    from airmile.study import _bars

    places = sorted(set(rows["place"].to_pylist()))
    panels = figure.subplots(len(places), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for place, axes in zip(places, panels, strict=True):
        own = [row for row in rows.to_pylist() if row["place"] == place]
        _bars.allocation(axes, own, place - 1)
        axes.set_ylabel(f"user {own[0]['user']}: PRB share")
    _bars.key(panels[0])
    panels[-1].set_xlabel("time (ms)")


fig3 = Exhibit(
    "bt19", "fig3", "section 3.2.1", "PRBs of a user in each millisecond, and its bursts",
    table, findings, picture, estimators=True,
    caption=(
        "Share of the physical resource blocks (PRBs) that each user got in a millisecond, "
        "around the first burst of 10 ms or more of the second user, or of the only one; without "
        "such a burst, where most milliseconds are scheduled. A burst, shaded, is the time in "
        "which data wait for the user: it begins (dashed) where the share rises to 90 %, and ends "
        "(solid) where it falls below 40 % (methods G2)."
    ),
)  # fmt: skip
