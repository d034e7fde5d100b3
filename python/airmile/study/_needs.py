"""What the quantity of an exhibit needs of the data, and the one place that checks it.

An exhibit, or a number of a text, declares its `Needs` beside its SQL. `met` restricts a dataset to
the flows that have all of them, and says how many it left out. Where no flow has them, the quantity
is refused with the reason and the way to get it: it is not shown from what the data lack.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from airmile._words import PLACES, count, counted, size
from airmile.store import _sql
from airmile.store._needs import Missing, source

if TYPE_CHECKING:
    from airmile.store import Tables

PHONE = ("ue",)
"""The capture point that sees what passes between the phone's TCP and its modem."""

MONITOR = ("monitor",)
"""The capture point that divides the path between phone and server."""

BEFORE_RADIO = ("monitor", "server")
"""The capture points that data to the phone pass before the queue of the radio link."""

_HOW = {
    PHONE: "capture on the phone, or name the place: airmile analyze CAPTURE --vantage ue",
    MONITOR: "capture between the radio network and the servers, or name the place: "
    "airmile analyze CAPTURE --vantage monitor",
    BEFORE_RADIO: "capture between the radio network and the servers or at the server, or name the "
    "place: airmile analyze CAPTURE --vantage monitor",
}

SEEN_RATIO = 0.1
"""The least share of a flow's time that causes take where they are seen; our choice."""

_TCP = "protocol IS NOT DISTINCT FROM 'tcp'"


@dataclass(frozen=True)
class Needs:
    """What each flow must have to count.

    A new need is a field here and an entry in `_each`.

    Attributes
    ----------
    places : tuple of str
        The capture points at which the quantity exists (methods A11); any, if empty.
    both_ways : bool
        Whether both directions must be in the capture (methods A10).
    begun : bool
        Whether the beginning of the flow must be in the capture (methods A10).
    timestamps : bool
        Whether the phone must send TCP timestamps (RFC 7323).
    causes : tuple of str
        The causes that must have limited the flow for a tenth of its time (methods T6); any, if
        empty.
    timeout_seen : bool
        Whether the capture must show a timeout of the sender (methods C4).
    least_s : float
        The least duration of the flow in seconds.
    least_bytes : int
        The least downlink payload of the flow in bytes.
    """

    places: tuple[str, ...] = ()
    both_ways: bool = False
    begun: bool = False
    timestamps: bool = False
    causes: tuple[str, ...] = ()
    timeout_seen: bool = False
    least_s: float = 0.0
    least_bytes: int = 0


class _Need(NamedTuple):
    """One condition on flows: its columns and SQL, and what is said where none or some meet it.

    `left_out` is empty for a condition that says which flows are meant, as that of a size does.
    """

    columns: tuple[str, ...]
    condition: str
    lacking: str
    how: str
    left_out: str = ""


def met(dataset: Tables, needs: Needs) -> tuple[Tables, list[str]]:
    """Return the dataset restricted to the flows that have what is needed, and what was left out.

    Rows of other protocols stay, because the needs are those of TCP flows.

    Raises
    ------
    Missing
        There are TCP flows, and none of them has what is needed.
    """
    notes: list[str] = []
    for need in _each(dataset, needs):
        having, every = _counted(dataset, need)
        if every and not having:
            raise Missing(f"{dataset.path}: {need.lacking}", need.how)
        if having < every:
            dataset = dataset.where(f"NOT ({_TCP}) OR coalesce({need.condition}, false)")
            flows = f"{count(every - having)} of {counted(every, 'TCP flow')}"
            notes += [f"{flows} left out, {need.left_out}"] if need.left_out else []
    return dataset, notes


def captured_at(dataset: Tables, places: tuple[str, ...]) -> str:
    """Return the SQL condition on flows that were captured at one of these places.

    A capture has one place, that of most of its flows: a flow that seems to have another one, as
    the timing of a single handshake can show it, does not count. The flows of several captures are
    compared by phone.
    """
    key = _of_capture(dataset)
    own = f"vantage IN ({', '.join(map(_sql.literal, places))})"
    flows = source(dataset, "flows", "protocol", "vantage", "ue")
    elsewhere = dataset.records(f"""
        SELECT {key} AS key FROM {flows} WHERE {_TCP} AND vantage IS NOT NULL
        GROUP BY ALL HAVING count(*) FILTER ({own}) > 0
            AND 2 * count(*) FILTER ({own}) < count(*)""")
    if not elsewhere:
        return own
    wrong = ", ".join(_sql.literal(row["key"]) for row in elsewhere)
    return f"({own} AND {key} NOT IN ({wrong}))"


