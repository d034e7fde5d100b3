"""The sender repairs a loss."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import RED
from airmile._words import counted
from airmile.causes import _losses
from airmile.causes._declaration import Case, Declaration


def advice(case: Case) -> Iterator[str]:
    """Name what repairs losses sooner, at the end that sends."""
    timeouts = case.flow["timeouts_seen"] if case.downlink else None
    told = f" ({counted(timeouts, 'timeout')} in the flow it held up longest)" if timeouts else ""
    yield (
        f"losses stall the sender{told}: check that SACK and RACK-TLP are on at the {case.sender}"
    )


DECLARATION = Declaration(
    colour=RED,
    satisfies=frozenset({"rto_loss", "recovery"}),
    evidence=_losses.evidence,
    advice=advice,
)
