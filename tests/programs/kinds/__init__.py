"""The recorded programs, by kind and seed."""

from __future__ import annotations

from collections.abc import Iterator

from tests.programs.kinds import http, messages, network, pages, shells, sockets, tls
from tests.programs.program import Case

DEVELOPMENT, HELD_OUT = (2, 4), (1,)
"""Seeds. Odd seeds are held out: only their scores are looked at."""

_MODULES = (sockets, http, tls, shells, messages, network, pages)


def cases(seed: int) -> Iterator[Case]:
    """Give every case of a seed."""
    for module in _MODULES:
        yield from module.cases(seed)
