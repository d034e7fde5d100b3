"""What a run does and when: exchanges of the phone, pushes, Wi-Fi, and the captures with pauses."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal

Network = Literal["dual_stack", "464xlat"]
Way = Literal["cellular", "wlan"]

SILENCES = (0.3, 0.6, 0.85, 0.95, 1.05, 1.15, 1.5, 2.0)
"""The silences between exchanges, in tails."""

FILES = 3
EXCHANGES = 6
"""The exchanges in a capture; with 16, most runs show the tail well."""

_MARGIN_S = 1.0
_BEGIN_S = 1.5


@dataclass(frozen=True)
class Exchange:
    """A request of the phone, and its answer.

    Attributes
    ----------
    at_s : float
        When the phone asks.
    way : str
        The interface.
    family : int
        4 or 6.
    protocol : str
        `tcp` or `udp`.
    answer_bytes : int
        How much the server answers.
    delay_s : float
        How long the server waits before it answers: longer than a tail in a push.
    """

    at_s: float
    way: Way
    family: int
    protocol: str
    answer_bytes: int
    delay_s: float = 0.02


@dataclass(frozen=True)
class Plan:
    """A run: its network, its tail, and in seconds from the start what happens."""

    seed: int
    network: Network
    tail_s: float
    exchanges: tuple[Exchange, ...]
    captures: tuple[tuple[float, float], ...]

    @property
    def name(self) -> str:
        """The name of the run's folder."""
        return f"{self.network}_{self.seed:02d}"

    @property
    def end_s(self) -> float:
        """When the last capture ends."""
        return self.captures[-1][1]


def plan(seed: int, count: int = EXCHANGES) -> Plan:
    """Give the run of a seed, with a number of exchanges in each capture.

    >>> plan(3) == plan(3), plan(3).network, len(plan(3).captures)
    (True, 'dual_stack', 3)
    """
    random = Random(seed)
    tail_s = random.choice((2.5, 3.0, 3.5, 4.0))
    exchanges: list[Exchange] = []
    captures: list[tuple[float, float]] = []
    now = _BEGIN_S
    for number in range(FILES):
        began = now
        # The radio is asleep or awake when a capture begins and when it ends.
        now += random.choice((0.4, tail_s + _MARGIN_S))
        for at in range(count):
            if at:
                now += random.choice(SILENCES) * tail_s
            one = _exchange(random, now, tail_s, at == count - 2)
            exchanges.append(one)
            now += one.delay_s + (0.9 if at in (0, count - 1) else 0.6)
        now += random.choice((0.4, tail_s + _MARGIN_S))
        captures.append((began, now))
        now += 1.0 if number == FILES - 1 else _pause(random, now, tail_s, exchanges)
    exchanges += _beside(random, now)
    ordered = tuple(sorted(exchanges, key=lambda each: each.at_s))
    return Plan(seed, "dual_stack" if seed % 2 else "464xlat", tail_s, ordered, tuple(captures))


def _exchange(random: Random, at_s: float, tail_s: float, may_push: bool) -> Exchange:
    family, size = random.choice((4, 6)), random.choice((300, 4_000, 40_000))
    if may_push and random.random() < 0.5:
        return Exchange(at_s, "cellular", family, "udp", 300, random.choice((0.6, 1.5)) * tail_s)
    # Of the look-ups and calls of applications, most are TCP, which shows the promotion.
    return Exchange(at_s, "cellular", family, random.choice(("tcp", "tcp", "udp")), size)


def _pause(random: Random, now: float, tail_s: float, exchanges: list[Exchange]) -> float:
    """Give the length of a pause between captures; in every second one the phone has traffic."""
    length_s = 1.0 + random.choice((0.5, 1.0, 2.0)) * tail_s
    if random.random() < 0.5:
        at_s = now + random.choice((0.3, length_s - 0.7))
        exchanges.append(Exchange(at_s, "cellular", random.choice((4, 6)), "udp", 300))
    return length_s


def _beside(random: Random, end_s: float) -> list[Exchange]:
    """Give the exchanges over Wi-Fi."""
    now, found = _BEGIN_S, []
    while (now := now + random.uniform(1, 3)) < end_s - 1:
        family, protocol = random.choice((4, 6)), random.choice(("tcp", "udp"))
        found.append(Exchange(now, "wlan", family, protocol, 4_000))
    return found
