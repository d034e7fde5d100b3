"""Transfers at the link's rate, over deep and short queues, and transfers with other limits."""

from __future__ import annotations

from collections.abc import Iterator

from tests.physics.links import channel, downlink, full, link, narrow, short, uplink
from tests.physics.making import SECONDS, controls, download, posted, upload, window
from tests.recorded.runs import Run, drawn, run_of


def links(seed: int) -> Iterator[Run]:
    """Give transfers at the rate of the link, steady and fading."""
    for control in ("cubic", "bbr"):
        chance, ends = drawn(seed, "link", control), controls(control)
        mbps, wired_ms = chance.uniform(8, 25), chance.uniform(5, 40)
        up_mbps = chance.uniform(2, 10)
        fading = {"mean_db": chance.uniform(9, 14), "sigma_db": chance.uniform(2, 5)}
        sinr = {"kind": "ar1", **fading, "tau_ms": chance.choice([150, 300, 600])}
        drive = {"kind": "drive", "speed_mps": 30, "spacing_m": 200, "shadow_db": 4}
        for name, down, up in (
            ("steady", {"kind": "constant", "mbps": mbps}, {"kind": "constant", "mbps": up_mbps}),
            ("fading", channel(sinr), channel(sinr)),
            ("drive", channel(drive), None),
        ):
            variant = f"{control}_{name}"
            queue = {"bytes": chance.choice([300_000, 1_000_000])}
            path = link(wired_ms, downlink(down, queue=queue))
            yield run_of("link down", variant, seed, path, download(), **ends)
            if up:
                size_mbps = up_mbps if name == "steady" else 14
                path = link(wired_ms, uplink=uplink({**up, **narrow(up)}))
                yield run_of("link up", variant, seed, path, upload(size_mbps), **ends)


QUEUES_MS = (5, 10, 20, 30)


def queues(seed: int) -> Iterator[Run]:
    """Give full links whose queue is short."""
    for number, queue_ms in enumerate(QUEUES_MS):
        chance = drawn(seed, "queue", queue_ms)
        kind, mbps, wired_ms = f"queue {queue_ms}ms", chance.uniform(12, 30), chance.uniform(5, 30)
        down = downlink({"kind": "constant", "mbps": mbps}, queue=short(mbps, queue_ms))
        yield run_of(kind, "down", seed, link(wired_ms, down), download(), **controls("bbr"))
        if number % 2:
            mbps = chance.uniform(6, 12)
            up = uplink({"kind": "constant", "mbps": mbps}, queue=short(mbps, queue_ms))
            way = link(wired_ms, uplink=up)
            yield run_of(kind, "up", seed, way, upload(mbps), **controls("bbr"))
    # A queue that lasts without many losses.
    for control in ("cubic", "bbr"):
        chance = drawn(seed, "codel", control)
        queue = {"bytes": 1_000_000, "discipline": "codel"}
        down = downlink({"kind": "constant", "mbps": chance.uniform(12, 25)}, queue=queue)
        way = link(chance.uniform(3, 15), down)
        yield run_of("queue codel", control, seed, way, download(), **controls(control))


def same_rate(seed: int) -> Iterator[Run]:
    """Give senders with other limits, at the rates of the full links with short queues.

    A tenth of the blocks is retransmitted, and ACKs come in clumps: at more than about 0.7 of the
    rate of all PRBs there is a queue most of the time, whatever limits the sender.
    """
    chance = drawn(seed, "same rate")
    mbps, up_mbps = chance.uniform(12, 25), chance.uniform(8, 14)
    wired_ms, share = chance.uniform(8, 25), chance.uniform(0.5, 0.65)
    way = link(wired_ms, full(mbps), full(up_mbps, uplink))
    held = window(share * mbps, wired_ms)
    yield run_of("window same rate", "down", seed, way, download(receive_buffer=held))
    held = window(share * up_mbps, wired_ms)
    post = posted(share * up_mbps, server_receive_buffer=held)
    yield run_of("window same rate", "up", seed, way, post)
    paced = {"name": "paced_download", "bps": share * mbps * 1e6, "chunk_ms": 5}
    paced["bytes"] = round(share * mbps * 1e6 / 8 * SECONDS)
    yield run_of("pacing same rate", "down", seed, way, paced)
    paced = {"name": "paced_upload", "bps": share * up_mbps * 1e6, "chunk_ms": 5}
    paced["bytes"] = round(share * up_mbps * 1e6 / 8 * SECONDS)
    yield run_of("pacing same rate", "up", seed, way, paced)
    narrow = {"mbps": share * mbps, "buffer_bytes": 60_000}
    for control in ("cubic", "bbr"):
        wired = link(wired_ms, full(mbps), path=narrow)
        more = controls(control)
        yield run_of("cwnd same rate", f"bottleneck_{control}", seed, wired, download(), **more)
    wired = link(wired_ms + 10, full(7), path={"loss": chance.uniform(0.003, 0.005)})
    yield run_of("cwnd same rate", "loss", seed, wired, download(), **controls("reno"))
