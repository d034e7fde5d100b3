"""The networks of EFF14: the links that seeds select, and their round trips."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from airmile import UsageError
from airmile.testbed import simulate
from airmile.testbed.experiment import presets
from airmile.testbed.experiment.networks import EFF14, drawn
from airmile.testbed.experiment.toml_file import parse

PUBLISHED_RTT_MS = {"3g": (237, 256, 277), "hspa": (49, 50, 70), "lte": (36, 40, 43)}
"""The 5th, 50th and 95th percentile of the handshake's round trip (EFF14 table I)."""


def test_a_share_is_log_linear_between_quantiles() -> None:
    quantiles = ((0, 1.0), (0.5, 4.0), (1, 8.0))
    assert drawn(quantiles, 1, 0.0) == 1
    assert drawn(quantiles, 1, 0.25) == pytest.approx(2)
    assert drawn(quantiles, 3, 0.25) == pytest.approx(4 * 2**0.5)


def test_seeds_spread_evenly() -> None:
    shares = sorted(
        drawn(((0, 1), (1, 2.718281828459045)), seed, 0.6180339887) for seed in range(1, 13)
    )
    gaps = [after / before for before, after in itertools.pairwise(shares)]
    # Seeds are a twelfth of the range apart on average, and never more than twice that.
    assert max(gaps) < 2.718281828459045 ** (2 / 12)


@pytest.mark.parametrize("name", sorted(EFF14))
def test_a_handshake_without_load_takes_what_was_published(name: str) -> None:
    took = sorted(ms for seed in range(1, 31) for ms in _handshakes(EFF14[name].link(seed), seed))
    for share, published in zip((0.05, 0.5, 0.95), PUBLISHED_RTT_MS[name], strict=True):
        # The tolerance is 5 %, and the millisecond of a TTI on each side.
        assert took[int(share * len(took))] == pytest.approx(published, rel=0.05, abs=2), share


def test_a_seed_draws_the_same_link_and_another_seed_another() -> None:
    links = [parse("x", {"network": "hspa", "seed": seed}).link for seed in (1, 1, 2)]
    assert links[0] == links[1]
    rates = [link["downlink"]["rate"]["mbps"] for link in links]
    assert rates[1] != rates[2]
    inside = parse("x", {"network": "hspa", "link": {"seed": 2}}).link
    assert inside == links[2]


def test_the_steady_network_is_the_same_for_every_seed() -> None:
    one, two = (presets.network("steady", seed) for seed in (1, 2))
    assert {**one, "seed": 2} == two


def test_an_unknown_seed_is_refused() -> None:
    with pytest.raises(UsageError, match="seed = 'x'"):
        parse("x", {"seed": "x"})


def _handshakes(
    link: dict[str, Any], seed: int, count: int = 8, apart_ms: int = 900
) -> list[float]:
    """Give the times from SYN to SYN-ACK at the phone in ms; the second pass answers the SYNs."""
    chance = random.Random(seed)
    ttis = apart_ms * (count + 1)
    asked = [
        (int((number * apart_ms + chance.uniform(50, 150)) * 1e6), "phone", 60, 0)
        for number in range(count)
    ]
    there = _arrived(link, asked, ttis, "Server")
    answers = [(there[number] + 50_000, "server", 60, 0) for number in range(count)]
    both = sorted([*asked, *answers])
    back = _arrived(link, both, ttis, "Phone")
    ends = [back[place] for place, packet in enumerate(both) if packet[1] == "server"]
    return [(end - start[0]) / 1e6 for end, start in zip(ends, asked, strict=True)]


def _arrived(
    link: dict[str, Any], packets: list[tuple[int, str, int, int]], ttis: int, end: str
) -> dict[int, int]:
    rows = simulate(link, packets, ttis=ttis).deliveries.to_pylist()
    return {row["packet"]: row["at_ns"] for row in rows if row["end"] == end}
