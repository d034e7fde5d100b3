"""Checks of a modem log (docs/guide/modem-logs.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airmile._words import count, counted
from airmile.answers.radio import _log_words
from airmile.doctor import Finding, named

if TYPE_CHECKING:
    from airmile.store import Tables

SHOWN = 3
"""The most faults of a kind that are listed."""
_OTHER = (
    "log another message with the same values: docs/guide/modem-logs.md lists those that are read"
)

_ALLOCATIONS = (
    "log the PDSCH allocations (0xB173), and those of the PUSCH (0xB139 and 0xB064): without them "
    "no answer about the radio is possible"
)


def findings(dataset: Tables) -> Iterator[Finding]:
    """Yield the findings about logs: their files, allocations, unknown layouts, and consistency."""
    logs = dataset.manifest["modem"]
    yield from named(logs, _log)
    if not dataset.rows("ttis"):
        held = "; ".join(_log_words.holds(logs))
        yield Finding("allocations", "warning", f"no allocation: {held}", _ALLOCATIONS)


def _log(log: dict[str, Any]) -> Iterator[Finding]:
    yield from _file(log)
    yield from _layouts(log)
    yield from _checks(log)


def _file(log: dict[str, Any]) -> Iterator[Finding]:
    damage = [one for one in log["problems"] if one["kind"] != "layout_refused"]
    for problem in damage[:SHOWN]:
        place = "" if problem["offset"] is None else f"at byte {count(problem['offset'])}: "
        advice = problem.get("hint") or "copy the file again; everything before this was read"
        yield Finding("file", "error", place + problem["text"], advice)
    if not damage:
        read = counted(sum(log["understood"].values()), "record")
        yield Finding("file", "ok", f"{log['format']}, {read} read to its end")


def _layouts(log: dict[str, Any]) -> Iterator[Finding]:
    for text in log["refused"]:
        yield Finding("layout", "warning", text, _OTHER)
    for text in log["not_understood"]:
        yield Finding("version", "warning", text, _OTHER)


def _checks(log: dict[str, Any]) -> Iterator[Finding]:
    failed = any(one["failed"] for of in log["checks"].values() for one in of.values())
    for text in _log_words.checks([log], verbose=False):
        yield Finding("self-checks", "note" if failed else "ok", text)
