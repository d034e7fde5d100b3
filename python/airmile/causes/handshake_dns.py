"""The cause `handshake_dns`: a DNS look-up, a TCP handshake or a TLS handshake."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import YELLOW
from airmile.causes import _opening
from airmile.causes._declaration import Case, Declaration, milliseconds


def evidence(case: Case) -> Iterator[str]:
    """Yield the durations of the look-up and the handshakes."""
    if case.flow["handshake_rtt_ms"]:
        yield f"handshake {milliseconds(case.flow['handshake_rtt_ms'])}"
    if case.flow["tls_handshake_ms"]:
        yield f"TLS handshake {milliseconds(case.flow['tls_handshake_ms'])}"


DECLARATION = Declaration(
    colour=YELLOW,
    hatch="//",
    satisfies=frozenset({"idle_or_app"}),
    evidence=evidence,
    advice=_opening.advice,
)
