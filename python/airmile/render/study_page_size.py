"""Keeps a study's page below a size: what a reader misses least gets lighter first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

MOST_BYTES = 3_000_000
"""The most that a page has, so that it can be sent and opens at once on a phone."""

TABLE, NARROW, WIDE = range(3)
"""What can be lighter, in the order in which it is: tables of which a command gives all, the
pictures for the screen of a phone, which can show the wide ones, and the wide pictures."""

_EDGE = "\x00"
"""The mark around a place in the text; no text of the page contains it (`printable`)."""


@dataclass(frozen=True)
class _Part:
    kind: int
    full: str
    lighter: Callable[[], str]


class Budget:
    """The heavy parts of a page, whose places in its text are marked until they are filled."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._parts: list[_Part] = []

    def part(self, kind: int, full: str, lighter: Callable[[], str] = str) -> str:
        """Return the mark of a part.

        Parameters
        ----------
        kind : int
            `TABLE`, `NARROW` or `WIDE`.
        full : str
            The HTML of the part.
        lighter : callable
            Returns the HTML that takes its place if the page has no room; nothing by default.
        """
        self._parts.append(_Part(kind, full, lighter))
        return f"{_EDGE}{len(self._parts) - 1}{_EDGE}"

    def fitted(self, page: str) -> str:
        """Return the page with its parts; the largest of each kind are lighter until it fits."""
        chosen = [each.full for each in self._parts]
        size = len(page.encode()) + sum(len(each.encode()) for each in chosen)
        order = sorted(range(len(chosen)), key=lambda at: (self._parts[at].kind, -len(chosen[at])))
        for at in order:
            if size <= self._most_bytes:
                break
            lighter = self._parts[at].lighter()
            size += len(lighter.encode()) - len(chosen[at].encode())
            chosen[at] = lighter
        pieces = page.split(_EDGE)
        pieces[1::2] = [chosen[int(number)] for number in pieces[1::2]]
        return "".join(pieces)
