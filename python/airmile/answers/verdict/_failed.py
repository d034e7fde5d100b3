"""What failed before any data moved: connections that never opened, and name look-ups.

The counts are sums over the tables `flows` and `dns`, as `_sums` says; neither table has the frames
of such packets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airmile._words import NBSP, counted, seconds
from airmile.answers.verdict import _evidence, _spans, _sums
from airmile.store._sums_limits import FAILED

if TYPE_CHECKING:
    from airmile.answers.verdict._sums import Sums
    from airmile.store import Tables

CONNECTIONS = frozenset({"unanswered", "refused"})
"""The kinds that are connections; the others are look-ups."""

ENDED_S = 1.0
"""A look-up without an answer is no failure if the capture ends within this many seconds of it."""

_WORDS = {
    "unanswered": "not answered",
    "refused": "refused (a reset answered the SYN)",
    "lookup_unanswered": "without an answer in the capture",
    "lookup_repeated": "answered only after the query was repeated",
    "no_such_name": "of a name that does not exist (NXDOMAIN)",
    "lookup_failed": "answered with an error",
}


@dataclass(frozen=True)
class Failure:
    """The failures of one kind.

    Attributes
    ----------
    kind : str
        The kind, as in `docs/design/verdict-sums.md`.
    count, packets : int
        The number of connections or look-ups, and of their SYNs or queries.
    from_s, to_s : float
        The time of the first and the last packet, in seconds since the first packet of the capture.
    longest : tuple of dict
        Those that took longest.
    text : str
        All of it in a sentence.
    """

    kind: str
    count: int
    packets: int
    from_s: float
    to_s: float
    longest: tuple[dict[str, Any], ...]
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Return the failures as plain values."""
        return {
            **{name: getattr(self, name) for name in ("kind", "count", "packets")},
            **{name: getattr(self, name) for name in ("from_s", "to_s")},
            "text": self.text.replace(NBSP, " "),
            "longest": list(self.longest),
        }


def failures(dataset: Tables) -> tuple[Failure, ...]:
    """Return the failures of a dataset, connections first."""
    sums, clock = _sums.of(dataset)["failed"], _spans.Clock.of(dataset)
    kinds = [kind for kind in FAILED if kind in sums and not _is_cut(dataset, kind, sums[kind])]
    return tuple(_failure(kind, sums[kind], clock) for kind in kinds)


def never_opened(dataset: Tables) -> int:
    """Return the number of connections that never opened."""
    sums = _sums.of(dataset)["failed"]
    return sum(sums[kind]["count"] for kind in CONNECTIONS if kind in sums)


def _is_cut(dataset: Tables, kind: str, found: Sums) -> bool:
    """Return whether the capture ends, or lacks a direction, so that answers may be missing."""
    if kind != "lookup_unanswered":
        return False
    sums = _sums.of(dataset)["totals"]
    flows: int = sums["tcp_flows"]
    one_sided: int = sums["faults"].get("one_sided", 0)
    end_ns: int = sums["end_ns"] or found["end_ns"]
    return end_ns - found["start_ns"] < ENDED_S * 1e9 or 0 < flows <= 2 * one_sided


def _failure(kind: str, found: Sums, clock: _spans.Clock) -> Failure:
    from_s, to_s = ((found[name] - clock.zero_ns) / 1e9 for name in ("start_ns", "end_ns"))
    longest = tuple(_document(case, clock) for case in found["longest"])
    text = _sentence(kind, found, clock)
    return Failure(kind, found["count"], found["packets"], from_s, to_s, longest, text)


def _document(case: Sums, clock: _spans.Clock) -> dict[str, Any]:
    """Return one failure as plain values."""
    kept = ("to_phone", "ue", "ue_port", "server", "server_port", "name", "packets")
    ends = {"from_s": "start_ns", "to_s": "end_ns"}
    return {
        # Programs that read JSON numbers as doubles lose digits of 64 bits.
        "uid": str(case["uid"]),
        **{name: case[name] for name in kept},
        **{name: (case[column] - clock.zero_ns) / 1e9 for name, column in ends.items()},
    }


def _sentence(kind: str, found: Sums, clock: _spans.Clock) -> str:
    noun = "connection" if kind in CONNECTIONS else "DNS look-up"
    shown = list(dict.fromkeys(_case(kind, case, clock) for case in found["longest"]))
    more = "; the longest: " if found["count"] > len(found["longest"]) else ": "
    return f"{counted(found['count'], noun)} {_WORDS[kind]}{more}{'; '.join(shown)}"


def _case(kind: str, case: Sums, clock: _spans.Clock) -> str:
    """Return one failure: its ends or its name, its packets, and when they passed."""
    is_connection = kind in CONNECTIONS
    what = _ends(case) if is_connection else _evidence.host(_named(case))
    packets = counted(case["packets"], *(("SYN",) if is_connection else ("query", "queries")))
    span = clock.span({**case, "first_frame": None, "last_frame": None, "direction": ""})
    took = case["end_ns"] - case["start_ns"]
    lasted = f" in {seconds(took / 1e9)}" if took > 0 and not span.clock_stepped else ""
    return ", ".join(part for part in (what, f"{packets}{lasted}", str(span)) if part)


def _named(case: Sums) -> dict[str, Any]:
    return {"server_name": case["name"], "server": "a name that was cut off"}


def _ends(case: Sums) -> str:
    """Return the ends of a connection, the one that sent the SYN first."""
    server = _evidence.server({**case, "server_name": case["name"]})
    port = f" port {case['ue_port']}" if case["ue_port"] is not None else ""
    phone = f"{case['ue'] or 'the phone'}{port}"
    return f"{server} to {phone}" if case["to_phone"] else f"{phone} to {server}"


def advice(found: tuple[Failure, ...]) -> Iterator[str]:
    """Yield what to look at for each kind of failure."""
    for failure in found:
        yield _ADVICE[failure.kind]


_ADVICE = {
    "unanswered": (
        "no answer to SYNs: check the address and the port, and whether a firewall drops them; a "
        "capture at the server shows whether they arrive"
    ),
    "refused": "connection refused: check that a program listens at this port of the server",
    "lookup_unanswered": (
        "look-ups without an answer: check that the phone reaches its DNS server, or name another "
        "one"
    ),
    "lookup_repeated": (
        "a look-up that is repeated waits for a timer of seconds: look for loss on the way to the "
        "DNS server"
    ),
    "no_such_name": "name that does not exist: check its spelling, and the DNS server's zone",
    "lookup_failed": (
        "look-ups answered with an error: look at the DNS server (column rcode of the table dns)"
    ),
}
