"""The report on a modem log: its format, and which parts could not be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from airmile._words import count, counted, listed, moment, seconds

Log = Mapping[str, Any]

SHOWN = 3
"""The most problems that are listed; the manifest contains all of them."""


LONGEST_NS = 365 * 86_400 * 10**9
"""The longest time between two records: the engine takes a longer step for a clock that was set."""

CODES = 12
"""The most codes of messages that are listed, the most frequent first."""


def title(log: Log) -> str:
    """Return the name, format and length of a log, and the number of records read."""
    name = "standard input" if log["name"] == "-" else Path(log["name"]).name
    read = sum((log.get("understood") or {}).values())
    return "  ".join(
        (name, log["format"] or "not readable", _length(log), counted(read, "record") + " read")
    )


def _length(log: Log) -> str:
    """Return the time from first to last record, unless the clock was set in between."""
    first, last = log.get("first_ns"), log.get("last_ns")
    if first is None or last is None:
        return "no records"
    if last - first > LONGEST_NS:
        years = f"{moment(first)[:4]} to {moment(last)[:4]}"
        return f"length unknown (its clock was set: records from {years})"
    return seconds((last - first) / 1e9)


def holds(logs: Sequence[Log]) -> Iterator[str]:
    """Yield which messages each log holds, by log code or kind, and how many of each."""
    for log in logs:
        name = f"{Path(log['name']).name} holds" if len(logs) > 1 else "the log holds"
        codes = _codes(log)
        shown = [f"{code} ({count(number)})" for code, number in codes[:CODES]]
        if len(codes) > CODES:
            shown.append(f"{len(codes) - CODES} more kinds (see manifest.json)")
        yield f"{name} {listed(shown) or 'no messages'}"


def _codes(log: Log) -> list[tuple[str, int]]:
    """Return codes of messages, without versions, and their numbers, the most frequent first."""
    numbers: Counter[str] = Counter()
    for kinds in (log.get("understood") or {}, log.get("other") or {}):
        for kind, number in kinds.items():
            if not kind.startswith("command "):
                numbers[kind.split(" v")[0]] += number
    return numbers.most_common()


def notes(logs: Sequence[Log], *, verbose: bool) -> Iterator[str]:
    """Yield how RRC messages were decoded, and what was not decoded, not verified, or failed."""
    for log in logs:
        name = f"{Path(log['name']).name}: " if len(logs) > 1 else ""
        for text in (*_rrc(log), *unsure(log)):
            yield name + text
        if verbose:
            yield from (name + text for text in _read(log))


def unsure(log: Log) -> Iterator[str]:
    """Yield what was not understood or is unverified, and what failed."""
    yield from (*_unread(log), *_unproved(log), *log.get("warnings", []), *_failed(log))


def _rrc(log: Log) -> Iterator[str]:
    rrc = log.get("rrc")
    if rrc and rrc["decoding"] == "plain":
        installed = find_spec("pycrate_asn1dir") is not None
        how = "analyse the log again for" if installed else "pip install 'airmile[rrc]' decodes"
        yield f"RRC: decoded in part; {how} whole messages"
    elif rrc:
        failed = rrc["failed"]
        if not rrc["decoded"] and not failed:
            return
        but = f"; {count(failed)} that it could not decode are decoded in part"
        decoded = counted(rrc["decoded"], "reconfiguration")
        yield f"RRC: {decoded} decoded by {rrc['decoding']}{but if failed else ''}"


def checks(logs: Sequence[Log], *, verbose: bool) -> Iterator[str]:
    """Yield how often messages agreed with the rest of each log."""
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
        agree = "agrees" if len(checks) == 1 else "agree"
        yield f"{layouts} {agree} with the rest of the log in {held} checks{but}"
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
            f"unverified: {listed(kinds)} {'are' if len(kinds) > 1 else 'is'} read by an "
            "unverified layout; compare with another tool before relying on it"
        )


def _failed(log: Log) -> Iterator[str]:
    # Refused layouts are listed elsewhere.
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
