"""The cause `promotion_delay`: the radio wakes up from idle (promotion)."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import YELLOW
from airmile.causes import _opening
from airmile.causes._declaration import Case, Declaration, milliseconds


def evidence(case: Case) -> Iterator[str]:
    """Yield the promotion delay."""
    if case.flow["promotion_delay_ms"] is not None and not case.flow["promotion_doubtful"]:
        yield f"the radio took {milliseconds(case.flow['promotion_delay_ms'])} to wake up"


DECLARATION = Declaration(
    colour=YELLOW,
    satisfies=frozenset({"idle_or_app"}),
    evidence=evidence,
    advice=_opening.advice,
)
