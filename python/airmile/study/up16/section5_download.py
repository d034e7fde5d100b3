"""Section 5: the throughput of a download while the phone uploads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from airmile._words import percent, rate
from airmile.store._needs import TRUTH, some, source
from airmile.study._exhibit import Exhibit, Finding

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.dataset import Dataset

BUSY_BPS = 100_000
"""The least throughput in bit/s of a second that counts as a transfer; our choice."""

HOW = f"capture a download with an upload beside it; {TRUTH}, as up16_upload_download"


def table(dataset: Dataset) -> pa.Table:
    """Return one row per second of the phone with the most bytes in seconds with both directions.

    The rows cover all seconds from the first to the last with payload; a direction without payload
    has 0 bytes.
    """
    bins = source(dataset, "throughput", "uid", "direction", "start_ns", "bytes")
    flows = source(dataset, "flows", "uid", "ue")
    rows = dataset._arrow(f"""
        WITH second AS (
            SELECT run, ue, start_ns // 1000000000 AS second,
                coalesce(sum(bytes) FILTER (direction = 'downlink'), 0)::DOUBLE * 8 AS dl_bps,
                coalesce(sum(bytes) FILTER (direction = 'uplink'), 0)::DOUBLE * 8 AS ul_bps
            FROM {bins} JOIN {flows} USING (run, uid) GROUP BY ALL),
        chosen AS (
            SELECT run, ue FROM second WHERE dl_bps >= {BUSY_BPS} AND ul_bps >= {BUSY_BPS}
            GROUP BY ALL ORDER BY sum(dl_bps + ul_bps) DESC, run, ue LIMIT 1)
        SELECT run, ue, (second - min(second) OVER ())::DOUBLE AS time_s, dl_bps, ul_bps
        FROM second JOIN chosen USING (run, ue) ORDER BY time_s""")
    return some(rows, f"{dataset.path}: no second with a download and an upload", HOW)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the mean throughput of the download with and without an upload, and the ratio."""
    alone = _downlink(rows, upload=False)
    beside = _downlink(rows, upload=True)
    found = [
        Finding("download without upload", _mean(alone), "", len(alone)),
        Finding("download during the upload", _mean(beside), "", len(beside)),
    ]
    if alone:
        ratio = percent(sum(beside) / len(beside) / (sum(alone) / len(alone)))
        return [*found, Finding("the second over the first", ratio, "", len(beside))]
    why = "no second with the download alone"
    return [*found, Finding("the second over the first", "unknown", reason=why)]


def _downlink(rows: pa.Table, *, upload: bool) -> list[float]:
    """Return the downlink throughput in seconds with an upload, or in seconds without one."""
    return [
        row["dl_bps"]
        for row in rows.to_pylist()
        if row["dl_bps"] >= BUSY_BPS and (row["ul_bps"] >= BUSY_BPS) == upload
    ]


def _mean(values: list[float]) -> str:
    return rate(sum(values) / len(values)) if values else "unknown"


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw the throughput of both directions over time."""
    from airmile.study import _style

    axes = figure.subplots()
    shown: list[dict[str, Any]] = rows.to_pylist()
    for place, (column, name) in enumerate((("dl_bps", "download"), ("ul_bps", "upload"))):
        colour, mark = _style.series(place)
        axes.plot(
            [row["time_s"] for row in shown], [row[column] / 1e6 for row in shown],
            _style.DASHES[place], color=colour, marker=mark, markersize=3, label=name,
        )  # fmt: skip
    axes.set_ylim(bottom=0)
    _style.plain(axes, "time (s)", "throughput in the second (Mbps)")
    _style.legend(axes)


download = Exhibit(
    "up16", "download", "section 5", "A download during an upload", table, findings, picture,
    caption=(
        "Throughput of a phone's downloads and uploads in each second. The ACKs of a download wait "
        "in the buffers that an upload fills, so that it may become slower although the downlink "
        "is free (methods B7, D3)."
    ),
)  # fmt: skip
