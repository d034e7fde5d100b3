"""What the reader should know of the input before the network is blamed (methods A10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airmile._rows import rows
from airmile._words import count, counted, listed, percent, size

if TYPE_CHECKING:
    from airmile.dataset import Dataset

SHOWN = 3
"""Problems that are told one by one; the manifest holds them all."""

NOTEWORTHY_RATIO = 0.01
"""Bytes outside TCP below this share go without saying."""

_PLACES = {
    "ue": "at the phone",
    "monitor": "between the radio network and the servers",
    "server": "at the server",
}

_FAULTS = {
    "mid_stream": "began before the capture, so the window scale may be unknown",
    "one_sided": "seen in one direction only, so round trips and windows are unknown",
    "capture_loss": "the capture missed packets",
    "capture_duplicates": "packets recorded twice, counted once",
    "acks_before_data": "ACKs recorded before the data that they acknowledge",
    "super_segments": "several packets in one record (TSO or LRO)",
    "cut_options": "TCP options cut by the snap length, so timestamps and SACK may be missing",
    "clock_steps": "the clock of the capture stepped back, so times around it are wrong",
}


def sentences(dataset: Dataset) -> Iterator[str]:
    """Tell what is doubtful about the input; nothing when nothing is."""
    manifest = dataset.manifest
    if manifest["interrupted"]:
        yield "the analysis was interrupted: only what was read until then is judged"
    yield _vantage(manifest["vantage"])
    yield from _few(manifest["reasons"])
    yield from manifest["warnings"]
    if manifest["notes"]:
        yield f"passed over: {listed(list(_few(manifest['notes'])))}"
    yield from _faults(dataset)
    yield from _unassessable(dataset)


def _vantage(vantage: dict[str, Any]) -> str:
    """Tell where the capture was taken, and how that is known (methods A11)."""
    where = _PLACES.get(vantage["value"])
    if where is None:
        return (
            "nothing tells where the capture was taken (--vantage says it): judged as "
            f"{_PLACES['monitor']}"
        )
    if vantage["source"] == "given":
        return f"taken {where}, as given"
    votes = vantage["votes"]
    every = sum(votes[place] for place in _PLACES)
    witnesses = "handshake" if not votes.get("by_acks") else "flow"
    text = (
        f"taken {where}: {count(votes[vantage['value']])} of {counted(every, witnesses)} "
        f"{'says' if every == 1 else 'say'} so"
    )
    if votes.get("by_acks"):
        text += f", {count(votes['by_acks'])} by data and ACKs alone"
    return text


def _few(texts: list[str]) -> Iterator[str]:
    """Give the first few, and say how many more there are."""
    yield from texts[:SHOWN]
    if len(texts) > SHOWN:
        yield f"{count(len(texts) - SHOWN)} more in manifest.json"


def _faults(dataset: Dataset) -> Iterator[str]:
    query = """SELECT word, count(*) AS flows, (SELECT count(*) FROM flows
            WHERE protocol = 'tcp') AS every
        FROM (SELECT unnest(string_split(quality, ',')) AS word FROM flows WHERE quality <> '')
        GROUP BY word ORDER BY flows DESC, word"""
    for row in rows(dataset, query):
        what = _FAULTS.get(row["word"], row["word"].replace("_", " "))
        yield f"{count(row['flows'])} of {counted(row['every'], 'TCP flow')}: {what}"


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
