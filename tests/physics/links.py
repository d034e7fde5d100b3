"""The links of the runs: the testbed's ordinary LTE link, changed in parts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from tests.recorded.runs import Table

QUEUE_BYTES = 1_000_000
"""The queue of a base station, which is deep: half a second at 16 Mbit/s."""


def link(
    wired_ms: float,
    downlink: Table | None = None,
    uplink: Table | None = None,
    path: Table | None = None,
) -> Table:
    """Give a link behind a wired path.

    Parameters
    ----------
    wired_ms : float
        The delay of the wired path each way.
    downlink, uplink : dict, optional
        The settings of the radio; without them 20 and 8 Mbit/s.
    path : dict, optional
        Further settings of the wired path towards the phone.
    """
    ends = {"delay_ms": round(wired_ms, 3)}
    made: Table = {"path_downlink": {**ends, **(path or {})}, "path_uplink": ends}
    for name, way in (("downlink", downlink), ("uplink", uplink)):
        if way:
            made[name] = way
    return made


def downlink(rate: Table, **more: Any) -> Table:
    """Give a downlink."""
    return {"rate": rate, "queue": {"bytes": QUEUE_BYTES}, **more}


def uplink(rate: Table, **more: Any) -> Table:
    """Give an uplink."""
    return {"rate": rate, **more}


def steps(hold_ms: float, mbps: Sequence[float]) -> Table:
    """Give a rate that changes at regular times."""
    return {"kind": "steps", "hold_ms": hold_ms, "mbps": list(mbps)}


_STEP_MS = 10


def outages(
    mbps: float,
    chance: random.Random,
    lengths_ms: Sequence[int],
    every_ms: tuple[float, float],
    span_ms: int = 20_000,
) -> Table:
    """Give a rate that is 0 at times: outages of one direction.

    Parameters
    ----------
    mbps : float
        The rate between outages.
    chance : random.Random
        Draws the lengths and distances.
    lengths_ms : sequence of int
        The lengths of outages, from which each is drawn.
    every_ms : (float, float)
        The least and the greatest time from the end of one to the beginning of the next.
    span_ms : int
        The period after which all begins again.
    """
    rates = [mbps] * (span_ms // _STEP_MS)
    at = every_ms[1]
    while at < span_ms:
        length = chance.choice(lengths_ms)
        first, last = round(at / _STEP_MS), round((at + length) / _STEP_MS)
        rates[first:last] = [0.0] * (min(last, len(rates)) - first)
        at += length + chance.uniform(*every_ms)
    return steps(_STEP_MS, rates)


def channel(sinr: Table) -> Table:
    return {"kind": "sinr", "sinr": sinr}


def narrow(rate: Table) -> Table:
    return {"layers": 1} if rate["kind"] == "sinr" else {}


def short(mbps: float, queue_ms: float) -> Table:
    return {"bytes": max(4_500, round(mbps * 1e6 / 8 * queue_ms / 1e3)), "qdisc_packets": 0}


def full(mbps: float, way: Any = downlink) -> Table:
    made: Table = way({"kind": "constant", "mbps": mbps})
    return made
