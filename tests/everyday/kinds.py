"""The everyday runs, by kind and seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tests.recorded.runs import Run, Table, drawn, run_of

SNAP_BYTES = 262_144
"""Bytes kept of each packet, with payload: an everyday capture holds TLS names and HTTP heads."""

DEVELOPMENT, HELD_OUT = (2,), (1,)
"""Seeds. Odd seeds are held out: only their scores are looked at."""


HARD = ("behind a proxy", "beside a queue", "drx", "promotion")
"""Kinds with tables of their own: their waits include more than a loop and the server."""


def runs(seed: int) -> Iterator[Run]:
    """Give every run of a seed."""
    for make in (_thinks, _pages, _calls, _zero_windows, _uploads, _hard):
        yield from make(seed)


def path(loop_ms: float, *, down_mbps: float = 200, up_mbps: float = 100) -> Table:
    """Give a path that only delays: no queue, no HARQ retransmission, and immediate grants."""
    wired_ms = max(1.0, (loop_ms - _RADIO_MS) / 2)
    return {
        "downlink": {**_radio(down_mbps), "queue": {"bytes": 4_000_000}},
        "uplink": {
            **_radio(up_mbps),
            "queue": {"bytes": 4_000_000, "qdisc_packets": 1000},
            "grants": {"request_period_ms": 1, "answer_ms": 0, "delay_ttis": 0},
        },
        "path_downlink": {"delay_ms": wired_ms},
        "path_uplink": {"delay_ms": wired_ms},
    }


_RADIO_MS = 5.0
"""Round trip of this radio: two waits for a TTI, a grant, and a millisecond of air each way."""


def _radio(mbps: float) -> Table:
    return {
        "rate": {"kind": "constant", "mbps": mbps},
        "air_ms": 1,
        "harq": {"failure": 0},
    }


def cellular(loop_ms: float, **more: Any) -> Table:
    """Give the testbed's ordinary LTE link of 20 Mbit/s behind a wired path."""
    wired_ms = max(1.0, (loop_ms - 30) / 2)
    ends = {"delay_ms": wired_ms}
    return {"path_downlink": {**ends, **more.pop("path", {})}, "path_uplink": ends, **more}


def _run(kind: str, variant: str, seed: int, link: Table, flows: list[Table], **more: Any) -> Run:
    workload = {"name": "exchange", "flows": flows, "seed": seed, **more.pop("workload", {})}
    return run_of(kind, variant, seed, link, workload, snap_bytes=SNAP_BYTES, **more)


THINKS_MS = (0, 20, 100, 300, 1000)
LOOPS_MS = (10, 50, 150, 400)

_SPOKEN: dict[str, Table] = {
    "http1": {},
    "pipelined": {"depth": 4},
    "tls12": {"tls": "1.2"},
    "tls13": {"tls": "1.3"},
    "h2": {"tls": "1.3", "protocol": "h2"},
}

_BUSY_S = 6.0
"""The approximate time in which a connection sends requests."""


def _thinks(seed: int) -> Iterator[Run]:
    """Give servers that think for 0 to 1000 ms, over loops of 10 to 400 ms."""
    for spoken, how in _SPOKEN.items():
        for number, loop_ms in enumerate(LOOPS_MS):
            chance = drawn(seed, spoken, loop_ms)
            loop = loop_ms * chance.uniform(0.85, 1.15)
            # Every second loop is that of a cellular link.
            link = (
                cellular(loop) if (number + seed + len(spoken)) % 2 and loop_ms > 40 else path(loop)
            )
            flows = [_asking(think, loop, how, chance) for think in THINKS_MS]
            yield _run(f"think {spoken}", f"{loop_ms}ms", seed, link, flows)


def _asking(think_ms: float, loop_ms: float, how: Table, chance: random.Random) -> Table:
    count = int(_BUSY_S * 1e3 / (think_ms + 2 * loop_ms))
    # One in five gives answers below 1 KB.
    small = chance.random() < 0.2
    return {
        **how,
        "count": max(6, min(16, count)),
        "wait_ms": [think_ms * 0.9, think_ms * 1.1],
        "answer_bytes": [100, 900] if small else [1_000, 60_000],
        "pause_ms": chance.choice([[0, 5], [0, 60], [100, 500]]),
        "start_s": round(chance.uniform(0, 0.4), 3),
    }


