"""Figure 1: throughput of a video and of the speed tests before and after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from airmile._words import rate
from airmile.store._needs import Missing, has, some, source
from airmile.store._remedies import TRUTH
from airmile.study._exhibit import Exhibit, Finding
from airmile.study.bt19 import _clips

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

PUBLISHED = {"speed test before": 5.4e6, "video": 3.8e6, "speed test after": 5.2e6}

LACKING = "no video between two downloads of a sequence"
HOW = f"{TRUTH}, as bt19_speed_video"


def table(dataset: Tables) -> pa.Table:
    """Return one row per run and part of the run, with its throughput.

    A part is a speed test or the video. A speed test is all downloads of its step together; of a
    video, only the time counts in which segments were fetched.
    segments were fetched.
    """
    if not has(dataset, "trials"):
        raise Missing(f"{dataset.path}: {LACKING}", HOW)
    trials = source(
        dataset, "trials", "kind", "turn", "step", "background", "bytes", "start_ns", "end_ns"
    )
    rows = dataset.arrow(f"""
        WITH step AS (
            SELECT run, turn, step, bool_and(kind = 'download') AS test,
                sum(bytes) * 8e9 / nullif(max(end_ns) - min(start_ns), 0) AS bps
            FROM {trials} WHERE background IS NULL AND step IS NOT NULL GROUP BY ALL),
        clip AS (SELECT run, turn, step, got_bps FROM {_clips.clips(dataset)})
        SELECT run, turn, unnest({list(PUBLISHED)}) AS part,
            unnest([before.bps, got_bps, after.bps]) AS throughput_bps
        FROM clip JOIN step AS before USING (run, turn) JOIN step AS after USING (run, turn)
        WHERE before.step = clip.step - 1 AND after.step = clip.step + 1
            AND before.test AND after.test
        ORDER BY run, turn, list_position({list(PUBLISHED)}, part)""")
    return some(rows, f"{dataset.path}: {LACKING}", HOW)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the mean of each part over the runs, and the video relative to the speed tests."""
    means = {part: _mean(rows, part) for part in PUBLISHED}
    n = rows.filter(pc.equal(rows["part"], "video")).num_rows
    found = [
        Finding(part, "unknown" if mean is None else rate(mean), rate(PUBLISHED[part]), n)
        for part, mean in means.items()
    ]
    before, video, after = means.values()
    here = "unknown"
    if before is not None and video is not None and after is not None:
        here = f"{2 * video / (before + after):.2f}"
    return [*found, Finding("video over the mean of the speed tests", here, "0.72", n)]


def _mean(rows: pa.Table, part: str) -> float | None:
    mean: float | None = pc.mean(
        rows.filter(pc.equal(rows["part"], part))["throughput_bps"]
    ).as_py()
    return mean


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a bar per part, a dot for each run, and circles for the numbers of the paper."""
    from airmile.study import _style

    axes = figure.subplots()
    for place, part in enumerate(PUBLISHED):
        own = rows.filter(pc.equal(rows["part"], part))["throughput_bps"].drop_null().to_pylist()
        mean_bps = _mean(rows, part)
        if mean_bps is not None:
            axes.bar(place, mean_bps / 1e6, 0.6, color=_style.SERIES[place % 2])
            axes.plot([place] * len(own), [each / 1e6 for each in own], ".", color="black")
    axes.plot(
        range(len(PUBLISHED)), [bps / 1e6 for bps in PUBLISHED.values()], "o", mfc="white",
        mec=_style.GREY, label="printed in the paper", linestyle="none",
    )  # fmt: skip
    axes.set_xticks(range(len(PUBLISHED)), list(PUBLISHED))
    axes.set_ylim(bottom=0)
    _style.plain(axes, "", "throughput (Mbps)")
    _style.legend(axes)


fig1 = Exhibit(
    "bt19", "fig1", "section 2", "A video between two speed tests", table, findings, picture,
    caption=(
        "Throughput of a video and of the speed tests before and after it; a dot is a run. A "
        "video that gets less than the tests was not limited by the link alone (methods H3)."
    ),
    apart=None,
)  # fmt: skip
