"""The cause `handshake_dns`: a DNS look-up, a TCP handshake or a TLS handshake."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import YELLOW
from airmile.causes import _opening
from airmile.causes._declaration import Case, Declaration, milliseconds

MUCH_LONGER = 2
"""The factor from which a handshake is longer than requests by more than chance; our choice."""


def evidence(case: Case) -> Iterator[str]:
    """Yield the durations of the look-up and the handshakes."""
    if handshake_ms := case.flow["handshake_rtt_ms"]:
        requests_ms = _requests_ms(case)
        longer = bool(requests_ms) and handshake_ms >= MUCH_LONGER * requests_ms
        beside = f" (the round trip of requests was {milliseconds(requests_ms)})" if longer else ""
        yield f"handshake {milliseconds(handshake_ms)}{beside}"
    if case.flow["tls_handshake_ms"]:
        yield f"TLS handshake {milliseconds(case.flow['tls_handshake_ms'])}"


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
