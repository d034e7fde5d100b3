"""The evidence of loss recovery."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._words import counted
from airmile.causes._declaration import Case


def evidence(case: Case) -> Iterator[str]:
    """Yield the numbers of retransmissions, tail loss probes and timeouts of a flow."""
    again = case.way("retransmissions")
    if again:
        yield f"{counted(again, 'packet')}{case.whose} retransmitted"
    if probes := case.way("tail_probes"):
        yield f"{counted(probes, 'tail loss probe')}: the last packet once more, to elicit an ACK"
    # Only the server's timeouts are counted.
    if case.downlink and case.flow["timeouts_seen"]:
        # What is lost before the phone, and its copies that are lost as well, never pass there.
        least = "at least " if case.vantage == "ue" else ""
        yield least + counted(case.flow["timeouts_seen"], "retransmission timeout")
    if case.downlink and case.flow["undesired_slow_starts"]:
        yield counted(
            case.flow["undesired_slow_starts"],
            "undesired slow start (no loss before it)",
            "undesired slow starts (no loss before them)",
        )
