"""A modem's log in words: what it is, and which parts could not be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from airmile._words import count, counted, listed, seconds

Log = Mapping[str, Any]

SHOWN = 3
"""Problems that are listed one by one; the manifest holds them all."""


def title(log: Log) -> str:
    """Return the name, format and length of a log, and what was read."""
    name = "standard input" if log["name"] == "-" else Path(log["name"]).name
    first, last = log.get("first_ns"), log.get("last_ns")
    span = "no records" if first is None or last is None else seconds((last - first) / 1e9)
    read = sum((log.get("understood") or {}).values())
    return "  ".join(
        (name, log["format"] or "not readable", span, counted(read, "record") + " read")
    )


def notes(logs: Sequence[Log], *, verbose: bool) -> Iterator[str]:
    """Say how RRC was read, what was not understood, what no sample proves, and what failed."""
    for log in logs:
        name = f"{Path(log['name']).name}: " if len(logs) > 1 else ""
        unsure = (*_unread(log), *_unproved(log), *log.get("warnings", []), *_failed(log))
        for text in (*_rrc(log), *unsure):
            yield name + text
        if verbose:
            yield from (name + text for text in _read(log))


def _rrc(log: Log) -> Iterator[str]:
    rrc = log.get("rrc")
    if rrc and rrc["decoding"] == "plain":
        yield "RRC: plain reading of the bits; pip install 'airmile[rrc]' reads whole messages"
    elif rrc:
        failed = rrc["failed"]
        if not rrc["decoded"] and not failed:
            return
        but = f"; of {count(failed)} that it could not decode the plain reading stands"
        decoded = counted(rrc["decoded"], "reconfiguration")
        yield f"RRC: {decoded} decoded by {rrc['decoding']}{but if failed else ''}"


def checks(logs: Sequence[Log], *, verbose: bool) -> Iterator[str]:
    """Say how often what messages said held against the rest of each log."""
    for log in logs:
        name = f"{Path(log['name']).name}: " if len(logs) > 1 else ""
        yield from (name + text for text in _checks(log, verbose=verbose))


def _checks(log: Log, *, verbose: bool) -> Iterator[str]:
    checks = log.get("checks") or {}
    made = [(layout, name, one) for layout, of in checks.items() for name, one in of.items()]
    failed = [(layout, name, one) for layout, name, one in made if one["failed"]]
    if made:
        passed = sum(one["passed"] for *_, one in made)
        every = passed + sum(one["failed"] for *_, one in failed)
        shown = [
            f"{layout} {name} {count(one['failed'])} of {count(one['passed'] + one['failed'])}"
            for layout, name, one in failed[:SHOWN]
        ]
        more = f" and {len(failed) - SHOWN} more kinds" if len(failed) > SHOWN else ""
        held = f"{count(passed)} of {count(every)}" if failed else f"all {count(every)}"
        but = f"; not in {', '.join(shown)}{more}" if shown else ""
        layouts = counted(len(checks), "message layout")
        yield f"what {layouts} read fits the rest of the log in {held} checks{but}"
    if verbose:
        for layout, of in checks.items():
            shown = [f"{name} {count(one['passed'])}" for name, one in of.items()]
            yield f"checked: {layout} {', '.join(shown)}"


def _unread(log: Log) -> Iterator[str]:
    yield from (text.rstrip(".") for text in log.get("refused") or [])
    yield from (text.rstrip(".") for text in log.get("not_understood", []))
    skipped = log.get("skipped") or {}
    if skipped:
        shown = [f"{_spoken(reason)} ({count(number)})" for reason, number in skipped.items()]
        yield f"skipped: {listed(shown)}"


def _spoken(reason: str) -> str:
    return reason.replace("_", " ")


def _unproved(log: Log) -> Iterator[str]:
    kinds = list(log.get("unverified") or [])
    if kinds:
        yield (
            f"unverified: {listed(kinds)} {'are' if len(kinds) > 1 else 'is'} read by a layout "
            "that nothing has proved; compare with another tool before relying on it"
        )


def _failed(log: Log) -> Iterator[str]:
    # What was refused is listed before.
    problems = [one for one in log.get("problems") or [] if one.get("kind") != "layout_refused"]
    for problem in problems[:SHOWN]:
        where = "" if problem["offset"] is None else f"at byte {count(problem['offset'])}: "
        yield where + problem["text"]
    more = len(problems) - SHOWN + (log.get("unlisted_problems") or 0)
    if more > 0:
        yield f"{counted(more, 'more problem')}: see manifest.json"


def _read(log: Log) -> Iterator[str]:
    kinds = log.get("understood") or {}
    if kinds:
        yield "read: " + ", ".join(f"{name} {count(number)}" for name, number in kinds.items())
