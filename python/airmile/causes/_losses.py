"""What speaks for repairs."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._words import counted
from airmile.causes._declaration import Case


def evidence(case: Case) -> Iterator[str]:
    """Say what was retransmitted, for which reason, and after how many timeouts."""
    again = case.way("retransmissions")
    if again:
        yield f"{counted(again, 'packet')}{case.whose} sent again"
    if probes := case.way("tail_probes"):
        yield f"{counted(probes, 'tail loss probe')}: the last packet once more, to ask for an ACK"
    # The counts of a flow are of the server's data alone.
    if case.downlink and case.flow["timeouts_seen"]:
        yield counted(case.flow["timeouts_seen"], "retransmission timeout")
    if case.downlink and case.flow["undesired_slow_starts"]:
        yield counted(
            case.flow["undesired_slow_starts"],
            "slow start that no loss called for",
            "slow starts that no loss called for",
        )
