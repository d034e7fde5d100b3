"""Plain sockets: requests in several writes, readers that stop or trickle."""

from __future__ import annotations

from collections.abc import Iterator

from tests.programs.kinds.links import chosen
from tests.programs.program import APPS, PYTHON, Case, Program, Traits, case

PORT = 5000
NAGLE = "nagle_and_delayed_ack"


def cases(seed: int) -> Iterator[Case]:
    """Give every case of a seed."""
    yield from _writes(seed)


def _app(name: str, *words: object) -> tuple[str, ...]:
    return (PYTHON, str(APPS / name), *map(str, words))


def _writes(seed: int) -> Iterator[Case]:
    """Give requests in one, two and ten writes, with and without TCP_NODELAY."""
    for count in (1, 2, 10):
        for nodelay in (0, 1):
            link, chance = chosen(seed, "writes", count, nodelay)
            think_ms = chance.choice([5, 60, 200])
            client = _app(
                "asker.py",
                "{server}",
                PORT,
                count,
                nodelay,
                chance.randint(15, 25),
                chance.choice([40, 120, 300]),
                chance.choice([80, 300, 600]),
            )
            program = Program(_app("answerer.py", PORT, think_ms), client, PORT)
            held = not nodelay and count > 1
            traits = Traits(allowed=(NAGLE,) if held else ())
            variant = f"{count}{'-nodelay' if nodelay else ''}"
            yield case("writes", variant, seed, link, program, traits)
