"""The cause `round_trip`: from a request to the first byte of its answer, a trip to the server."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import WINE
from airmile._words import NBSP, count, counted, size
from airmile.causes._declaration import Case, Declaration, milliseconds
from airmile.protocols._short_flow import completion_s
from airmile.protocols._transports import TRANSPORTS

LEAST_SAVING_MS = 1.0
"""A smaller saving, in ms, is not reported: it is below the precision of captures."""

EACH = "per request that does not wait for another"


def loop(case: Case) -> Iterator[str]:
    """Yield the round trip to the server; a monitor sees only the part above it."""
    loop_ms = _loop_ms(case)
    if loop_ms is None:
        return
    start = "" if case.vantage == "ue" else "from the capture point "
    yield f"{milliseconds(loop_ms)} {start}to the server and back"


def evidence(case: Case) -> Iterator[str]:
    """Yield how many round trips requests waited for, and the parts of a round trip."""
    if case.flow["round_trips"]:
        waits = counted(case.flow["round_trips"], "round trip")
        yield f"requests waited for {waits}"
    yield from loop(case)
    below_ms = case.flow["path_rtt_ms"]
    if case.vantage == "monitor" and below_ms:
        yield f"in addition {milliseconds(below_ms)} between the capture point and the phone"


def advice(case: Case) -> Iterator[str]:
    """Yield advice that saves round trips, with each saving by the model of EFF14."""
    whole_ms, reuse_ms = _whole_rtt_ms(case), _saved_ms(case, "quic-0rtt")
    if not case.is_web:
        yield f"fewer round trips: ask for more at once{_amount(whole_ms, EACH)}, reuse connections"
        return
    # An open connection saves as much as 0-RTT does: it also needs no handshake.
    yield (
        "fewer round trips: ask for more at once with HTTP/2 or HTTP/3"
        f"{_amount(whole_ms, 'per request that does not wait for another')}, reuse or preconnect "
        f"connections, or QUIC with 0-RTT{_amount(reuse_ms, 'per new connection')}"
    )
    newer_ms = _saved_ms(case, "tls1.3")
    if _amount(newer_ms):
        yield f"TLS 1.3 instead of 1.2{_amount(newer_ms, 'per new connection')}"
    if case.vantage == "ue":
        # How much of the round trip is the radio's does not show here.
        yield "a server nearer to the phone, which shortens the round trip behind the radio"
        return
    nearer_ms = _saved_ms(case, None, shorter_ms=(_loop_ms(case) or 0) / 2)
    moved = f"per new connection that moves {size(case.flow['median_bytes'] or 0)}"
    yield f"a server at half the distance from the capture point{_amount(nearer_ms, moved)}"


def _loop_ms(case: Case) -> float | None:
    """Return the round trip between capture point and server in ms; None at the server."""
    loop_ms: float | None = case.flow["loop_ms"]
    return loop_ms or None


def _whole_rtt_ms(case: Case) -> float | None:
    """Return the round trip between phone and server in ms: that of requests, if it is known.

    At a monitor it is the sum of two parts. A handshake may have taken longer than requests do.
    """
    loop_ms, below_ms = _loop_ms(case), case.flow["path_rtt_ms"]
    handshake_ms: float | None = case.flow["handshake_rtt_ms"]
    if loop_ms is None or (case.vantage != "ue" and below_ms is None):
        return handshake_ms
    return loop_ms if case.vantage == "ue" else loop_ms + below_ms


def _saved_ms(case: Case, transport: str | None, shorter_ms: float = 0) -> float | None:
    """Return what a handshake or a shorter path saves per connection, in ms; None if unknown."""
    rtt_ms, moved = _whole_rtt_ms(case), case.flow["median_bytes"]
    if not rtt_ms or not moved:
        return None
    rate = case.available_bps or float("inf")
    now = _transport(case, rtt_ms)
    then_ms = max(rtt_ms - shorter_ms, 0)
    before_s = _completion_s(moved, rate, rtt_ms, now)
    return 1000 * (before_s - _completion_s(moved, rate, then_ms, transport or now))


def _completion_s(moved: float, rate: float, rtt_ms: float, transport: str) -> float:
    handshake_rtts = TRANSPORTS[transport].handshake_rtts
    return completion_s(moved, rate, rtt_ms / 1000, handshake_rtts=handshake_rtts)


def _transport(case: Case, rtt_ms: float) -> str:
    """Return the handshake of the connection, from the number of round trips that TLS took."""
    tls_ms = case.flow["tls_handshake_ms"]
    if tls_ms is None:
        return "tcp"
    return "tls1.2" if tls_ms >= 1.5 * rtt_ms else "tls1.3"


def _amount(saved_ms: float | None, each: str = "") -> str:
    if saved_ms is None or saved_ms < LEAST_SAVING_MS:
        return ""
    return f" (saves about {count(saved_ms)}{NBSP}ms{' ' + each if each else ''})"


DECLARATION = Declaration(
    colour=WINE,
    # The engine reports this cause only while a request is unanswered.
    satisfies=frozenset({"idle_or_app", "cwnd_or_path"}),
    evidence=evidence,
    advice=advice,
    headline=loop,
)
