"""The short runs: each is drawn apart, so that no two of them share a link."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from tests.physics import making
from tests.physics.links import link
from tests.recorded.runs import Run, Table, drawn, run_of
from tests.taps.access import policed
from tests.taps.plain import CONTROLS, RADIO_MS, buffered, hosts, steady

DEVELOPMENT, HELD_OUT = (2,), (3,)
"""Seeds. Odd seeds are held out: only their scores are looked at."""

RUNS = 150
"""The runs of a seed."""

MOST_S = 4.0
"""The longest transfer, if its link carries what it can."""


def runs(seed: int) -> Iterator[Run]:
    """Give every run of a seed: each kind in turn, with a link and a transfer of its own."""
    kinds = tuple(_KINDS.items())
    for number in range(RUNS):
        kind, make = kinds[number % len(kinds)]
        chance = drawn(seed, "short", number)
        yield make(kind, f"{number:03}", seed, chance)


def _spread(chance: random.Random, least: float, most: float) -> float:
    """Draw a value whose logarithm is uniform: small ones are as frequent as large ones."""
    return float(least * (most / least) ** chance.random())


def _wired_ms(chance: random.Random) -> float:
    return _spread(chance, 3, 90)


def _radio(chance: random.Random, mbps: float, wired_ms: float) -> Table:
    loops = _spread(chance, 0.4, 6)
    return steady(mbps, bytes=buffered(mbps, 2 * wired_ms + RADIO_MS, loops))


def _bytes(chance: random.Random, mbps: float) -> int:
    """Draw the size of a transfer: from a small file to what the link carries in some seconds."""
    most = max(60_000.0, min(4e6, mbps * 1e6 / 8 * MOST_S))
    return round(_spread(chance, 20_000, most))


def _fetch(kind: str, variant: str, seed: int, chance: random.Random) -> Run:
    mbps, wired_ms = _spread(chance, 0.8, 60), _wired_ms(chance)
    way = link(wired_ms, downlink=_radio(chance, mbps, wired_ms))
    work = {"name": "bulk_download", "bytes": _bytes(chance, mbps)}
    return run_of(kind, variant, seed, way, work, **hosts(chance.choice(CONTROLS)))


def _send(kind: str, variant: str, seed: int, chance: random.Random) -> Run:
    mbps, wired_ms = _spread(chance, 0.5, 25), _wired_ms(chance)
    way = link(wired_ms, uplink=_radio(chance, mbps, wired_ms))
    work = {"name": "bulk_upload", "bytes": _bytes(chance, mbps)}
    return run_of(kind, variant, seed, way, work, **hosts(chance.choice(CONTROLS)))


def _plan(kind: str, variant: str, seed: int, chance: random.Random) -> Run:
    mbps, wired_ms = _spread(chance, 0.1, 0.6), _wired_ms(chance)
    way = link(wired_ms, downlink=steady(mbps, bytes=chance.choice([30_000, 80_000])))
    if chance.random() < 0.3:
        way = link(wired_ms, downlink=policed(20, mbps, chance.choice([8_000, 30_000])))
    work = {"name": "bulk_download", "bytes": round(_spread(chance, 15_000, mbps * 5e5))}
    return run_of(kind, variant, seed, way, work, **hosts(chance.choice(CONTROLS)))


def _window(kind: str, variant: str, seed: int, chance: random.Random) -> Run:
    mbps, wired_ms = _spread(chance, 8, 40), _wired_ms(chance)
    way = link(wired_ms, downlink=steady(mbps, bytes=1_000_000))
    rate = chance.uniform(0.2, 0.7) * mbps
    held = making.window(rate, wired_ms)
    work = {"name": "bulk_download", "receive_buffer": held, "bytes": _bytes(chance, rate)}
    return run_of(kind, variant, seed, way, work)


def _paced(kind: str, variant: str, seed: int, chance: random.Random) -> Run:
    mbps, wired_ms = _spread(chance, 2, 20), _wired_ms(chance)
    side = chance.choice(["down", "up"])
    radio = steady(mbps, bytes=600_000)
    way = link(wired_ms, **{f"{side}link": radio})
    rate = chance.uniform(0.1, 0.8) * mbps
    work = {"name": f"paced_{side}load", "bps": round(rate * 1e6), "bytes": round(rate * 3e5)}
    return run_of(kind, variant, seed, way, work)


def _asked(kind: str, variant: str, seed: int, chance: random.Random) -> Run:
    think = chance.choice([0, 10, 60, 200, 500])
    flow = {
        "count": chance.randint(1, 5),
        "request_bytes": [150, 900],
        "answer_bytes": [2_000, round(_spread(chance, 5_000, 300_000))],
        "wait_ms": [think, think * 1.3],
        "pause_ms": [0, chance.choice([20, 200])],
        "tls": chance.choice(["", "1.2", "1.3"]),
    }
    wired_ms = _wired_ms(chance)
    mbps = _spread(chance, 2, 60)
    way = link(wired_ms, downlink=_radio(chance, mbps, wired_ms))
    work = {"name": "exchange", "flows": [flow], "seed": int(variant)}
    return run_of(kind, variant, seed, way, work)


def _wired(kind: str, variant: str, seed: int, chance: random.Random) -> Run:
    mbps, wired_ms = _spread(chance, 1, 10), _wired_ms(chance)
    narrow: Table = {
        "mbps": round(mbps, 3),
        "buffer_bytes": buffered(mbps, 2 * wired_ms + RADIO_MS, 1.5),
    }
    if chance.random() < 0.3:
        narrow = {"policer": {"mbps": round(mbps, 3), "burst_bytes": 50_000}}
    radio = steady(chance.uniform(20, 50), bytes=1_000_000)
    way = link(wired_ms, downlink=radio, path=narrow)
    work = {"name": "bulk_download", "bytes": _bytes(chance, mbps)}
    return run_of(kind, variant, seed, way, work, **hosts(chance.choice(CONTROLS)))


def _lossy(kind: str, variant: str, seed: int, chance: random.Random) -> Run:
    mbps, wired_ms = _spread(chance, 10, 60), _wired_ms(chance)
    radio = steady(mbps, bytes=1_000_000)
    way = link(wired_ms, downlink=radio, path={"loss": round(_spread(chance, 0.002, 0.03), 4)})
    work = {"name": "bulk_download", "bytes": _bytes(chance, mbps / 8)}
    return run_of(kind, variant, seed, way, work, **hosts(chance.choice(["cubic", "reno"])))


_KINDS: dict[str, Callable[[str, str, int, random.Random], Run]] = {
    "short fetch": _fetch,
    "short send": _send,
    "short plan": _plan,
    "short window": _window,
    "short paced": _paced,
    "short answers": _asked,
    "short fetches": _fetch,
    "short wired": _wired,
    "short sends": _send,
    "short lossy": _lossy,
}
