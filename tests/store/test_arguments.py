"""Numbers of the public API: an error names the argument and its range."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airmile
from airmile._arguments import shown
from airmile.answers import derived
from airmile.dataset import Dataset
from tests.support.handmade import flow, write

NOT_WHOLE = (
    *(True, 1.0, 1.5, float("nan"), float("inf"), b"2", [1], np.float64(2), np.bool_(True)),
    *(np.array([1, 2]), Decimal(2), 1j, object()),
)
NEGATIVE = (-1, np.int64(-1), -(10**400))
WRONG = (*NOT_WHOLE, *NEGATIVE, None, "2", 2**64, 10**400)
"""What is no number of threads, and no number of a flow."""

NO_NUMBERS = (True, None, "2", b"2", 1j, object(), [True], ["2"], 10**400, np.array(["2"]))
"""What is no number, nor an array of numbers."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return write(tmp_path / "own.airmile", {"flows": [flow(1)]})


def refused(name: str, call: Callable[[], Any]) -> None:
    with pytest.raises(airmile.InputError) as caught:
        call()
    assert isinstance(caught.value, airmile.UsageError) and caught.value.exit_code == 2
    assert caught.value.message.startswith(name) and len(str(caught.value)) < 400


@pytest.mark.parametrize("value", WRONG, ids=lambda value: shown(value)[:20])
def test_a_wrong_number_of_threads(place: Path, value: Any) -> None:
    refused("threads", lambda: Dataset(place, threads=value))
    refused("threads", lambda: airmile.analyze("x.pcap", threads=value))
    refused("threads", lambda: airmile.radio("x.qmdl", threads=value))
    refused("threads", lambda: airmile.align("x.pcap", "y.pcap", threads=value))


@pytest.mark.parametrize("value", [0, 1, 1024, np.int8(2), np.uint64(3)])
def test_a_right_number_of_threads(place: Path, value: int) -> None:
    assert Dataset(place, threads=value)._threads == value


@pytest.mark.parametrize("value", [*NOT_WHOLE, *NEGATIVE, 0], ids=lambda value: shown(value)[:20])
def test_a_wrong_amount_of_memory(value: Any) -> None:
    refused("memory", lambda: airmile.analyze("x.pcap", memory=value))


@pytest.mark.parametrize("value", WRONG, ids=lambda value: shown(value)[:20])
def test_a_wrong_uid(place: Path, value: Any) -> None:
    refused("uid", lambda: Dataset(place).packets(value))
    refused("uid", lambda: list(Dataset(place).packets_of([1, value])))


def test_a_uid_is_no_sql(place: Path) -> None:
    refused("uid", lambda: Dataset(place).packets("1) OR (true"))  # type: ignore[arg-type]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: shown(value)[:20])
def test_what_is_no_number_for_the_model(value: Any) -> None:
    model = airmile.model
    refused("size_bytes", lambda: model.completion_time(value, 1e6, 0.1))
    refused("rate_bps", lambda: model.optimal_time(1000, value, 0.1))
    refused("rtt_s", lambda: model.efficiency(1000, 1e6, value))
    if value is not None:
        refused("initial_window", lambda: model.rounds(1000, 1e6, 0.1, initial_window=value))


@pytest.mark.parametrize("value", [*NOT_WHOLE, *NEGATIVE, "2"], ids=lambda value: shown(value)[:20])
def test_wrong_draws_and_seeds(value: Any) -> None:
    rates, rtts = [1e6, 2e6, 3e6], [0.05, 0.06, 0.07]
    refused(
        "draws", lambda: airmile.model.monte_carlo(rates, rtts, [1000], draws=value, paired=False)
    )
    refused(
        "seed", lambda: airmile.model.monte_carlo(rates, rtts, [1000], seed=value, paired=False)
    )


@pytest.mark.parametrize("value", [0, 0.0, -0.0, float("nan"), float("inf"), True, "1", 10**400])
def test_a_wrong_difference(tmp_path: Path, value: Any) -> None:
    refused("difference", lambda: airmile.compare(tmp_path / "x.csv", difference=value))


@pytest.mark.parametrize("value", [-1, 0, float("nan"), float("inf"), True, None, "x", 10**400])
def test_a_wrong_tail(place: Path, value: Any) -> None:
    refused("the tail", lambda: derived.table(Dataset(place), "radio_on", value))
