"""Section 6.3: how much of a changing bandwidth is used, by round trip and variation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from airmile._words import percent
from airmile.store._needs import contains, some, source
from airmile.store._remedies import TRUTH
from airmile.study._exhibit import Exhibit, Finding
from airmile.study.lte13 import _flows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

BIN_MS = 100
"""The time in ms over which the bandwidth is averaged, for its variation.

It is a fifth of the 500 ms for which the bandwidth in the experiment stays the same (methods E6).
Longer bins, which begin with the flow and not with a change, average neighbouring bandwidths and
hide their variation.
"""

MUCH_RATIO = 0.4
"""The coefficient of variation of the bandwidth from which it varies much; our choice."""

STEADY_RATIO = 0.9
"""The least share of a flow's time that its transfers take, without pauses between; our choice."""

LITTLE, MUCH = "little variation", "much variation"


def table(dataset: Tables) -> pa.Table:
    """Return one row per large flow: round trip, variation, and use by truth and by estimate.

    The truth is what the link served divided by what its PRBs could have carried from first to last
    payload, without HARQ retransmissions. It counts all data of the phone, so the flow must be
    alone; and it must not pause, because an application that asks for little uses little.
    """
    truth = source(
        dataset, "truth_ttis", "time_ns", "direction", "available_bytes", "served_bytes",
        "repeated_prbs", "cell_prbs",
    )  # fmt: skip
    flows = _flows.large(
        dataset,
        "uid",
        "handshake_rtt_ms",
        "utilisation_ratio",
        "utilisation_reason",
        "utilisation_paper_ratio",
    )
    rows = dataset.arrow(f"""
        WITH flow AS (
            FROM (FROM {flows} QUALIFY count(*) OVER (PARTITION BY run) = 1) AS flow
            WHERE {_without_pause(dataset)}),
        part AS (
            SELECT run, (time_ns - dl_first_payload_ns) // ({BIN_MS} * 1000000) AS place,
                avg(available_bytes) AS available,
                sum(available_bytes * (1 - coalesce(repeated_prbs / nullif(cell_prbs, 0), 0)))
                    AS could,
                sum(served_bytes) AS served
            FROM {truth} JOIN flow USING (run)
            WHERE direction = 'downlink'
                AND time_ns BETWEEN dl_first_payload_ns AND dl_last_payload_ns
            GROUP BY ALL),
        link AS (
            SELECT run, stddev_pop(available) / nullif(avg(available), 0) AS variation_ratio,
                sum(served) / nullif(sum(could), 0) AS used_ratio
            FROM part GROUP BY run)
        SELECT run, uid, handshake_rtt_ms AS rtt_ms, variation_ratio, used_ratio,
            utilisation_ratio AS estimated_ratio, utilisation_reason AS estimated_reason,
            utilisation_paper_ratio AS paper_ratio
        FROM flow JOIN link USING (run) WHERE handshake_rtt_ms IS NOT NULL
        ORDER BY variation_ratio > {MUCH_RATIO}, rtt_ms, run""")
    lacking = f"{dataset.path}: no run with one large flow that never pauses"
    return some(rows, lacking, f"{TRUTH}, as lte13_utilisation")


def _without_pause(dataset: Tables) -> str:
    """Return the SQL condition for flows whose transfers take nearly all of their time."""
    if not contains(dataset, "transfers"):
        return "true"
    transfers = source(dataset, "transfers", "uid", "direction", "first_byte_ns", "end_ns")
    return f"""coalesce((SELECT sum(end_ns - first_byte_ns) FROM {transfers} AS own
        WHERE own.run = flow.run AND own.uid = flow.uid AND direction = 'downlink'), 0)
        >= {STEADY_RATIO} * (dl_last_payload_ns - dl_first_payload_ns)"""


def findings(rows: pa.Table) -> list[Finding]:
    """Return the truth and the estimates, by variation and round trip."""
    found = []
    for name, own in by_variation(rows).items():
        for row in own:
            published = "above 95 %" if row["rtt_ms"] < 100 else ""
            published = "below 50 %" if row["rtt_ms"] > 400 else published
            here = f"{_share(row['used_ratio'])}, {_share(row['estimated_ratio'])}, " + _share(
                row["paper_ratio"]
            )
            quantity = f"{name}, {row['rtt_ms']:.0f} ms: truth, estimate, the paper's"
            why = row["estimated_reason"]
            why = f"`flows.utilisation_reason` is {why!r}" if why else ""
            found.append(Finding(quantity, here, published, reason=why))
    return found


def _share(ratio: float | None) -> str:
    return "unknown" if ratio is None else percent(ratio)


def by_variation(rows: pa.Table) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of runs with little variation, and of runs with much variation."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows.to_pylist():
        much = (row["variation_ratio"] or 0) > MUCH_RATIO
        found.setdefault(MUCH if much else LITTLE, []).append(row)
    return found


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw the truth as lines with filled markers, and the estimate as hollow markers."""
    from airmile.study import _style

    axes = figure.subplots()
    for place, (name, own) in enumerate(by_variation(rows).items()):
        colour, mark = _style.series(place)
        rtts = [row["rtt_ms"] for row in own]
        axes.plot(
            rtts, [row["used_ratio"] for row in own], color=colour, marker=mark, linewidth=1.4,
            label=f"{name}: truth (n = {len(own)})",
        )  # fmt: skip
        axes.plot(
            rtts, [row["estimated_ratio"] for row in own], mark, mfc="white", mec=colour,
            label=f"{name}: estimate",
        )  # fmt: skip
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.05)
    _style.plain(axes, "round trip of the handshake (ms)", "used share of the bandwidth")
    _style.legend(axes)


utilisation = Exhibit(
    "lte13", "utilisation", "section 6.3", "Use of a bandwidth that changes", table, findings,
    picture,
    caption=(
        "Share of the link's bandwidth that a large download uses, by its round trip, where the "
        "bandwidth changes little and much every 500 ms: the link's truth beside the estimate from "
        "packets, which is unknown where it sees too few waits. In the paper use falls with the "
        "round trip and with the variation. The table also has use by the paper's definition, "
        "whose bandwidth is that of the link's slow moments (methods E4, E6)."
    ),
    apart=None,
)  # fmt: skip
