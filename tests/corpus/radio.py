"""Every message of the public modem logs against the dump of another decoder, field by field.

Names and counts are printed, never a value of a message.
"""

from __future__ import annotations

import gzip
import json
import math
import subprocess
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.corpus.radio_peer import Dump, corrected
from tests.corpus.radio_words import number

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("radio_exceptions.toml")

_ABOUT = frozenset({"frame", "code", "ver", "ts_raw", "radio", "log_msg_len", "type_id"})
_ABOUT_TOO = frozenset({"timestamp", "MsgType", "peer_drops", "Version", "Pkt Version"})
"""Fields of a dump about a packet that are not in the packet."""

_EPOCH_NS = 315_964_800_000_000_000
"""The start of the modem's clock: 1980-01-06, in nanoseconds of UTC."""

Place = tuple[str, str]
"""The code of a message, and the path of a field with ``[]`` for each list."""


@dataclass
class Result:
    """The comparison of the messages of some logs."""

    messages: Counter[tuple[str, int]] = field(default_factory=Counter)
    """The messages that were compared, by code and version."""
    second: int = 0
    """The number of compared messages of second subscriptions, which the other decoder loses."""
    missing: Counter[str] = field(default_factory=Counter)
    """The number of messages that only one of the two has, by code."""
    equal: Counter[tuple[str, int]] = field(default_factory=Counter)
    """The number of equal fields, by code and version."""
    unlike: Counter[Place] = field(default_factory=Counter)
    """The number of differing fields, by place."""
    unread: Counter[Place] = field(default_factory=Counter)
    """The number of fields that the reader does not read, by place."""


def instant_ns(stamp: int) -> int:
    """Give the nanosecond of a time stamp, whose unit is 1/52,428,800 s.

    >>> instant_ns(0), instant_ns(1 << 16)
    (315964800000000000, 315964800001250000)
    """
    return _EPOCH_NS + (stamp * 78_125 >> 12)


def compare(log: Path, result: Result) -> None:
    """Compare a log with the dump beside it."""
    own: dict[str, Iterator[Dump]] = _by_code(_ours(log))
    wanted = _by_code(_dump(log))
    for code, dumps in wanted.items():
        ours = own.get(code, iter(()))
        for dump in dumps:
            said = next(ours, None)
            if said is None or not _same_packet(dump, said):
                result.missing[code] += 1
            else:
                _message(code, dump, said, result)
        result.missing[code] += sum(1 for _ in ours)


def _ours(log: Path) -> Iterator[Dump]:
    """Run the reader's example, whose output stays in memory."""
    words = ["cargo", "run", "--quiet", "--locked", "-p", "airmile-read", "--example"]
    done = subprocess.run(
        [*words, "modem_fields", "--", str(log)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    yield from map(json.loads, done.stdout.splitlines())


def _dump(log: Path) -> Iterator[Dump]:
    with gzip.open(log.with_name(log.name + ".jsonl.gz"), "rt") as lines:
        yield from map(json.loads, lines)


def _by_code(messages: Iterator[Dump]) -> dict[str, Iterator[Dump]]:
    lists: dict[str, list[Dump]] = defaultdict(list)
    for message in messages:
        lists[message["code"]].append(message)
    return {code: iter(found) for code, found in lists.items()}


def _same_packet(dump: Dump, said: Dump) -> bool:
    named = ("radio", "log_msg_len", "ver")
    same = all(dump[name] == said[name] for name in named)
    return same and instant_ns(dump["ts_raw"]) == said["ns"]


def _message(code: str, dump: Dump, said: Dump, result: Result) -> None:
    kind = (code, dump["ver"])
    result.messages[kind] += 1
    result.second += bool(dump.get("peer_drops"))
    fields = said["fields"]
    if fields is None:
        result.unread[(code, "")] += 1
        return
    about = _ABOUT | _ABOUT_TOO
    dump = {name: value for name, value in corrected(dump).items() if name not in about}
    for path, verdict in _fields("", dump, fields):
        if verdict is None:
            result.unread[(code, path)] += 1
        elif verdict:
            result.equal[kind] += 1
        else:
            result.unlike[(code, path)] += 1


def _fields(path: str, theirs: Any, ours: Any) -> Iterator[tuple[str, bool | None]]:
    """Compare all fields of both: equal, different, or not read."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name, value in theirs.items():
            inside = f"{path}.{name}" if path else name
            if ours.get(name) is None:
                yield inside, None
            else:
                yield from _fields(inside, value, ours[name])
    elif isinstance(theirs, list) and isinstance(ours, list):
        yield f"{path}[]", len(theirs) == len(ours)
        for value, own in zip(theirs, ours, strict=False):
            yield from _fields(f"{path}[]", value, own)
    else:
        yield path, _equal(number(path.rpartition(".")[2], theirs), ours)


def _equal(theirs: Any, ours: Any) -> bool:
    if isinstance(theirs, int | float) and isinstance(ours, int | float):
        return math.isclose(theirs, ours, rel_tol=1e-6, abs_tol=1e-6)
    return bool(theirs == ours)


@dataclass(frozen=True)
class Exceptions:
    """Fields that may differ or are not read; the list gives the reason for each."""

    unlike: frozenset[Place]
    unread: frozenset[Place]

    @classmethod
    def known(cls) -> Exceptions:
        """Read the list of exceptions."""
        lists: dict[str, set[Place]] = {"unlike": set(), "unread": set()}
        for entry in tomllib.loads(LIST.read_text())["exception"]:
            for kind, places in lists.items():
                places.update(
                    (code, name) for code in entry["code"] for name in entry.get(kind, ())
                )
        return cls(frozenset(lists["unlike"]), frozenset(lists["unread"]))


def wrong(result: Result, known: Exceptions) -> list[str]:
    """Name the differences that no exception explains, and the exceptions that are not needed."""
    lines = [
        f"{code}: {count} messages are not in both"
        for code, count in result.missing.items()
        if count
    ]
    for shown, places, listed in (
        ("differs", result.unlike, known.unlike),
        ("is not read", result.unread, known.unread),
    ):
        for (code, name), count in places.items():
            if (code, name) not in listed:
                lines.append(f"{code} {name or 'message'} {shown} in {count}")
        lines += [f"{code} {name}: no exception is needed" for code, name in listed - places.keys()]
    return sorted(lines)


def table(result: Result) -> Iterator[str]:
    """Write a line per code and version: the messages and fields compared."""
    yield f"{'message':8} {'version':>7} {'messages':>9} {'fields equal':>13}"
    for (code, version), count in sorted(result.messages.items()):
        yield f"{code:8} {version:7} {count:9} {result.equal[(code, version)]:13}"


def summary(logs: int, result: Result) -> str:
    """Say in one line how many messages and fields were compared."""
    unlike, unread = sum(result.unlike.values()), sum(result.unread.values())
    return (
        f"{logs} modem logs, {sum(result.messages.values())} messages ({result.second} of second "
        f"subscriptions), {sum(result.equal.values())} fields equal; {unlike} differ by listed "
        f"faults or otherwise, {unread} are not read"
    )


def judge(folder: Path) -> tuple[list[str], list[str]]:
    """Compare every log; give the lines to print and the errors."""
    result = Result()
    logs = sorted(path for path in folder.glob("*") if path.suffix in (".mi2log", ".qmdl"))
    for log in logs:
        compare(log, result)
    return [*table(result), "", summary(len(logs), result)], wrong(result, Exceptions.known())
