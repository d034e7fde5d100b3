"""Plain sockets: requests in several writes, readers that stop or trickle."""

from __future__ import annotations

from collections.abc import Iterator

from tests.programs.kinds.links import chosen
from tests.programs.program import APPS, PYTHON, Case, Program, Step, Traits, case
from tests.recorded.runs import drawn

PORT = 5000
NAGLE = "nagle_and_delayed_ack"


def cases(seed: int) -> Iterator[Case]:
    """Give every case of a seed."""
    yield from _writes(seed)
    yield from _readers(seed)


def _app(name: str, *words: object) -> tuple[str, ...]:
    return (PYTHON, str(APPS / name), *map(str, words))


def _writes(seed: int) -> Iterator[Case]:
    """Give requests in one, two and ten writes, with and without TCP_NODELAY."""
    for count in (1, 2, 10):
        for nodelay in (0, 1):
            link, chance = chosen(seed, "writes", count, nodelay)
            think_ms = chance.choice([5, 60, 200])
            pause_ms, size = chance.choice([40, 120, 300]), chance.choice([80, 300, 600])
            times = chance.randint(15, 25)
            client = _app("asker.py", "{server}", PORT, count, nodelay, times, pause_ms, size)
            program = Program(_app("answerer.py", PORT, think_ms), client, PORT)
            held = not nodelay and count > 1
            traits = _held(count) if held else Traits()
            variant = f"{count}{'-nodelay' if nodelay else ''}"
            yield case("writes", variant, seed, link, program, traits)


def _held(writes: int) -> Traits:
    """Give what is found where Nagle's algorithm holds writes.

    Of many writes the rest waits for the first one alone, between full segments in flight, which
    no delayed ACK takes part in.
    """
    return Traits(findings=(NAGLE,)) if writes == 2 else Traits(allowed=(NAGLE,))


def asking(
    seed: int, *names: object, pause_ms: int = 150, router: tuple[Step, ...] = ()
) -> Program:
    """Give a client that asks in one write, over a path on which something happens."""
    chance = drawn(seed, "asking", *names)
    times = max(4, min(30, round(7000 / (pause_ms + 200))))
    client = _app("asker.py", "{server}", PORT, 1, 1, times, pause_ms, 400)
    server = _app("answerer.py", PORT, chance.choice([20, 90, 250]))
    return Program(server, client, PORT, router=router, longest_s=14)


def _readers(seed: int) -> Iterator[Case]:
    """Give readers at both ends that stop, read at a rate, or trickle."""
    for way in ("down", "up"):
        for pattern in ("stops", "rate", "trickle"):
            link, chance = chosen(seed, "readers", way, pattern)
            rate = {"stops": 0, "rate": chance.randint(80, 250), "trickle": chance.randint(15, 40)}
            size = {"stops": 3_000_000, "rate": 1_500_000, "trickle": 400_000}[pattern]
            words = pattern, rate[pattern] * 1000, size, chance.choice([40_000, 120_000])
            server = _app("reader.py", "serve", PORT, way, *words)
            client = _app("reader.py", "{server}", PORT, way, *words)
            program = Program(server, client, PORT)
            yield case("slow reader", f"{way}-{pattern}", seed, link, program)
