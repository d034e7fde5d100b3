"""The cause `sender_app`: the sending application, or a system behind it, had nothing to send."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import SKY
from airmile._words import seconds
from airmile.causes._declaration import Case, Declaration


def evidence(case: Case) -> Iterator[str]:
    """Yield the time that the server took for an answer, beyond the round trip."""
    wait_ms = case.flow["server_wait_ms"]
    # The wait is null if most answers began at once; the flow then waited for something else.
    if case.downlink and wait_ms:
        yield f"an answer took {seconds(wait_ms / 1000)} beyond the round trip, median"


def advice(case: Case) -> Iterator[str]:
    """Yield advice on which application to look at."""
    # Only a late answer points to the systems behind the application.
    behind = ", its disk and its back ends," if case.flow["server_wait_ms"] else ""
    if case.whose and case.downlink:
        yield (
            "the phone had sent its data, and the server, or a system behind it, had not answered "
            f"in full: look at its application{behind or ','} or at pacing by design"
        )
    elif case.downlink:
        yield (
            "the server, or a system behind it, had nothing to send: look at its application"
            f"{behind or ','} or at pacing by design (video comes in bursts)"
        )
    elif case.flow["direction"] == "downlink":
        yield "the phone had not requested more: look at what its application waits for"
    else:
        yield "the phone had nothing to send: look at what its application waits for"


DECLARATION = Declaration(
    colour=SKY,
    satisfies=frozenset({"idle_or_app"}),
    evidence=evidence,
    advice=advice,
    of_sender=True,
)
