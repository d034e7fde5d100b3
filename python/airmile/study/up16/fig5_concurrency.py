"""Figure 5: how many TCP flows of a phone carry payload in the same second."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import count, percent
from airmile.answers import concurrency
from airmile.store._needs import some
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._together import Together

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

SEVERAL_PUBLISHED = 0.282


def table(dataset: Tables) -> pa.Table:
    """Return one row per number of flows: seconds of all sessions, and their share (A8)."""
    rows = dataset.arrow(f"""
        SELECT flows, slots, slots / sum(slots) OVER () AS share_ratio,
            CASE WHEN flows > 0 THEN slots / sum(slots) FILTER (flows > 0) OVER () END
                AS share_of_busy_ratio
        FROM (SELECT flows, sum(slots)::BIGINT AS slots
            FROM {concurrency.slots(dataset)} GROUP BY flows)
        ORDER BY flows""")
    return some(
        rows if max(rows["flows"].to_pylist(), default=0) else rows.slice(0, 0),
        f"{dataset.path}: no second with payload of a TCP flow",
        "capture the traffic of a phone that sends or receives payload",
    )


def findings(rows: pa.Table) -> list[Finding]:
    """Return the share of seconds with several flows, of all and of those with any flow."""
    shown = rows.to_pylist()
    several = [row for row in shown if row["flows"] >= 2]
    n = sum(row["slots"] for row in shown)
    busy = sum(row["slots"] for row in shown if row["flows"])
    of_all = sum(row["share_ratio"] for row in several)
    of_busy = sum(row["share_of_busy_ratio"] for row in several)
    return [
        Finding("two or more, of all slots", percent(of_all), percent(SEVERAL_PUBLISHED), n),
        Finding("two or more, of slots with any", percent(of_busy), "", busy),
        Finding("most in a slot", str(shown[-1]["flows"]), "", n),
    ]


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw the distribution over seconds of the number of flows."""
    _draw(figure, {"": rows})


def _draw(figure: Figure, tables: Mapping[str, pa.Table]) -> None:
    from airmile.study import _style

    axes = figure.subplots()
    _style.cdf(axes, [each for label, rows in tables.items() for each in _series(label, rows)])
    axes.plot(
        1, 1 - SEVERAL_PUBLISHED, "o", mfc="white", mec=_style.SERIES[0],
        label="printed in the paper",
    )  # fmt: skip
    axes.set_xlim(0, max(10, *(rows["flows"][-1].as_py() for rows in tables.values())))
    _style.plain(axes, "TCP flows with payload in a second", "share of slots (CDF)")
    _style.legend(axes)


def _series(label: str, rows: pa.Table) -> Iterator[tuple[str, pa.Array, pa.Array]]:
    """Yield name, numbers of flows and their seconds: of all seconds, and of those with payload."""
    busy = rows.filter(pa.compute.greater(rows["flows"], 0))
    for name, own in (("all slots", rows), ("slots with payload", busy)):
        if own.num_rows:
            whole = f"{label}: {name}" if label else name
            n = count(sum(own["slots"].to_pylist()))
            yield f"{whole} (n = {n})", own["flows"], own["slots"]


fig5 = Exhibit(
    "up16", "fig5", "section 3", "Flows of a phone in the same second", table, findings,
    Together(picture, _draw),
    caption=(
        "Share of the seconds of all sessions by the number of TCP flows that carry payload in "
        "the second. How many are empty depends on the silence that ends a session (methods "
        "A8)."
    ),
)  # fmt: skip
