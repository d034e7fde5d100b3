"""Figure 1: the runs of the experiments, flow by flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import seconds
from airmile.store._needs import Missing, some
from airmile.study import _style
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._source import Source
from airmile.study.eff14._runs import EXPERIMENT, HOW, flows, runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RUNS = 4
"""Runs that are shown: one of each experiment."""


def table(given: Source) -> pa.Table:
    """Return one row per flow of the runs in the picture, with its time in the run."""
    dataset = runs(given)
    if not {"runs", "testbed"} & set(dataset.manifest):
        raise Missing(f"{dataset.path}: a capture, and no run of the paper's experiments", HOW)
    rows = dataset.arrow(f"""
        WITH flow AS (FROM {flows(dataset)}),
        named AS (SELECT DISTINCT run, regexp_extract(run, '{EXPERIMENT}') AS experiment FROM flow),
        shown AS (SELECT experiment, min(run) AS run FROM named GROUP BY experiment
            ORDER BY experiment LIMIT {RUNS})
        SELECT experiment, run, uid, control, short,
            (start_ns - min(start_ns) OVER (PARTITION BY run)) / 1e9 AS start_s,
            (dl_last_payload_ns - min(start_ns) OVER (PARTITION BY run)) / 1e9 AS end_s,
            dl_unique_bytes AS bytes
        FROM flow JOIN shown USING (run) ORDER BY experiment, start_s, uid""")
    return some(rows, f"{dataset.path}: no download", HOW)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the number of flows of each run, and the duration of the run."""
    found = []
    for name in dict.fromkeys(rows["experiment"].to_pylist()):
        own = [row for row in rows.to_pylist() if row["experiment"] == name]
        short = sum(row["short"] for row in own)
        here = f"{short} short, {len(own) - short} long in {seconds(max(r['end_s'] for r in own))}"
        found.append(Finding(name or "the run", here))
    return found


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a line per flow, from its SYN to its last byte, below the flows that began earlier."""
    shown = rows.to_pylist()
    axes = figure.subplots()
    for number, short in enumerate((True, False)):
        places = [place for place, row in enumerate(shown) if row["short"] == short]
        axes.barh(
            places, [shown[place]["end_s"] - shown[place]["start_s"] for place in places], 0.8,
            left=[shown[place]["start_s"] for place in places], color=_style.SERIES[number],
            label="320 KiB" if short else "other flows",
        )  # fmt: skip
    names = [row["experiment"] for row in shown]
    starts = [place for place, name in enumerate(names) if name not in names[:place]]
    for place in starts[1:]:
        axes.axhline(place - 0.5, color=_style.GREY, linewidth=0.8)
    axes.set_yticks(starts, [names[place] or "the run" for place in starts])
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    _style.plain(axes, "time since the first SYN of the run (s)", "")
    _style.legend(axes)


fig1 = Exhibit(
    "eff14", "fig1", "section III", "The measurement runs", table, findings, picture,
    caption=(
        "Each flow of a run as a line from its SYN to its last byte, a run of each experiment "
        "below the other. In the paper run A is a long flow, B short ones, C and D short ones "
        "beside one and five long ones (methods H1)."
    ),
    apart=None,
)  # fmt: skip