def _pages(seed: int) -> Iterator[Run]:
    """Give pages of short flows, with and without loss."""
    for loop_ms in (40, 120):
        for loss in (0, 0.01):
            chance = drawn(seed, "page", loop_ms, loss)
            link = cellular(loop_ms * chance.uniform(0.85, 1.15), path={"loss": loss})
            tls = chance.choice(["1.2", "1.3"])
            flows = [
                {
                    "times": 4,
                    "count": chance.choice([1, 1, 2, 3]),
                    "wait_ms": [0, chance.choice([5, 40, 120])],
                    "answer_bytes": chance.choice([[500, 8_000], [5_000, 80_000]]),
                    "start_s": round(chance.uniform(0, 0.15) + (0.2 if number else 0), 3),
                    "tls": tls,
                }
                for number in range(6)
            ]
            kind = "page with loss" if loss else "page"
            yield _run(kind, f"{loop_ms}ms", seed, link, flows)


def _calls(seed: int) -> Iterator[Run]:
    """Give small calls on one connection."""
    for loop_ms, tls in ((10, ""), (50, "1.3"), (90, "")):
        chance = drawn(seed, "calls", loop_ms)
        calls = {
            "count": chance.randint(100, 120) if loop_ms < 90 else 70,
            "request_bytes": [100, 800],
            "answer_bytes": [100, 700],
            "wait_ms": [0, chance.choice([1, 10, 30])],
            "pause_ms": [0, 10],
            "tls": tls,
        }
        link = path(loop_ms) if loop_ms != 50 else cellular(loop_ms)
        yield _run("small calls", f"{loop_ms}ms", seed, link, [calls])


def _zero_windows(seed: int) -> Iterator[Run]:
    """Give readers that stop, at the phone and at the server."""
    for loop_ms, tls in ((20, ""), (100, "1.3")):
        chance = drawn(seed, "zero", loop_ms)
        stops = [[500_000, round(chance.uniform(0.5, 1.5), 2)], [1_200_000, chance.choice([2, 4])]]
        bulk = {"count": 1, "tls": tls}
        link = cellular(loop_ms) if loop_ms > 40 else path(loop_ms, down_mbps=40, up_mbps=20)
        down = {**bulk, "answer_bytes": [2_000_000, 2_000_000], "stalls": stops}
        down["receive_buffer"] = 150_000
        yield _run("zero window download", f"{loop_ms}ms", seed, link, [down])
        up = {**bulk, "request_bytes": [2_000_000, 2_000_000], "answer_bytes": [200, 200]}
        up["server_stalls"] = stops
        more = {"workload": {"server_receive_buffer": 150_000}}
        yield _run("zero window upload", f"{loop_ms}ms", seed, link, [up], **more)


def _uploads(seed: int) -> Iterator[Run]:
    """Give uploads limited by the link, the application, the receiver's window, or the answer."""
    for loop_ms in (40, 120):
        chance = drawn(seed, "uploads", loop_ms)
        tls = chance.choice(["", "1.3"])
        kept = {"tls": tls, "answer_bytes": [200, 900]}
        bulk = {**kept, "count": 1, "request_bytes": [4_000_000, 5_000_000]}
        yield _run("upload bulk", f"{loop_ms}ms", seed, cellular(loop_ms), [bulk])
        photos = {**kept, "count": 6, "request_bytes": [50_000, 700_000]}
        photos |= {"wait_ms": [50, 500], "pause_ms": [100, 600]}
        yield _run("upload photos", f"{loop_ms}ms", seed, cellular(loop_ms), [photos])
        paced = {**kept, "count": 1, "request_bytes": [900_000, 900_000]}
        paced["bps"] = chance.choice([1e6, 1.5e6])
        yield _run("upload paced", f"{loop_ms}ms", seed, cellular(loop_ms), [paced])
        window = {**kept, "count": 1, "request_bytes": [1_500_000, 1_500_000]}
        if loop_ms > 40:
            more = {"workload": {"server_receive_buffer": 30_000}}
            link = path(loop_ms, up_mbps=50)
            yield _run("upload receive window", f"{loop_ms}ms", seed, link, [window], **more)


def _hard(seed: int) -> Iterator[Run]:
    """Give the hard kinds."""
    think = [_asking(ms, 80, {}, drawn(seed, "hard", ms)) for ms in (0, 100, 300)]
    yield _run("behind a proxy", "80ms", seed, cellular(80), think, proxy={"ports": [8443]})
    beside = [{"name": "bulk_download", "bytes": 100_000_000, "start_s": 0.5}]
    yield _run("beside a queue", "80ms", seed, cellular(80), think, background=beside)
    drx = {"start_connected": True, "sleep_after_ms": 20, "sleep_cycle_ms": 80}
    yield _run("drx", "80ms", seed, cellular(80, rrc=drx), think)
    wakes = {"inactivity_ms": 400, "promotion_ms": [200, 320]}
    slow = {"count": 5, "wait_ms": [500, 900], "pause_ms": [600, 900]}
    yield _run("promotion", "80ms", seed, cellular(80, rrc=wakes), [slow])
