"""The logs of the applications at both ends of a run, joined by connection."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.recorded.files import read_events


@dataclass(frozen=True)
class Exchange:
    """A request and its answer, as the applications saw them.

    Attributes
    ----------
    number : int
        Its position on the connection.
    request : (int, int)
        The offsets of its bytes in the stream to the server.
    answer : (int, int)
        The offsets of the answer's bytes, in the other stream.
    written_ns : int
        When the client had written the request.
    read_ns, write_ns : int
        When the server had read it, and when it began to write the answer.
    """

    number: int
    request: tuple[int, int]
    answer: tuple[int, int]
    written_ns: int
    read_ns: int
    write_ns: int

    @property
    def server_wait_ns(self) -> int:
        """The time that the server's application took."""
        return self.write_ns - self.read_ns


@dataclass(frozen=True)
class Spoken:
    """One connection, as the applications logged it.

    Attributes
    ----------
    port : int
        The phone's port.
    handshake_to : int
        The bytes that the client had sent after the handshake; 0 without TLS.
    exchanges : list of Exchange
        The exchanges in the order of their requests.
    stalls : list of (int, int)
        The spans in which a reader, at either end, had stopped.
    """

    port: int
    handshake_to: int
    exchanges: list[Exchange]
    stalls: list[tuple[int, int]]


def read(run: Path) -> list[Spoken]:
    """Read the logs of both ends."""
    here, there = run / "workload.jsonl", run / "server.jsonl"
    opened = [each for each in read_events(here, "connected") if not each.get("background")]
    same = _same_ports(opened, read_events(there, "accepted"))
    answered = {(same.get(e["port"]), e["number"]): e for e in read_events(there, "answered")}
    asked: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for each in read_events(here, "exchange"):
        asked[each["port"]].append(each)
    stalls: defaultdict[int | None, list[tuple[int, int]]] = defaultdict(list)
    for each in read_events(here, "stalled"):
        stalls[each["port"]].append((each["since_ns"], each["until_ns"]))
    for each in read_events(there, "stalled"):
        stalls[same.get(each["port"])].append((each["since_ns"], each["until_ns"]))
    return [
        Spoken(
            port=each["port"],
            handshake_to=each["handshake_to"],
            exchanges=[
                _exchange(ask, answered[each["port"], ask["number"]])
                for ask in sorted(asked[each["port"]], key=lambda ask: ask["request_from"])
            ],
            stalls=sorted(stalls[each["port"]]),
        )
        for each in opened
    ]


def _same_ports(opened: list[dict[str, Any]], accepted: list[dict[str, Any]]) -> dict[int, int]:
    """Give the phone's port of each of the server's peers; behind a proxy, by order."""
    ours = [each["port"] for each in opened]
    theirs = [each["port"] for each in accepted]
    if set(ours) <= set(theirs):
        return {port: port for port in ours}
    return dict(zip(theirs, ours, strict=True))


def _exchange(asked: dict[str, Any], answered: dict[str, Any]) -> Exchange:
    return Exchange(
        number=asked["number"],
        request=(asked["request_from"], asked["request_to"]),
        answer=(answered["answer_from"], answered["answer_to"]),
        written_ns=asked["written_ns"],
        read_ns=answered["read_ns"],
        write_ns=answered["write_ns"],
    )
