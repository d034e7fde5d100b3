"""Derives trials from the events of workloads: what was done, when, over which connection."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from airmile.testbed.truth.trials.log import Said

Place = tuple[int | None, int, int | None]


@dataclass(frozen=True)
class Trial:
    """One thing that a workload did, such as a download or a ping.

    Attributes
    ----------
    said : Said
        The event that ends the trial, with its workload.
    kind : str
        The kind of the trial.
    start_ns, end_ns : int
        Begin and end of the trial, in ns of UTC.
    bytes : int or None
        The sum of the bytes of the bodies.
    first_ns : int or None
        When the first byte of the answer arrived, in ns of UTC.
    ue_port, port : int or None
        The ports of the connection, at the phone and at the server.
    pings : tuple of float
        The round trips of the echo requests that were answered, in ms.
    segments : list of dict
        The events of the segments of a video.
    """

    said: Said
    kind: str
    start_ns: int
    end_ns: int
    bytes: int | None = None
    first_ns: int | None = None
    ue_port: int | None = None
    port: int | None = None
    pings: tuple[float, ...] = ()
    segments: list[dict[str, Any]] = field(default_factory=list)


def trials(said: Iterable[Said]) -> Iterator[Trial]:
    """Yield the trials in the order in which they ended.

    The parts of a video, a page or a ping have earlier events with the same place in the run.
    """
    parts: dict[tuple[Place, str], list[Said]] = defaultdict(list)
    for each in said:
        event = each.event["event"]
        parts[each.place, event].append(each)
        if event in _KINDS:
            yield _KINDS[event](each, parts)
    for (_, event), segments in list(parts.items()):
        if event == "segment" and segments:
            yield _video(segments[-1], parts)


def ns(unix_s: float) -> int:
    """Return a time in seconds as nanoseconds, exact to the microsecond that a float can hold."""
    return round(unix_s * 1e6) * 1000


Parts = dict[tuple[Place, str], list[Said]]


def _taken(said: Said, parts: Parts, event: str) -> list[dict[str, Any]]:
    """Return the events of a kind that the workload reported since its last such trial."""
    return [each.event for each in parts.pop((said.place, event), [])]


def _fetched(said: Said, _: Parts) -> Trial:
    event = said.event
    if "request_ns" in event:
        return _exchanged(said)
    if "began_unix" in event:
        return _curled(said)
    down = event["event"] == "download"
    return Trial(
        said,
        event["event"],
        ns(event["request_unix"]),
        ns(event["end_unix"]),
        event["bytes"],
        ns(event["first_unix"]) if down else None,
        event.get("ue_port") or None,
        event.get("port") or None,
    )


def _curled(said: Said) -> Trial:
    event, began = said.event, said.event["began_unix"]
    return Trial(
        said,
        "download",
        ns(began),
        ns(began + event["total_s"]),
        event["bytes"],
        ns(began + event["first_byte_s"]),
        event["ue_port"],
        event["port"],
    )


def _exchanged(said: Said) -> Trial:
    event = said.event
    return Trial(
        said,
        "exchange",
        event["request_ns"],
        event["last_ns"],
        event["answer_bytes"],
        event["first_ns"],
        event["port"],
    )


def _page(said: Said, parts: Parts) -> Trial:
    end_s = said.event["t_unix"]
    size = sum(each["bytes"] for each in _taken(said, parts, "download"))
    return Trial(said, "page", ns(end_s - said.event["seconds"]), ns(end_s), size)


def _pings(said: Said, parts: Parts) -> Trial:
    replies, end_s = _taken(said, parts, "reply"), said.event["t_unix"]
    began_s = min([each["t_unix"] - each["rtt_ms"] / 1e3 for each in replies], default=end_s)
    rtts = tuple(each["rtt_ms"] for each in replies)
    return Trial(said, "pings", ns(began_s), ns(end_s), pings=rtts)


def _video(said: Said, parts: Parts) -> Trial:
    segments = _taken(said, parts, "segment")
    end_s = max([each["end_unix"] for each in segments], default=said.event["t_unix"])
    first = segments[0] if segments else {}
    return Trial(
        said,
        "video",
        ns(first.get("request_unix", end_s)),
        ns(end_s),
        sum(each["bytes"] for each in segments),
        None,
        first.get("ue_port") or None,
        first.get("port") or None,
        segments=segments,
    )


def _iperf3(said: Said, _: Parts) -> Trial:
    report, end_s = said.event["report"], said.event["t_unix"]
    ends, connected = report["end"], report["start"]["connected"]
    total = ends.get("sum_received") or ends.get("sum") or {}
    alone = connected[0] if len(connected) == 1 else {}
    return Trial(
        said,
        "iperf3",
        ns(end_s - total.get("seconds", 0)),
        ns(end_s),
        total.get("bytes"),
        None,
        alone.get("local_port"),
        alone.get("remote_port"),
    )


_KINDS: dict[str, Callable[[Said, Parts], Trial]] = {
    "download": _fetched,
    "upload": _fetched,
    "exchange": _fetched,
    "page": _page,
    "pings": _pings,
    "video": _video,
    "iperf3": _iperf3,
}
