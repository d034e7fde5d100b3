"""The cause `slow_start`: the congestion window is still growing from its start."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import GREEN
from airmile.causes import _hidden_queue, _start
from airmile.causes._declaration import Case, Declaration


def evidence(case: Case) -> Iterator[str]:
    """Yield the initial window of the server, and how short a queue would be hidden."""
    yield from _start.evidence(case)
    yield from _hidden_queue.evidence(case, "slow_start")


def advice(case: Case) -> Iterator[str]:
    """Yield advice to use a window that has grown."""
    yield (
        "transfers end before the window has grown: reuse connections, move fewer and larger "
        f"objects, or raise the initial window at the {case.sender} (ip route ... initcwnd)"
    )


DECLARATION = Declaration(
    colour=GREEN,
    satisfies=frozenset({"cwnd_or_path"}),
    evidence=evidence,
    advice=advice,
    of_sender=True,
)
