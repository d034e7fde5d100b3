"""The cause `slow_start`: the congestion window is still growing from its start."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import GREEN
from airmile.causes import _start
from airmile.causes._declaration import Case, Declaration


def advice(case: Case) -> Iterator[str]:
    """Yield advice to use a window that has grown."""
    yield (
        "transfers end before the window has grown: reuse connections, move fewer and larger "
        f"objects, or raise the initial window at the {case.sender} (ip route ... initcwnd)"
    )


DECLARATION = Declaration(
    colour=GREEN,
    satisfies=frozenset({"cwnd_or_path"}),
    evidence=_start.evidence,
    advice=advice,
    of_sender=True,
)
