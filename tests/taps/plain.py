"""Transfers as fast as possible: every control, rates, buffers, round trips, and disciplines."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from tests.everyday.kinds import path as quick
from tests.physics import making
from tests.physics.links import downlink, link, uplink
from tests.recorded.runs import Run, Table, drawn, run_of

SECONDS = 8
"""The duration of a transfer; on a slow or a long path more."""

RADIO_MS = 24.0
"""The least round trip of the radio: air both ways, and a grant."""

CONTROLS = ("bbr", "cubic", "reno")


def hosts(control: str, **sysctls: Any) -> Table:
    """Give both hosts a congestion control and settings of the kernel."""
    ends = {"congestion_control": control, **({"sysctls": sysctls} if sysctls else {})}
    return {"hosts": {end: dict(ends) for end in ("server", "phone")}}


def buffered(mbps: float, loop_ms: float, loops: float) -> int:
    """Give the bytes of a buffer of so many products of rate and round trip."""
    return max(6_000, round(mbps * 1e6 / 8 * loop_ms / 1e3 * loops))


def steady(mbps: float, **queue: Any) -> Table:
    """Give a direction of the radio with a rate and a queue."""
    return {"rate": {"kind": "constant", "mbps": round(mbps, 3)}, "queue": queue}


def bulk(way: str, mbps: float, seconds: float = SECONDS) -> Table:
    """Give a transfer that fills a link for some time."""
    return making.download(seconds) if way == "down" else making.upload(mbps * 0.9, seconds)


def over(way: str, wired_ms: float, radio: Table, **more: Any) -> Table:
    """Give a link whose examined direction is `radio`."""
    ways = {"downlink": radio} if way == "down" else {"uplink": radio}
    return link(wired_ms, **ways, **more)


def shuffled(chance: random.Random, values: Sequence[Any]) -> list[Any]:
    """Give values in an order that is drawn."""
    return chance.sample(values, len(values))


def controls(seed: int) -> Iterator[Run]:
    """Give each control in both directions, at 3 to 100 Mbit/s."""
    chance = drawn(seed, "controls")
    down = shuffled(chance, [chance.uniform(3, 8), chance.uniform(20, 40), chance.uniform(70, 100)])
    up = shuffled(chance, [chance.uniform(3, 5), chance.uniform(8, 15), chance.uniform(25, 50)])
    for way, rates in (("down", down), ("up", up)):
        for control, mbps in zip(CONTROLS, rates, strict=True):
            wired_ms = chance.uniform(3, 40)
            size = buffered(mbps, 2 * wired_ms + RADIO_MS, chance.choice([0.7, 1.5, 3]))
            way_ = over(way, wired_ms, steady(mbps, bytes=size))
            yield run_of(
                "control", f"{control}_{way}", seed, way_, bulk(way, mbps), **hosts(control)
            )


def buffers(seed: int) -> Iterator[Run]:
    """Give buffers of 0.1 to 10 products of rate and round trip."""
    chance = drawn(seed, "buffers")
    ways = [("down", each) for each in (0.1, 0.3, 1.0, 3.0, 10.0)] + [("up", 0.3), ("up", 3.0)]
    for number, (way, loops_) in enumerate(ways):
        mbps, wired_ms = chance.uniform(6, 25), chance.uniform(8, 45)
        radio = steady(mbps, bytes=buffered(mbps, 2 * wired_ms + RADIO_MS, loops_))
        if way == "up":
            radio["queue"]["qdisc_packets"] = 0
        control = CONTROLS[(number + seed) % 3]
        variant = f"{loops_:g}_{way}"
        way_ = over(way, wired_ms, radio)
        yield run_of("buffer", variant, seed, way_, bulk(way, mbps), **hosts(control))


def loops(seed: int) -> Iterator[Run]:
    """Give round trips of 10 to 600 ms."""
    chance = drawn(seed, "loops")
    for loop_ms, control in zip((200, 400, 600), shuffled(chance, CONTROLS), strict=True):
        mbps, wired_ms = chance.uniform(4, 20), (loop_ms - RADIO_MS) / 2
        radio = steady(mbps, bytes=buffered(mbps, loop_ms, chance.choice([0.5, 1, 2])))
        way = over("down", wired_ms, radio)
        work = bulk("down", mbps, 12)
        yield run_of("loop", f"{loop_ms}ms_down", seed, way, work, **hosts(control))
    mbps = chance.uniform(4, 10)
    way = over("up", 150, steady(mbps, bytes=buffered(mbps, 324, 1)))
    yield run_of("loop", "324ms_up", seed, way, bulk("up", mbps, 10), **hosts("cubic"))
    mbps = chance.uniform(20, 60)
    for way_name, limits in (("down", {"down_mbps": mbps}), ("up", {"up_mbps": mbps / 2})):
        way = quick(10, **limits)
        for name in ("downlink", "uplink"):
            way[name]["queue"]["bytes"] = buffered(mbps, 10, 3)
        work = bulk(way_name, mbps if way_name == "down" else mbps / 2)
        yield run_of("loop", f"10ms_{way_name}", seed, way, work, **hosts("cubic"))


def aqm(seed: int) -> Iterator[Run]:
    """Give queues that are kept short by CoDel, alone or for each flow, with marks or drops."""
    chance = drawn(seed, "aqm")
    for variant, way, control, discipline, ecn in (
        ("codel_reno", "down", "reno", "codel", False),
        ("codel_bbr", "down", "bbr", "codel", False),
        ("fq_codel_cubic", "down", "cubic", "fq_codel", False),
        ("fq_codel_up", "up", "cubic", "fq_codel", False),
        ("marks", "down", "cubic", "fq_codel", True),
        ("marks_up", "up", "reno", "codel", True),
    ):
        mbps, wired_ms = chance.uniform(8, 30), chance.uniform(4, 30)
        mbps *= 1 if way == "down" else 0.5
        name = "discipline" if way == "down" else "qdisc_discipline"
        queue = {"bytes": 1_000_000 if way == "down" else 30_000, name: discipline, "ecn": ecn}
        radio = (downlink if way == "down" else uplink)(
            {"kind": "constant", "mbps": round(mbps, 3)}, queue=queue
        )
        marks = {"net.ipv4.tcp_ecn": 1} if ecn else {}
        way_ = over(way, wired_ms, radio)
        yield run_of("aqm", variant, seed, way_, bulk(way, mbps), **hosts(control, **marks))
