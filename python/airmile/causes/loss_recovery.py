"""The cause `loss_recovery`: the sender recovers from a loss."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import RED
from airmile._words import counted
from airmile.causes import _losses
from airmile.causes._declaration import NOT_WEB, Case, Declaration


def advice(case: Case) -> Iterator[str]:
    """Yield advice to recover from losses sooner."""
    if _by_probes_alone(case):
        overlap = "" if case.flow.get("server_port") in NOT_WEB else " (HTTP/2)"
        yield (
            "losses of the last packets before a pause stall the sender until its tail loss probe: "
            f"fewer, larger writes, or requests that overlap{overlap}, leave fewer such ends"
        )
        return
    timeouts = case.flow["timeouts_seen"] if case.downlink else None
    after = f" ({counted(timeouts, 'timeout')} in the flow limited longest)" if timeouts else ""
    missing = "RACK-TLP is" if _both_sack(case) else "SACK and RACK-TLP are"
    yield f"losses stall the sender{after}: check that {missing} on at the {case.sender}"


def _both_sack(case: Case) -> bool:
    """Return whether both SYNs allowed SACK (RFC 2018 section 2)."""
    return bool(case.flow.get("ue_sack")) and bool(case.flow.get("server_sack"))


def _by_probes_alone(case: Case) -> bool:
    """Return whether tail loss probes (RFC 8985) were the only retransmissions."""
    return bool(case.way("tail_probes")) and not case.way("retransmissions")


DECLARATION = Declaration(
    colour=RED,
    satisfies=frozenset({"rto_loss", "recovery"}),
    evidence=_losses.evidence,
    advice=advice,
)
