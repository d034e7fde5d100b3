"""The times for which the packets of a flow keep the radio on (methods F3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from airmile.answers import radio_on
from airmile.store._needs import Missing

if TYPE_CHECKING:
    from airmile.store import Tables

ON, OFF = "radio on", "radio off"


def tail_s(dataset: Tables) -> float | None:
    """Return the radio's tail in s as the data show it; None if they do not show it."""
    try:
        return radio_on.tail(dataset).middle_s
    except Missing:
        return None


def events(
    packets: Iterable[dict[str, Any]], first_ns: int, tail_s: float | None
) -> list[dict[str, Any]]:
    """Return when the radio would go on and off without other traffic, in seconds.

    >>> [(e["event"], e["time_s"]) for e in events([{"time_ns": 0}, {"time_ns": 9 * 10**9}], 0, 4)]
    [('radio on', 0.0), ('radio off', 4.0), ('radio on', 9.0), ('radio off', 13.0)]
    """
    found: list[dict[str, Any]] = []
    last_s: float | None = None
    for packet in packets if tail_s is not None else ():
        time_s = (packet["time_ns"] - first_ns) / 1e9
        if last_s is None or time_s - last_s > (tail_s or 0):
            found += [] if last_s is None else [_event(OFF, last_s + (tail_s or 0))]
            found.append(_event(ON, time_s))
        last_s = time_s
    return found if last_s is None else [*found, _event(OFF, last_s + (tail_s or 0))]


def _event(name: str, time_s: float) -> dict[str, Any]:
    return {"event": name, "time_s": time_s, "bytes": None}
