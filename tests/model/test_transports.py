"""The number of round trips before the answer, as the standards state it."""

from __future__ import annotations

import pytest

from airmile.model import TRANSPORTS, completion_time, optimal_time, rounds

ANSWER_AFTER = {
    "tcp": 2,  # SYN, SYN-ACK; request, answer (RFC 9293 section 3.5)
    "tfo": 1,  # SYN with the request; answer (RFC 7413 section 4)
    "tls1.2": 4,  # two of TCP, and two full flights of TLS before the request (RFC 5246 figure 1)
    "tls1.3": 3,  # one full flight (RFC 8446 figure 1)
    "tls1.3+tfo": 2,  # which leaves with the SYN
    "quic": 2,  # transport and cryptographic handshake in one (RFC 9001 section 4.1)
    "quic-0rtt": 1,  # the request in the first flight (RFC 9001 section 4.6)
}
"""Round trips until the first byte of the answer."""


def test_every_transport_is_counted() -> None:
    assert set(TRANSPORTS) == set(ANSWER_AFTER)


@pytest.mark.parametrize(("transport", "round_trips"), ANSWER_AFTER.items())
def test_only_the_round_trips_before_the_answer_differ(transport: str, round_trips: int) -> None:
    assert TRANSPORTS[transport].handshake_rtts == round_trips - 1
    size, rate, rtt = 320 * 1024, 20e6, 0.040
    slow_start = 0.131072 + 3 * 0.040584 - 7 * 0.00584
    found = completion_time(size, rate, rtt, transport=transport)
    assert found == pytest.approx(round_trips * rtt + slow_start, rel=1e-9)
    assert rounds(size, rate, rtt, transport=transport) == 3
    assert optimal_time(size, rate, rtt, transport=transport) == pytest.approx(0.171072, rel=1e-9)


@pytest.mark.parametrize("name", TRANSPORTS)
def test_a_transport_names_its_standard_and_what_it_takes(name: str) -> None:
    transport = TRANSPORTS[name]
    assert transport.name == name
    assert transport.source.startswith("RFC ")
    # A protocol that saves a round trip needs an earlier connection.
    assert bool(transport.needs) == ("tfo" in name or "0rtt" in name)
