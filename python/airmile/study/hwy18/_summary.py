"""Means of throughput and self-inflicted delay by congestion control, with confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import rate, seconds
from airmile.store._needs import Missing, some
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import BEFORE_RADIO, Needs
from airmile.study._together import joined
from airmile.study.hwy18._trials import HOW, LACKING, trials

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

LIKELY = 1.96
"""The standard errors on either side of a mean that a 95 % interval has (normal distribution)."""


def exhibit(
    name: str,
    section: str,
    title: str,
    columns: tuple[str, str],
    published: dict[str, str],
    caption: str,
) -> Exhibit:
    """Return an exhibit of the means of two columns of the trials, in bit/s and in ms.

    A table of the paper has no picture.
    """
    bps, delay_ms = columns

    def table(dataset: Tables) -> pa.Table:
        """Return one row per congestion control: means, deviations, medians, 95 % intervals."""
        rows = dataset.arrow(f"""
            SELECT control, count({bps}) AS trials, avg({bps}) AS mean_bps,
                stddev({bps}) AS deviation_bps, median({bps}) AS median_bps,
                {LIKELY} * stddev({bps}) / sqrt(count({bps})) AS error_bps,
                avg({delay_ms}) AS delay_ms,
                {LIKELY} * stddev({delay_ms}) / sqrt(count({delay_ms})) AS delay_error_ms
            FROM {trials(dataset)} GROUP BY control HAVING count({bps}) > 0 ORDER BY control""")
        found = some(rows, f"{dataset.path}: {LACKING}", HOW)
        if picture is not None and found["delay_ms"].null_count == found.num_rows:
            raise Missing(f"{dataset.path}: {LACKING} with a self-inflicted delay", HOW)
        return found

    def findings(rows: pa.Table) -> list[Finding]:
        found = []
        for row in rows.to_pylist():
            control, n = row["control"], row["trials"]
            found += [
                Finding(f"{control}: throughput, mean +/- deviation; median", _throughput(row),
                        published.get(control, ""), n),
                Finding("  95 % interval of the mean", _interval(row), "", n),
            ]  # fmt: skip
            if picture is not None:
                delay = "unknown" if row["delay_ms"] is None else seconds(row["delay_ms"] / 1e3)
                found.append(Finding("  mean self-inflicted delay", delay))
        return found

    picture = None if name.startswith("table") else joined(_picture, "control")
    needs = Needs() if picture is None else Needs(places=BEFORE_RADIO)
    return Exhibit(
        "hwy18", name, section, title, table, findings, picture, caption=caption, needs=needs
    )


def _throughput(row: dict[str, float | None]) -> str:
    mean, deviation, median = row["mean_bps"], row["deviation_bps"], row["median_bps"]
    assert mean is not None and median is not None
    spread = "" if deviation is None else f" +/- {rate(deviation)}"
    return f"{rate(mean)}{spread}; {rate(median)}"


def _interval(row: dict[str, float | None]) -> str:
    mean, error = row["mean_bps"], row["error_bps"]
    if mean is None or error is None:
        return "unknown: one trial"
    return f"{rate(max(mean - error, 0))} to {rate(mean + error)}"


def _picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a point per congestion control, with the confidence intervals of both means."""
    from airmile.study import _style

    axes = figure.subplots()
    for place, row in enumerate(rows.to_pylist()):
        if row["delay_ms"] is None:
            continue
        colour, mark = _style.series(place)
        axes.errorbar(
            row["delay_ms"], row["mean_bps"] / 1e6, xerr=row["delay_error_ms"] or 0,
            yerr=(row["error_bps"] or 0) / 1e6, color=colour, marker=mark, capsize=4,
            label=f"{row['control']} (n = {row['trials']})",
        )  # fmt: skip
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    _style.plain(axes, "self-inflicted delay (ms)", "throughput (Mbps)")
    _style.legend(axes)
