"""Transfers whose path, rate or competitors change, or whose ACKs stop."""

from __future__ import annotations

from collections.abc import Iterator

from tests.physics.links import channel, downlink, full, link, outages, steps, uplink
from tests.physics.making import controls, download, upload, window
from tests.recorded.runs import Run, drawn, run_of


def loops(seed: int) -> Iterator[Run]:
    """Give transfers whose path becomes longer and shorter."""
    chance = drawn(seed, "loop")
    for limit in ("link_cubic", "link_bbr", "window", "upload"):
        mbps, wired_ms = chance.uniform(10, 22), chance.uniform(20, 40)
        change = chance.choice([15, 25, 40, 60])
        changes = [change, -change] if (seed // 2 + len(limit)) % 2 else [-wired_ms / 2, change]
        handovers = [
            {"at_ms": at, "outage_ms": chance.uniform(20, 60), "path_change_ms": by}
            for at, by in zip((2600 + chance.uniform(0, 200), 5600), changes, strict=True)
        ]
        queue = {"bytes": round(mbps * 1e6 / 8 * 0.15)}
        down = downlink({"kind": "constant", "mbps": mbps}, queue=queue)
        way = {**link(wired_ms, down), "handovers": handovers}
        held = window(0.5 * mbps, wired_ms)
        work = {
            "window": download(9, receive_buffer=held),
            "upload": upload(8, 9),
        }.get(limit, download(9))
        control = "bbr" if limit == "link_bbr" else "cubic"
        yield run_of("loop change", limit, seed, way, work, **controls(control))


def ack_outages(seed: int) -> Iterator[Run]:
    """Give downloads whose ACKs stop at times."""
    for limit in ("window", "link", "bbr"):
        chance = drawn(seed, "ack outage", limit)
        mbps, wired_ms = chance.uniform(10, 20), chance.uniform(8, 25)
        blocked = outages(8, chance, [150, 250, 400, 600], every_ms=(1000, 1600))
        queue = {"bytes": 1_500_000}
        down = downlink({"kind": "constant", "mbps": mbps}, queue=queue)
        way = link(wired_ms, down, uplink(blocked))
        held = window(0.5 * mbps, wired_ms) if limit == "window" else 0
        ends = controls("bbr" if limit == "bbr" else "cubic")
        work = download(8, receive_buffer=held)
        yield run_of("ack outage", limit, seed, way, work, **ends)


def flows(seed: int) -> Iterator[Run]:
    """Give several flows at once."""
    for count in (2, 3, 4, 6):
        chance = drawn(seed, "flows", count)
        fading = {"kind": "ar1", "mean_db": 13, "sigma_db": 3, "tau_ms": 300}
        steady = {"kind": "constant", "mbps": chance.uniform(12, 25)}
        down = downlink(channel(fading) if count in (3, 6) else steady)
        work = download(8, flows=count, stagger_s=0.4)
        control = chance.choice(["cubic", "bbr"])
        way = link(chance.uniform(5, 30), down)
        yield run_of("flows", str(count), seed, way, work, **controls(control))


def rates(seed: int) -> Iterator[Run]:
    """Give links whose rate changes: with changing competitors, and every 500 ms."""
    for variant, flows, control in (("cubic", 1, "cubic"), ("bbr", 1, "bbr"), ("two", 2, "cubic")):
        chance = drawn(seed, "competitors", variant)
        others = {
            "count": chance.randint(2, 4),
            "rate": {"kind": "constant", "mbps": 20},
            "traffic": {"kind": "on_off", "on_ms": 800, "off_ms": chance.choice([800, 1500])},
        }
        down = {**full(chance.uniform(15, 30)), "competitors": [others]}
        way = link(chance.uniform(5, 30), down)
        work = download(8, flows=flows)
        yield run_of("competitors", variant, seed, way, work, **controls(control))
        little = [round(chance.uniform(7, 13), 1) for _ in range(10)]
        much = [round(chance.uniform(2, 19), 1) for _ in range(10)]
        down = downlink(steps(500, little if variant == "bbr" else much))
        way = link(chance.choice([5, 40]), down)
        yield run_of("rates 500ms", variant, seed, way, work, **controls(control))
