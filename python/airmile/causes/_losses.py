"""The evidence of loss recovery."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._words import counted, listed
from airmile.causes._declaration import Case

REQUEST_LOST = "the request was not acknowledged"
"""The beginning of the reason for a retransmitted request, which is uplink data.

Slices of the wait for its answer are those of the answer, and count none of its packets.
"""


def evidence(case: Case, cause: str = "loss_recovery") -> Iterator[str]:
    """Yield the retransmissions of the cause's time, and probes and timeouts of the flow."""
    again = (case.flow.get("retransmitted") or {}).get(cause)
    if again and not _is_of_request(case, cause):
        yield f"{counted(again, 'packet')}{case.whose} retransmitted in this time"
    if counts := list(_of_flow(case, cause)):
        yield f"in the whole flow {listed(counts)}"
    if case.downlink and case.flow["undesired_slow_starts"]:
        yield counted(
            case.flow["undesired_slow_starts"],
            "undesired slow start (no loss before it)",
            "undesired slow starts (no loss before them)",
        )


def _is_of_request(case: Case, cause: str) -> bool:
    """Return whether the time of the cause is mostly the wait for the answer to a lost request."""
    return bool((case.flow.get("reasons") or {}).get(cause, "").startswith(REQUEST_LOST))


def _of_flow(case: Case, cause: str) -> Iterator[str]:
    """Yield the numbers that only the whole flow has: requests, tail loss probes, timeouts."""
    if (again := case.way("retransmissions")) and _is_of_request(case, cause):
        yield f"{counted(again, 'packet')}{case.whose} retransmitted"
    if probes := case.way("tail_probes"):
        yield f"{counted(probes, 'tail loss probe')} (the last packet once more, to elicit an ACK)"
    # Only the server's timeouts are counted.
    if case.downlink and case.flow["timeouts_seen"]:
        # What is lost before the phone, and its copies that are lost as well, never pass there.
        least = "at least " if case.vantage == "ue" else ""
        yield least + counted(case.flow["timeouts_seen"], "retransmission timeout")