def _of_capture(dataset: Tables) -> str:
    """Return SQL for what the flows of one capture have in common: their run, or their phone."""
    if dataset.manifest.get("runs") is not None:
        return "run"
    return "ue" if len(dataset.manifest.get("inputs") or []) > 1 else "''"


def _each(dataset: Tables, needs: Needs) -> Iterator[_Need]:
    """Yield the conditions of what is needed, in the order in which they are checked."""
    if needs.places:
        yield _place(dataset, needs.places)
    if needs.both_ways:
        yield _without("one_sided", "of which only one direction was captured",
                       "capture both directions of the traffic")  # fmt: skip
    if needs.begun:
        yield _without("mid_stream", "which had begun before the capture",
                       "begin the capture before the traffic")  # fmt: skip
    if needs.timestamps:
        yield _Need(
            ("ue_timestamps",), "ue_timestamps", "no phone sends TCP timestamps",
            "capture a phone whose TCP sends timestamps (RFC 7323)",
            "whose phone sends no TCP timestamps",
        )  # fmt: skip
    if needs.least_s:
        yield _at_least("duration_s", needs.least_s, f"{needs.least_s:g} s")
    if needs.least_bytes:
        yield _at_least("dl_payload_bytes", needs.least_bytes, size(needs.least_bytes))
    if needs.causes:
        yield _cause(dataset, needs.causes)
    if needs.timeout_seen:
        yield _Need(
            ("timeouts_seen",), "timeouts_seen > 0", "no flow shows a timeout of its sender",
            "capture downloads with losses behind a long queue, where a retransmission waits for "
            "longer than the timer",
        )  # fmt: skip


def _place(dataset: Tables, places: tuple[str, ...]) -> _Need:
    here = dataset.records(f"""
        SELECT vantage, count(*) AS flows FROM {source(dataset, "flows", "protocol", "vantage")}
        WHERE {_TCP} GROUP BY ALL ORDER BY flows DESC, vantage LIMIT 1""")
    seen = PLACES.get(here[0]["vantage"] if here else "", "at an unknown place")
    wanted = " or ".join(PLACES[place] for place in places)
    return _Need(
        ("ue", "vantage"), captured_at(dataset, places),
        f"captured {seen}, and only a capture {wanted} shows it", _HOW[places],
        f"which were not captured {wanted}",
    )  # fmt: skip


def _without(fault: str, which: str, how: str) -> _Need:
    """Return the need of flows without a fault of the capture (methods A10)."""
    condition = f"coalesce(quality, '') NOT LIKE '%{fault}%'"
    return _Need(("quality",), condition, f"no TCP flow but those {which}", how, which)


def _at_least(column: str, least: float, words: str) -> _Need:
    how = f"capture longer transfers, of {words} or more"
    return _Need((column,), f"{column} >= {least}", f"no TCP flow of {words} or more", how)


def _cause(dataset: Tables, causes: tuple[str, ...]) -> _Need:
    slices = source(dataset, "slices", "uid", "start_ns", "end_ns", "cause")
    own = f"cause IN ({', '.join(map(_sql.literal, causes))})"
    found = dataset.records(f"""
        SELECT run, uid FROM {slices} GROUP BY run, uid
        HAVING sum(end_ns - start_ns) FILTER ({own}) >= {SEEN_RATIO} * sum(end_ns - start_ns)""")
    runs = dataset.manifest.get("runs") is not None
    flows = (f"({_sql.literal(row['run'])}, {row['uid']})" for row in found)
    listed = ", ".join(flows if runs else (str(row["uid"]) for row in found))
    words = " or ".join(each.replace("_", " ").replace(" app", " application") for each in causes)
    return _Need(
        ("uid",), f"{'(run, uid)' if runs else 'uid'} IN ({listed})" if found else "false",
        f"no TCP flow is limited by {words} for a tenth of its time",
        f"capture a transfer that is limited by {words}",
    )  # fmt: skip


def _counted(dataset: Tables, need: _Need) -> tuple[int, int]:
    """Return how many TCP flows have what is needed, and how many there are."""
    flows = source(dataset, "flows", "protocol", *need.columns)
    (row,) = dataset.records(f"""
        SELECT count(*) FILTER ({need.condition}) AS having, count(*) AS every
        FROM {flows} WHERE {_TCP}""")
    return row["having"], row["every"]
