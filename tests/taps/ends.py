"""Transfers whose limit is at an end: windows, applications, buffers, clocks, other flows."""

from __future__ import annotations

from collections.abc import Iterator

from tests.physics import making
from tests.physics.links import link
from tests.recorded.runs import Run, Table, drawn, run_of
from tests.taps.plain import SECONDS, bulk, hosts, over, steady


def windows(seed: int) -> Iterator[Run]:
    """Give receive windows, slow readers, and small send buffers."""
    chance = drawn(seed, "windows")
    for variant, wired_ms, share in (("near", chance.uniform(5, 20), 0.6), ("far", 90, 0.4)):
        mbps = chance.uniform(10, 30)
        way = over("down", wired_ms, steady(mbps, bytes=1_000_000))
        held = making.window(share * mbps, wired_ms)
        work = making.download(SECONDS, receive_buffer=held)
        yield run_of("window", f"{variant}_down", seed, way, work)
    mbps, wired_ms = chance.uniform(6, 12), chance.uniform(10, 40)
    way = over("up", wired_ms, steady(mbps, bytes=300_000))
    held = making.window(0.5 * mbps, wired_ms)
    yield run_of("window", "up", seed, way, making.posted(0.5 * mbps, server_receive_buffer=held))
    way = over("down", chance.uniform(8, 30), steady(chance.uniform(15, 30), bytes=1_000_000))
    for variant, options in (
        ("stops", {"stalls": [[1_500_000, 1.2], [4_000_000, 0.8]], "bytes": 8_000_000}),
        ("slow", {"fast_bytes": 1_000_000, "slow_bps": 2_000_000, "bytes": 3_000_000}),
    ):
        work = {"name": "slow_reader", **options}
        yield run_of("slow reader", variant, seed, way, work)
    small = {"net.ipv4.tcp_wmem": "4096 40000 40000"}
    for side in ("down", "up"):
        way = over(side, chance.uniform(30, 60), steady(20, bytes=600_000))
        yield run_of("send buffer", side, seed, way, bulk(side, 3), **hosts("cubic", **small))


def applications(seed: int) -> Iterator[Run]:
    """Give applications that write just below the link's rate, or let each other wait."""
    chance = drawn(seed, "applications")
    for way in ("down", "up"):
        mbps = chance.uniform(5, 15)
        radio: Table = {**steady(mbps, bytes=600_000), "harq": {"failure": 0}}
        rate = chance.uniform(0.86, 0.93) * mbps * 1448 / 1500
        work = {"name": f"paced_{way}load", "bps": round(rate * 1e6), "chunk_ms": 5}
        work["bytes"] = round(rate * 1e6 / 8 * SECONDS)
        yield run_of("paced", f"near_{way}", seed, over(way, chance.uniform(8, 30), radio), work)
    slow = {"name": "paced_download", "bps": 128_000, "bytes": 180_000, "chunk_ms": 100}
    way_ = link(chance.uniform(8, 30))
    yield run_of("paced", "128k_down", seed, way_, slow)
    flow = {"count": 8, "wait_ms": [100, 700], "answer_bytes": [20_000, 900_000]}
    work = {"name": "exchange", "flows": [{**flow, "pause_ms": [0, 300]}], "seed": seed}
    yield run_of("think", "download", seed, link(chance.uniform(8, 40)), work)
    flow = {"count": 6, "request_bytes": [60_000, 600_000], "answer_bytes": [200, 900]}
    flow |= {"wait_ms": [50, 400], "pause_ms": [100, 500]}
    work = {"name": "exchange", "flows": [flow], "seed": seed}
    yield run_of("think", "upload", seed, link(chance.uniform(8, 40)), work)


def beside(seed: int) -> Iterator[Run]:
    """Give a page and chats beside a transfer that fills the link, and transfers beside another."""
    chance = drawn(seed, "beside")
    mbps = chance.uniform(8, 20)
    page = {"name": "page", "pages": 3, "objects": 12, "think_s": 1, "start_s": 1.0, "seed": seed}
    way = over("down", chance.uniform(8, 30), steady(mbps, bytes=800_000))
    yield run_of("beside", "page", seed, way, making.download(SECONDS), background=[page])
    flow = {"count": 25, "answer_bytes": [300, 3_000], "pause_ms": [100, 400], "wait_ms": [5, 40]}
    chats: Table = {"name": "exchange", "flows": [flow], "seed": seed}
    bulk_ = {"name": "bulk_download", "bytes": 100_000_000, "start_s": 0.8}
    yield run_of("beside", "chats", seed, way, chats, background=[bulk_])
    flows = making.download(SECONDS, flows=2, stagger_s=1.5)
    yield run_of("beside", "two", seed, way, flows, **hosts("cubic"))


def clocks(seed: int) -> Iterator[Run]:
    """Give a phone whose clock drifts or is set, and senders without timestamps."""
    chance = drawn(seed, "clocks")
    way = over("down", chance.uniform(8, 30), steady(chance.uniform(8, 20), bytes=500_000))
    for variant, clock in (
        ("fast", {"clock_fast_ppm": 50}),
        ("set", {"clock_step_ms": 400, "clock_step_at_s": 4}),
    ):
        phone = {"hosts": {"phone": clock}}
        yield run_of("clock", variant, seed, way, making.download(SECONDS), **phone)
    for side, control in (("down", "cubic"), ("down", "bbr"), ("up", "cubic")):
        mbps = chance.uniform(5, 15)
        way = over(side, chance.uniform(8, 30), steady(mbps, bytes=300_000))
        plain = hosts(control, **{"net.ipv4.tcp_timestamps": 0})
        variant = f"{control}_{side}"
        yield run_of("no timestamps", variant, seed, way, bulk(side, mbps), **plain)
    mbps = chance.uniform(10, 20)
    way = over("down", 20, steady(mbps, bytes=300_000))
    work = making.download(SECONDS, receive_buffer=making.window(0.5 * mbps, 20))
    plain = hosts("cubic", **{"net.ipv4.tcp_timestamps": 0})
    yield run_of("no timestamps", "window_down", seed, way, work, **plain)
