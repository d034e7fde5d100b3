"""Figure 9: the delay of packets on the phone in the second half of an upload, by run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import seconds
from airmile.store._needs import some
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._together import joined
from airmile.study.up16.fig7_round_trips import by_run, middle, steady
from airmile.study.up16.fig7_round_trips import table as steps_of_runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

PARTS = (("qdisc_delay_ms", "Qdisc"), ("firmware_delay_ms", "radio firmware"))


def table(dataset: Tables, sender: pa.Table | None = None) -> pa.Table:
    """Return one row per run: medians over the second half of the upload; null if unknown."""
    rows = [
        {
            "run": run,
            "sent_bytes": steps[-1]["sent_bytes"],
            **{name: middle(steady(steps), name) for name, _ in PARTS},
            "rtt_b_ms": middle(steady(steps), "rtt_b_ms"),
        }
        for run, steps in sorted(by_run(steps_of_runs(dataset, sender)).items())
    ]
    known = [row for row in rows if any(row[name] is not None for name, _ in PARTS)]
    schema = pa.schema(
        [("run", pa.string()), ("sent_bytes", pa.int64())]
        + [(name, pa.float64()) for name in ("qdisc_delay_ms", "firmware_delay_ms", "rtt_b_ms")]
    )
    lacking = f"{dataset.path}: no upload whose delays on the phone are known"
    return some(
        pa.Table.from_pylist(known, schema=schema), lacking, "log the buffer reports of the upload"
    )


def findings(rows: pa.Table) -> list[Finding]:
    """Return the delays in Qdisc, firmware and network."""
    found = []
    for row in rows.to_pylist():
        delays = ", ".join(
            "unknown" if row[name] is None else seconds(row[name] / 1e3)
            for name in ("qdisc_delay_ms", "firmware_delay_ms", "rtt_b_ms")
        )
        found.append(Finding(f"{row['run'] or 'upload'}: Qdisc, firmware, network", delays))
    return found


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a bar per run, with the part of the firmware above that of the Qdisc."""
    from airmile.study import _style

    axes = figure.subplots()
    shown = rows.to_pylist()
    foot = [0.0] * len(shown)
    for number, (name, label) in enumerate(PARTS):
        heights = [max(row[name] or 0.0, 0.0) / 1e3 for row in shown]
        unknown = sum(row[name] is None for row in shown)
        axes.bar(
            range(len(shown)), heights, 0.6, bottom=foot, color=_style.SERIES[number],
            hatch=("", "//")[number], edgecolor="white", linewidth=0,
            label=label + (f" (unknown in {unknown})" if unknown else ""),
        )  # fmt: skip
        foot = [below + height for below, height in zip(foot, heights, strict=True)]
    names = [f"{row['run'] or 'upload'}\n{row['sent_bytes'] / 1e6:.1f} MB" for row in shown]
    _style.names_below(axes, names)
    axes.set_xlim(-1, len(shown))
    _style.plain(axes, "", "delay on the phone, steady (s, median)")
    _style.legend(axes)


fig9 = Exhibit(
    "up16", "fig9", "section 4.3", "Delay on the phone during an upload",
    table, findings, joined(picture, "run"), senders=True,
    caption=(
        "Median delay of the packets of an upload in the kernel's queue (Qdisc) and in the "
        "modem's firmware, in the second half of each run. Each run has a bar; in the "
        "paper, each device and carrier (methods G8)."
    ),
    apart=None,
)  # fmt: skip
