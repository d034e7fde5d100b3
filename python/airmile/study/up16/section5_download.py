"""Section 5: the throughput of a download while the phone uploads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from airmile._words import percent, rate
from airmile.store._needs import of_phones, some, source
from airmile.store._remedies import TRUTH
from airmile.study._exhibit import Exhibit, Finding

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

LEAST_S = 3.0
"""The shortest transfer that counts in s: a shorter one has no rate (UP16 section 3)."""

LEAST_BYTES = 100_000
"""The payload of the smallest upload or download that UP16 calls large (section 3)."""

MARKS = ("downloads", "uploads", "near_upload")
"""Whether a download or an upload covers the whole second, or an upload any part of it.

A second that an upload covers in part counts neither as with nor as without an upload.
"""

HOW = (
    f"capture a download beside an upload, each of {LEAST_S:g} s or more; {TRUTH}, as "
    "up16_upload_download"
)


def table(dataset: Tables) -> pa.Table:
    """Return one row per second of the phone with the most bytes in seconds with both directions.

    An upload or a download is a transfer of `LEAST_S` and `LEAST_BYTES` or more (methods T1); it
    has the seconds that lie within it. The rows cover all seconds from the first to the last with
    payload; a direction without payload has 0 bytes.
    """
    bins = source(dataset, "throughput", "uid", "direction", "start_ns", "bytes")
    flows = of_phones(dataset, "uid")
    known = ", ".join(f"coalesce({each}, false) AS {each}" for each in MARKS)
    rows = dataset.arrow(f"""
        WITH second AS (
            SELECT run, ue, start_ns // 1000000000 AS second,
                coalesce(sum(bytes) FILTER (direction = 'downlink'), 0)::DOUBLE * 8 AS dl_bps,
                coalesce(sum(bytes) FILTER (direction = 'uplink'), 0)::DOUBLE * 8 AS ul_bps
            FROM {bins} JOIN {flows} USING (run, uid) GROUP BY ALL),
        covered AS (
            SELECT run, ue, direction, (first_byte_ns - 1) // 1000000000 + 1 AS first,
                end_ns // 1000000000 AS past, first_byte_ns // 1000000000 AS touched,
                (end_ns - 1) // 1000000000 + 1 AS "left"
            FROM {_long(dataset)} JOIN {flows} USING (run, uid)),
        busy AS (
            SELECT run, ue, second, bool_or(direction = 'downlink' AND whole) AS downloads,
                bool_or(direction = 'uplink' AND whole) AS uploads,
                bool_or(direction = 'uplink') AS near_upload
            FROM (SELECT *, second >= first AND second < past AS whole
                FROM (SELECT *, unnest(range(touched, "left")) AS second FROM covered))
            GROUP BY ALL),
        marked AS (
            SELECT second.*, {known}
            FROM second LEFT JOIN busy USING (run, ue, second)),
        chosen AS (
            SELECT run, ue FROM marked WHERE downloads AND uploads
            GROUP BY ALL ORDER BY sum(dl_bps + ul_bps) DESC, run, ue LIMIT 1)
        SELECT run, ue, (second - min(second) OVER ())::DOUBLE AS time_s, dl_bps, ul_bps,
            {", ".join(MARKS)}
        FROM marked JOIN chosen USING (run, ue) ORDER BY time_s""")
    lacking = f"no second with a download and an upload of {LEAST_S:g} s or more each"
    return some(rows, f"{dataset.path}: {lacking}", HOW)


def _long(dataset: Tables) -> str:
    """Return SQL for the transfers that are long and large enough to be a download or an upload."""
    transfers = source(dataset, "transfers", "uid", "direction", "first_byte_ns", "end_ns", "bytes")
    return f"""(
        FROM {transfers}
        WHERE end_ns - first_byte_ns >= {LEAST_S} * 1e9 AND bytes >= {LEAST_BYTES})"""


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
    """Return the throughput of downloads in the seconds of uploads, or in those without any."""
    return [
        row["dl_bps"]
        for row in rows.to_pylist()
        if row["downloads"] and (row["uploads"] if upload else not row["near_upload"])
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
        "Throughput of a phone's downloads and uploads in each second. An upload or a download "
        "lasts 3 s or more and carries 100 KB or more. The ACKs of a download wait "
        "in the buffers that an upload fills, so that it may become slower although the downlink "
        "is free (methods B7, D3, T1)."
    ),
)  # fmt: skip
