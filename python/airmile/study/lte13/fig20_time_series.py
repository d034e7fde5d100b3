"""Figure 20: throughput at the phone and the bandwidth estimate over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from airmile._words import percent, rate
from airmile.store._needs import Missing, some
from airmile.study._exhibit import Exhibit, Finding
from airmile.study.lte13 import _pair

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

WINDOW_S = 1.0
"""The length in s of the windows in the paper."""


def table(dataset: Tables) -> pa.Table:
    """Return one row per window of 1 s: throughput at the phone and the estimate (methods E5)."""
    if not dataset.columns("e5"):
        raise Missing(f"{dataset.path}: no table 'e5'", _pair.HOW)
    rows = dataset.arrow(f"""
        WITH own AS (
            SELECT *, bool_or(source = 'queue_evident') OVER () AS evident
            FROM {_pair.windows(dataset)} WHERE window_s = {WINDOW_S}),
        busiest AS (SELECT run, ue FROM own GROUP BY ALL ORDER BY count(*) DESC, run, ue LIMIT 1)
        SELECT (time_ns - min(time_ns) OVER ()) / 1e9 AS time_s, throughput_bps, bandwidth_bps,
            error_ratio, source
        FROM own JOIN busiest USING (run, ue)
        WHERE source = CASE WHEN evident THEN 'queue_evident' ELSE 'c_rule' END
        ORDER BY time_s""")
    return some(rows, f"{dataset.path}: {_pair.LACKING}", _pair.HOW)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the means of throughput and estimate, and of the error with and without its sign."""
    n = rows.num_rows
    error, size = pc.mean(rows["error_ratio"]), pc.mean(pc.abs(rows["error_ratio"]))
    return [
        Finding("mean throughput", rate(pc.mean(rows["throughput_bps"]).as_py()), "10 Mbps", n),
        Finding("mean estimate", rate(pc.mean(rows["bandwidth_bps"]).as_py()), "", n),
        Finding("mean error", percent(error.as_py()), "", n),
        Finding("mean error, without its sign", percent(size.as_py()), "7.9 %", n),
    ]


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw throughput and estimate above the difference of the two."""
    from airmile.study import _style

    time_s = rows["time_s"].to_numpy()
    here, estimate = (rows[name].to_numpy() / 1e6 for name in ("throughput_bps", "bandwidth_bps"))
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    above.plot(time_s, here, color=_style.SERIES[0], linewidth=1.6, label="throughput at the phone")
    above.plot(time_s, estimate, "--", color=_style.SERIES[1], linewidth=1.2, label="estimate")
    above.set_ylim(bottom=0)
    _style.plain(above, "", "Mbps")
    _style.legend(above)
    below.plot(time_s, estimate - here, color=_style.SERIES[2], linewidth=1.2)
    below.axhline(0, color=_style.GREY, linewidth=0.8)
    _style.plain(below, "time (s)", "error (Mbps)")


fig20 = Exhibit(
    "lte13", "fig20", "section 6.2", "Bandwidth estimate over time", table, findings, picture,
    caption=(
        "Throughput at the phone and the bandwidth estimated from the other capture, in windows "
        "of 1 s, above the difference of the two. The estimate is airmile's own, from the time in "
        "which packets waited, where there is one; the published error is of the paper's rule. The "
        "phone with most windows is shown (methods E2, E5)."
    ),
)  # fmt: skip
