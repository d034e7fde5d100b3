"""What looks like an empty queue in a modem log and is none (methods G5), computed by hand."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import airmile as am
from airmile.study import bt19
from airmile.study.bt19._no_underflow import measurement_gap
from tests.support.made import burst, dataset, tti


def numbers(d: am.Dataset) -> dict[str, dict[str, Any]]:
    return {row["quantity"]: row for row in bt19.numbers.table(d).to_pylist()}


def test_padding_and_retransmissions_are_counted(tmp_path: Path) -> None:
    """The example of methods G5, beside a full block; what a log does not say does not count."""
    d = dataset(
        tmp_path / "d",
        ttis=[
            tti(0, 50, tbs_bytes=9422, padding_bytes=9000, retransmission=False),
            tti(1, 50, tbs_bytes=9422, padding_bytes=0, retransmission=True),
            tti(2, 50, tbs_bytes=1000, padding_bytes=None, retransmission=True),
            tti(2, 50, tbs_bytes=1000, padding_bytes=None, retransmission=False, block=1),
            tti(3, 50, tbs_bytes=1000, padding_bytes=None, retransmission=None),
        ],
        bursts=[],
    )
    found = numbers(d)
    padding = found["padding, of the bytes of downlink blocks"]
    assert (padding["value"], padding["n"]) == (pytest.approx(9000 / 18844), 2)
    again = found["ACTIVE ms with HARQ retransmissions alone"]
    assert (again["value"], again["n"]) == (pytest.approx(1 / 3), 3)


def test_what_no_log_shows_says_so(tmp_path: Path) -> None:
    found = numbers(dataset(tmp_path / "d", ttis=[tti(0, 50), tti(1, 20)], bursts=[]))
    for quantity in ("silence because of DRX", "5G NR slots"):
        assert found[quantity]["value"] is None and found[quantity]["reason"]
    assert found["silent ms of bursts that lie in measurement gaps"]["reason"]


@pytest.mark.parametrize(("period_ms", "first"), [(40, 3), (80, 77)])
def test_silence_in_measurement_gaps_is_found_among_that_of_other_users(
    tmp_path: Path, period_ms: int, first: int
) -> None:
    draw = random.Random(period_ms)
    sent = [
        ms for ms in range(4000)
        if (ms - first) % period_ms >= 6 and draw.random() < 0.8
    ]  # fmt: skip
    d = dataset(
        tmp_path / "d", ttis=[tti(ms, 50) for ms in sent],
        bursts=[burst(sent[0], sent[-1] + 1)],
    )  # fmt: skip
    gaps = numbers(d)["silent ms of bursts that lie in measurement gaps"]
    silent = sent[-1] + 1 - sent[0] - len(sent)
    inside = sum((ms - first) % period_ms < 6 for ms in range(sent[0], sent[-1]))
    assert gaps["n"] == silent
    assert gaps["value"] == pytest.approx(inside / silent)


def test_random_silence_is_no_measurement_gap() -> None:
    for seed in range(50):
        draw = random.Random(seed)
        sent = [sum(draw.random() < 0.7 for _ in range(10)) for _ in range(80)]
        assert measurement_gap(sent, [10 - each for each in sent]) is None


def test_a_few_silent_milliseconds_show_no_pattern() -> None:
    sent = [0 if 10 <= place < 16 else 1 for place in range(80)]
    assert measurement_gap(sent, [1 - each for each in sent]) is not None
    sparse = [0 if 10 <= place < 16 else place % 2 for place in range(80)]
    assert measurement_gap(sparse, [1 - each for each in sparse]) is None
