"""Transfers over what the access and the wired path do: plans, policers, clumps, and changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.physics import making
from tests.physics.links import link, steps
from tests.recorded.runs import Run, Table, drawn, run_of
from tests.taps.plain import RADIO_MS, SECONDS, buffered, bulk, hosts, over, steady

SLOW_S = 12
"""The duration of a transfer on a slow link, where a packet may take 200 ms."""


def plans(seed: int) -> Iterator[Run]:
    """Give plans that are throttled to 64 to 512 kbit/s, by a queue or by a policer."""
    chance = drawn(seed, "plans")
    for kbps in (64, 128, 256, 512):
        mbps, wired_ms = kbps / 1e3, chance.uniform(10, 50)
        radio = steady(mbps, bytes=chance.choice([30_000, 60_000, 120_000]))
        way = over("down", wired_ms, radio)
        work = making.download(SLOW_S)
        control = chance.choice(["bbr", "cubic"])
        yield run_of("plan", f"{kbps}k_down", seed, way, work, **hosts(control))
    radio = steady(0.128, bytes=60_000, qdisc_packets=0)
    way = over("up", chance.uniform(10, 40), radio)
    yield run_of("plan", "128k_up", seed, way, making.upload(0.1, SLOW_S))
    for kbps in (128, 512):
        radio = policed(20, kbps / 1e3, chance.choice([8_000, 20_000]))
        way = over("down", chance.uniform(10, 40), radio)
        work = making.download(SLOW_S)
        yield run_of("plan policed", f"{kbps}k_down", seed, way, work)


def policed(link_mbps: float, mbps: float, burst_bytes: int) -> Table:
    """Give a direction of the radio whose subscriber may use a part of it."""
    limit = {"mbps": round(mbps, 3), "burst_bytes": burst_bytes}
    return {**steady(link_mbps, bytes=1_000_000), "policer": limit}


def policers(seed: int) -> Iterator[Run]:
    """Give policers at the access and above it, and a shaper or a bottleneck above it."""
    chance = drawn(seed, "policers")
    for way in ("down", "up"):
        mbps = chance.uniform(3, 8)
        radio = policed(30, mbps, chance.choice([30_000, 100_000]))
        way_ = over(way, chance.uniform(8, 30), radio)
        yield run_of("policer", f"access_{way}", seed, way_, bulk(way, mbps), **hosts("cubic"))
    for variant, control, wired in (
        ("policer_cubic", "cubic", {"policer": {"mbps": 6, "burst_bytes": 60_000}}),
        ("policer_bbr", "bbr", {"policer": {"mbps": 9, "burst_bytes": 40_000}}),
        ("shaper", "cubic", {"mbps": 8, "buffer_bytes": 120_000, "burst_bytes": 100_000}),
        ("line_bbr", "bbr", {"mbps": 7, "buffer_bytes": 80_000}),
    ):
        radio = steady(chance.uniform(20, 40), bytes=1_000_000)
        way_ = over("down", chance.uniform(8, 30), radio, path=wired)
        yield run_of("upstream", variant, seed, way_, making.download(SECONDS), **hosts(control))
    narrow = {"mbps": 4.0, "buffer_bytes": 60_000}
    way_ = over("up", chance.uniform(8, 30), steady(25, bytes=300_000))
    way_["path_uplink"] = {**way_["path_uplink"], **narrow}
    yield run_of("upstream", "line_up", seed, way_, bulk("up", 4), **hosts("cubic"))


def radios(seed: int) -> Iterator[Run]:
    """Give radios whose arrivals come in clumps: TDD, gaps, a modem that aggregates."""
    chance = drawn(seed, "radios")
    ways: tuple[tuple[str, str, str, Table, Table], ...] = (
        ("tdd_down", "down", "cubic", {"tdd": 1}, {}),
        ("tdd_up", "up", "cubic", {"tdd": 1}, {}),
        ("gaps", "down", "bbr", {"gap_period_ms": 40}, {}),
        ("aggregation_5ms", "down", "bbr", {}, {"aggregation_ms": 5}),
        ("aggregation_10ms", "down", "cubic", {}, {"aggregation_ms": 10}),
        ("aggregation_window", "down", "cubic", {}, {"aggregation_ms": 10}),
    )
    for variant, way, control, whole, part in ways:
        mbps, wired_ms = chance.uniform(12, 40), chance.uniform(5, 30)
        size = buffered(mbps, 2 * wired_ms + RADIO_MS, chance.choice([1, 2]))
        way_ = {**over(way, wired_ms, {**steady(mbps, bytes=size), **part}), **whole}
        if "tdd" in whole:
            # A grant waits for a subframe of the uplink (TS 36.213 table 8-2).
            way_["uplink"] = {**way_.get("uplink", {}), "grants": {"delay_ttis": 8}}
        # A subframe that serves the other direction carries nothing of this one.
        work = bulk(way, mbps * (0.4 if "tdd" in whole else 1))
        if variant.endswith("window"):
            held = making.window(0.5 * mbps, wired_ms)
            work = making.download(SECONDS, receive_buffer=held)
        yield run_of("clumps", variant, seed, way_, work, **hosts(control))


def changes(seed: int) -> Iterator[Run]:
    """Give rates that change, and handovers with an outage."""
    chance = drawn(seed, "changes")
    for way, control in (("down", "cubic"), ("down", "bbr"), ("up", "cubic")):
        top = 30 if way == "down" else 12
        rates = [round(chance.uniform(2, top), 1) for _ in range(6)]
        radio: Table = {"rate": steps(chance.choice([700, 1500]), rates)}
        radio["queue"] = {"bytes": chance.choice([150_000, 600_000])}
        way_ = over(way, chance.uniform(5, 40), radio)
        work = bulk(way, sum(rates) / len(rates))
        yield run_of("rates", f"{control}_{way}", seed, way_, work, **hosts(control))
    for way, forwarding in (("down", True), ("down", False), ("up", True)):
        mbps = chance.uniform(6, 20) * (1 if way == "down" else 0.6)
        gone: list[dict[str, Any]] = [
            {
                "at_ms": at + chance.uniform(0, 500),
                "outage_ms": chance.choice([120, 300, 700]),
                "forwarding": forwarding,
            }
            for at in (2500, 5500)
        ]
        radio = steady(mbps, bytes=500_000)
        ways = {"downlink": radio} if way == "down" else {"uplink": radio}
        way_ = {**link(chance.uniform(8, 30), **ways), "handovers": gone}
        variant = f"{'kept' if forwarding else 'lost'}_{way}"
        yield run_of("handover", variant, seed, way_, bulk(way, mbps), **hosts("cubic"))
