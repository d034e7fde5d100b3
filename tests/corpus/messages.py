"""Compares names and messages of TLS and HTTP between two ends, field by field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from tests.corpus.connection import End
from tests.corpus.dissected import Message, Services

HELLO = ("server_name", "alpn_offered", "alpn")
HOST = ("server_name",)
REQUEST = ("method",)
RESPONSE = ("status", "content_type", "length", "range")


@dataclass(frozen=True)
class Finding:
    """One field of one message: airmile's value and tshark's."""

    ends: frozenset[End]
    field: str
    ours: Any
    theirs: Any

    def __str__(self) -> str:
        ends = " - ".join(f"{host}:{port}" for host, port in sorted(self.ends))
        return f"{ends} {self.field}: ours {self.ours}, tshark {self.theirs}"


def compare(ends: frozenset[End], ours: Services, ways: list[Services]) -> list[Finding]:
    """Compare the messages between two ends, in their order, with each of tshark's ways.

    Where these disagree, none is the truth; of the requests and of the responses the one counts
    that differs least.
    """
    if ways[0].hellos:
        named = _messages(ends, "hello", HELLO, *_hellos(ours.hellos, ways[0].hellos))
    else:
        named = _messages(ends, "host", HOST, *_hosts(ours.hellos, ways))
    every = [
        [*named],
        _least(_messages(ends, "request", REQUEST, ours.requests, way.requests) for way in ways),
        _least(
            _messages(ends, "response", RESPONSE, ours.responses, way.responses) for way in ways
        ),
    ]
    return [found for findings in every for found in findings]


def _least(ways: Iterable[Iterable[Finding]]) -> list[Finding]:
    return min(map(list, ways), key=lambda findings: sum(f.ours != f.theirs for f in findings))


def _hellos(ours: list[Message], theirs: list[Message]) -> tuple[list[Message], list[Message]]:
    """Leave out flows without a hello, and names where tshark has none: ours may be from DNS."""
    if len(ours) != len(theirs):
        ours = [hello for hello in ours if any(hello.values())]
        theirs = [hello for hello in theirs if any(hello.values())]
    if len(ours) == len(theirs):
        pairs = zip(ours, theirs, strict=True)
        ours = [
            {**own, "server_name": their["server_name"] and own["server_name"]}
            for own, their in pairs
        ]
    return ours, theirs


def _hosts(ours: list[Message], ways: list[Services]) -> tuple[list[Message], list[Message]]:
    """Give the name of a single flow beside the host of its first request, where both are known."""
    hosts = [way.requests[0]["host"] for way in ways if way.requests and way.requests[0]["host"]]
    if len(ours) != 1 or not hosts:
        return [], []
    return ours, [{"server_name": hosts[0].split(":")[0].lower()}]


def _messages(
    ends: frozenset[End],
    kind: str,
    names: Iterable[str],
    ours: list[Message],
    theirs: list[Message],
) -> Iterator[Finding]:
    """Compare two lists; where one program lacks messages, those that fit best are compared."""
    for own, their in _aligned(kind, ours, theirs):
        if own is None or their is None:
            yield Finding(ends, kind, own and _short(own), their and _short(their))
            continue
        for name in names:
            yield Finding(ends, name, own[name], their[name])


def _short(message: Message) -> str:
    return " ".join(str(value) for value in message.values())


def _aligned(
    kind: str, ours: list[Message], theirs: list[Message]
) -> Iterator[tuple[Message | None, Message | None]]:
    if len(ours) == len(theirs):
        yield from zip(ours, theirs, strict=True)
        return
    own, their = ([_short(message) for message in side] for side in (ours, theirs))
    for _, a, b, c, d in SequenceMatcher(a=own, b=their, autojunk=False).get_opcodes():
        left: list[Message | None] = [*ours[a:b]]
        right: list[Message | None] = [*theirs[c:d]]
        size = max(len(left), len(right))
        left += [None] * (size - len(left))
        right += [None] * (size - len(right))
        yield from zip(left, right, strict=True)
