"""What the reader should know of the input before the network is blamed (methods A10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airmile._rows import rows
from airmile._words import count, counted, percent, size

if TYPE_CHECKING:
    from airmile.dataset import Dataset

PROBLEMS_SHOWN = 3
"""Problems of one input that are told one by one; the manifest holds them all."""

NOTEWORTHY_RATIO = 0.01
"""Bytes outside TCP below this share go without saying."""

_FAULTS = {
    "mid_stream": "began before the capture: no handshake, so window scales may be unknown",
    "one_sided": "seen in one direction only: RTT and window evidence are missing",
    "capture_loss": "with packets that the capture missed",
    "capture_duplicates": "with packets recorded twice; counted once",
    "super_segments": "recorded before segmentation (TSO or LRO): several packets in one record",
}


def sentences(dataset: Dataset) -> Iterator[str]:
    """Tell what is doubtful about the input; nothing when nothing is."""
    manifest = dataset.manifest
    if manifest.get("interrupted"):
        yield "the analysis was interrupted: only what was read until then is judged"
    for source in manifest.get("inputs", []):
        yield from _problems(source)
    yield from (_text(warning) for warning in manifest.get("warnings", []))
    if "flows" in dataset.tables:
        yield from _faults(dataset)
        yield from _unassessable(dataset)


def _problems(source: dict[str, Any]) -> Iterator[str]:
    problems = source.get("problems", [])
    for problem in problems[:PROBLEMS_SHOWN]:
        offset = problem.get("offset")
        place = "" if offset is None else f" at byte {count(offset)}"
        yield f"{source.get('path', 'input')}{place}: {problem['text']}"
    more = len(problems) - PROBLEMS_SHOWN
    if more > 0:
        yield f"{source.get('path', 'input')}: {counted(more, 'more problem')} in manifest.json"


def _faults(dataset: Dataset) -> Iterator[str]:
    query = """SELECT word, count(*) AS flows, (SELECT count(*) FROM flows
            WHERE protocol = 'tcp') AS every
        FROM (SELECT unnest(string_split(quality, ',')) AS word FROM flows WHERE quality <> '')
        GROUP BY word ORDER BY flows DESC, word"""
    for row in rows(dataset, query):
        what = _FAULTS.get(row["word"], row["word"].replace("_", " "))
        yield f"{count(row['flows'])} of {counted(row['every'], 'TCP flow')} {what}"


def _unassessable(dataset: Dataset) -> Iterator[str]:
    """Bytes without TCP evidence are shown as such, never spread over causes (methods F1)."""
    query = """SELECT sum(bytes) AS every, sum(bytes) FILTER (protocol <> 'tcp') AS other,
            sum(bytes) FILTER (protocol = 'udp' AND server_port = 443) AS quic
        FROM (SELECT protocol, server_port,
              coalesce(dl_payload_bytes, 0) + coalesce(ul_payload_bytes, 0) AS bytes FROM flows)"""
    row = rows(dataset, query)[0]
    if not row["every"] or not row["other"] or row["other"] < NOTEWORTHY_RATIO * row["every"]:
        return
    quic = f", {size(row['quic'])} of it on UDP port 443 (QUIC)" if row["quic"] else ""
    share = percent(row["other"] / row["every"])
    yield f"{size(row['other'])} ({share} of the payload) is not TCP and was not judged{quic}"


def _text(warning: str | dict[str, Any]) -> str:
    return warning if isinstance(warning, str) else str(warning.get("text", warning))
