"""The sending application, or what stands behind it, had nothing to send."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import SKY
from airmile._words import seconds
from airmile.causes._declaration import Case, Declaration


def evidence(case: Case) -> Iterator[str]:
    """Tell how long the server took for an answer, beyond the round trip."""
    wait_ms = case.flow["server_wait_ms"]
    if case.downlink and wait_ms is not None:
        yield f"an answer took {seconds(wait_ms / 1000)} beyond the round trip, median"


def advice(case: Case) -> Iterator[str]:
    """Say whose application to look at."""
    if case.downlink:
        # Only an answer that came late points behind the application.
        behind = ", its disk and its back ends," if case.flow["server_wait_ms"] is not None else ""
        yield (
            "the server, or what stands behind it, had nothing to send: look at its application"
            f"{behind or ','} or at pacing by design (video comes in bursts)"
        )
    elif case.flow["direction"] == "downlink":
        yield "the phone had not asked for more: look at what its application waits for"
    else:
        yield "the phone had nothing to send: look at what its application waits for"


DECLARATION = Declaration(
    colour=SKY,
    satisfies=frozenset({"idle_or_app"}),
    evidence=evidence,
    advice=advice,
)
