"""How sure a verdict is, and in which words it says so (methods T9)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from airmile import causes
from airmile._words import listed

_MOST_NS = 2**63 - 1


@dataclass(frozen=True)
class HowSure:
    """How sure a verdict is.

    Attributes
    ----------
    certainty : {"sure", "likely", "open"} or None
        None without time, and for tables of an airmile that did not say it.
    second : tuple of str
        The other causes that are possible, the most likely first.
    link_is_bottleneck : bool or None
        Whether the access link was the bottleneck; None if this capture cannot tell.
    """

    certainty: str | None = None
    second: tuple[str, ...] = ()
    link_is_bottleneck: bool | None = None


def how_sure(named_ns: Mapping[str, int]) -> HowSure:
    """Return how sure a verdict is, from the time by cause and its other possible causes.

    >>> how_sure({"lte_downlink,upstream_path": 700, "slow_start": 100}).second
    ('upstream_path',)
    """
    from airmile import _engine

    times = {key: min(ns, _MOST_NS) for key, ns in named_ns.items()}
    answer = json.loads(_engine.how_sure(json.dumps(times)))
    if answer is None:
        return HowSure()
    return HowSure(answer["certainty"], tuple(answer["second"]), answer["link_is_bottleneck"])


def looks_alike(named_ns: Mapping[str, int], limited_by: str | None, other: str) -> bool:
    """Return whether slices of a cause name the other one as possible.

    >>> looks_alike({"lte_downlink,upstream_path": 7}, "lte_downlink", "upstream_path")
    True
    """
    return any(
        key.partition(",")[0] == limited_by and other in key.split(",")[1:] for key in named_ns
    )


def mostly_alike(named_ns: Mapping[str, int], cause: str) -> str | None:
    """Return the first other cause that slices with most of a cause's time name; None without one.

    >>> mostly_alike({"lte_downlink,upstream_path": 7, "lte_downlink": 2}, "lte_downlink")
    'upstream_path'
    """
    own = {key: ns for key, ns in named_ns.items() if key.partition(",")[0] == cause}
    most = max(own, key=lambda key: own[key], default="")
    others = most.split(",")[1:]
    return others[0] if others and 2 * own[most] > sum(own.values()) else None


def alike_words(cause: str, name: str, vantage: str | None) -> str:
    """Return the words that say of a cause, by its key and name, that it would look the same.

    >>> alike_words("lte_downlink", "access link, downlink", "ue")
    'a full access link (downlink) would look much the same at the phone'
    """
    here = PLACES.get(vantage or "", "at this capture point")
    full = "a full " if cause in _FULL else ""
    return f"{full}{within(name)} would look much the same {here}"


def within(name: str) -> str:
    """Return the name of a cause as a sentence needs it, in which a comma would divide it.

    >>> within("access link, downlink")
    'access link (downlink)'
    """
    whole, comma, way = name.partition(", ")
    return f"{whole} ({way})" if comma else name


_FULL = causes.links() | {"upstream_path"}
"""Causes that are named after a part of the path, which may be there without being full."""


def joined(named: Sequence[str]) -> str | None:
    """Return causes as a cell of a table holds them; None for none.

    >>> joined(["lte_downlink", "sender_app"])
    'lte_downlink,sender_app'
    """
    return ",".join(named) or None


PLACES = {"ue": "at the phone", "monitor": "at a monitor", "server": "at the server"}


def words(
    said: HowSure,
    named: tuple[str, ...],
    vantage: str | None,
    *,
    alike: bool = True,
) -> str | None:
    """Return the sentence that says what else is possible; None for a verdict that is sure.

    Parameters
    ----------
    said : HowSure
        How sure the verdict is.
    named : tuple of str
        The names of its other possible causes in a sentence.
    vantage : str or None
        The capture point.
    alike : bool
        Whether the second cause looks like the first one; otherwise it may have taken longer.

    Examples
    --------
    >>> words(HowSure("likely", ("sender_app",)), ("sender application",), "ue")
    'Likely, not sure: sender application would look much the same at the phone.'
    """
    if said.certainty == "likely" and named and not alike:
        return f"Likely, not sure: another cause, {within(named[0])}, may have taken longer."
    if said.certainty == "likely" and named:
        return f"Likely, not sure: {alike_words(said.second[0], named[0], vantage)}."
    if said.certainty == "likely":
        return "Likely, not sure: too much of the time is undetermined."
    if said.certainty == "open" and len(named) > 1:
        aid = _AID.get(vantage, _AID[None])
        return f"Open between {listed([within(name) for name in named])}: {aid}."
    return None


_AID: Mapping[str | None, str] = {
    "ue": "a modem log, or a capture at the server at the same time, can tell them apart",
    "server": "a capture at the phone at the same time, or a modem log, can tell them apart",
    "monitor": "a modem log, or a capture that begins before the connection, can tell them apart",
    None: "a capture whose place is known (--vantage) and that begins before the connection can "
    "tell them apart",
}
