"""The cause `handshake_dns`: a DNS look-up, a TCP handshake or a TLS handshake."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import YELLOW
from airmile._words import counted
from airmile.causes import _opening
from airmile.causes._declaration import Case, Declaration, milliseconds

MUCH_LONGER = 2
"""The factor from which a handshake is longer than requests by more than chance; our choice."""

NEARLY_ALL = 0.9
"""The share of the time before the request that TLS takes if it began with the SYN; our choice."""


def evidence(case: Case) -> Iterator[str]:
    """Yield the durations of the look-up and the handshakes."""
    if handshake_ms := case.flow["handshake_rtt_ms"]:
        requests_ms = _requests_ms(case)
        longer = bool(requests_ms) and handshake_ms >= MUCH_LONGER * requests_ms
        beside = f" (the round trip of requests was {milliseconds(requests_ms)})" if longer else ""
        yield f"handshake {milliseconds(handshake_ms)}{beside}"
    yield from _syns_and_tls(case)


def _syns_and_tls(case: Case) -> Iterator[str]:
    """Yield how often the SYN was sent, and the duration of the TLS handshake.

    A ClientHello in the SYN waits with it, and TLS then takes all of the time before the request.
    """
    tls_ms, syns = case.flow["tls_handshake_ms"], _syns(case)
    if syns > 1:
        yield f"the SYN was sent {counted(syns, 'time')}"
    opening_ms = case.flow.get("time_ns", {}).get("handshake_dns", 0) / 1e6
    if tls_ms and syns > 1 and tls_ms >= NEARLY_ALL * opening_ms:
        yield f"the ClientHello in the SYN waited with it: TCP and TLS took {milliseconds(tls_ms)}"
    elif tls_ms:
        yield f"TLS handshake {milliseconds(tls_ms)}"


def _syns(case: Case) -> int:
    """Return how often the side that opened the connection sent its SYN; 0 if it is unknown."""
    sent = [
        (case.flow.get(f"{way}_syn") or 0) - (case.flow.get(f"{way}_recorded_twice") or 0)
        for way in ("ul", "dl")
    ]
    return max(*sent, 0)


def _requests_ms(case: Case) -> float:
    """Return the round trip of requests between phone and server in ms; 0 if it is unknown."""
    loop_ms, below_ms = case.flow["loop_ms"], case.flow["path_rtt_ms"]
    if not loop_ms or (case.vantage != "ue" and below_ms is None):
        return 0.0
    return float(loop_ms if case.vantage == "ue" else loop_ms + below_ms)


DECLARATION = Declaration(
    colour=YELLOW,
    hatch="//",
    satisfies=frozenset({"idle_or_app"}),
    evidence=evidence,
    advice=_opening.advice,
)
