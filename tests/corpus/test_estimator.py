"""The rules of tcptrace's RTT samples, each with tcptrace's own output for a made-up capture."""

from __future__ import annotations

import pytest

from tests.corpus.estimator import ACK, FIN, RST, Fact, Samples, estimate

BASE = 2**32 - 1000


def sent(ms: int, start: int, end: int, flags: int = ACK) -> tuple[bool, Fact]:
    payload = end - start
    wire = (BASE + start) % 2**32
    return False, Fact(ms * 1000, flags, 99, wire, 1, start, end, payload)


def acked(ms: int, number: int, window: int = 99, flags: int = ACK) -> tuple[bool, Fact]:
    return True, Fact(ms * 1000, flags, window, 1, (BASE + number) % 2**32, 1, 1, 0)


FIRST, SECOND, THIRD = sent(0, 1, 101), sent(10, 101, 201), sent(20, 201, 301)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ([FIRST, SECOND, acked(40, 101), acked(50, 201)], [40, 40]),
        ([FIRST, SECOND, acked(40, 201), acked(50, 101)], [30]),
        ([FIRST, SECOND, acked(40, 151), acked(50, 201)], []),
        ([FIRST, SECOND, sent(300, 1, 101), acked(340, 101), acked(350, 201)], []),
        ([FIRST, SECOND, sent(300, 101, 201), acked(340, 101), acked(350, 201)], [340]),
        ([FIRST, THIRD, sent(30, 101, 201), acked(50, 301)], []),
        ([sent(0, 1, 201), sent(300, 101, 301), acked(330, 301)], [30]),
        ([FIRST, sent(10, 101, 101, ACK | FIN), acked(40, 102)], [30]),
        ([FIRST, acked(30, 101, flags=ACK | RST)], [30]),
        ([acked(0, 1, window=0), FIRST, acked(30, 101), SECOND, acked(60, 201)], [50]),
        ([sent(0, 901, 1101), sent(10, 1101, 1201), acked(40, 1101), acked(45, 1201)], [40, 35]),
    ],
    ids=[
        "every ACK that follows a last byte",
        "an ACK that is overtaken gives none",
        "an ACK inside a segment acknowledges it without a sample",
        "what was retransmitted is ambiguous, and what is above it post-loss",
        "what is below is not",
        "something below was sent later",
        "new bytes behind repeated ones",
        "a FIN counts",
        "the ACK of a reset counts",
        "against a window of 0 nothing is taken",
        "a segment across the wrap of the numbers",
    ],
)
def test_samples(facts: list[tuple[bool, Fact]], expected: list[float]) -> None:
    _, downlink = estimate(facts)
    whole = Samples()
    for rtt_ms in expected:
        whole.add(rtt_ms)
    assert downlink == whole
