"""A middlebox shows by restarts, or a throughput gap, on the standard ports alone (methods C7)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import airmile
from airmile.comparison._middlebox import Middlebox

RANDOM = np.random.default_rng(8)
PAIRS = 25
"""The number of pairs in BT19 (section 5.1)."""


def found(folder: Path, columns: dict[int, tuple[float, float | None]]) -> Middlebox:
    """Compare ports, each with a mean rate and a share of gaps with a restart."""
    lines = ["iteration,port,rate_mbps,restart_ratio"]
    for turn in range(PAIRS):
        channel = RANDOM.normal(0, 2)
        for port, (rate, share) in columns.items():
            value = rate + channel + RANDOM.normal(0, 0.3)
            lines.append(f"{turn},{port},{value:.3f},{'' if share is None else share}")
    path = folder / "ports.csv"
    path.write_text("\n".join(lines))
    middlebox = airmile.compare(path, by="port").middlebox
    assert middlebox is not None
    return middlebox


def test_a_lower_rate_on_standard_ports_alone_names_it(tmp_path: Path) -> None:
    box = found(tmp_path, {80: (6, None), 443: (6.1, None), 7777: (10, None)})
    assert box.ports == ["80", "443"]
    assert "port" in box.sentence and "slower than 7777" in box.sentence


def test_restarts_on_standard_ports_alone_name_it(tmp_path: Path) -> None:
    box = found(tmp_path, {80: (10, 1.0), 7777: (10, 0.0)})
    assert box.ports == ["80"]
    assert "senders restart after 100% of idle gaps on 80, after 0% on 7777" in box.sentence


def test_one_standard_port_may_have_it_alone(tmp_path: Path) -> None:
    box = found(tmp_path, {80: (6, None), 443: (10, None), 7777: (10, None)})
    assert box.ports == ["80"]


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({80: (10, None), 443: (10, None), 7777: (10, None)}, "neither"),
        ({80: (10, 1.0), 7777: (10, 1.0)}, "neither"),
        ({80: (12, None), 7777: (10, None)}, "neither"),
        ({80: (6, None), 443: (10, None)}, "another one, as 7777"),
        ({8000: (6, None), 7777: (10, None)}, "standard port"),
        ({80: (6, None), 7777: (10, None), 7000: (6, None)}, "neither"),
    ],
    ids=["alike", "the server restarts", "faster", "no other port", "no standard port", "another"],
)
def test_nothing_else_names_it(
    tmp_path: Path, columns: dict[int, tuple[float, float | None]], why: str
) -> None:
    box = found(tmp_path, columns)
    assert box.ports == []
    assert why in box.sentence


def test_other_comparisons_say_nothing_of_it(tmp_path: Path) -> None:
    found(tmp_path, {80: (6, None), 7777: (10, None)})
    path = tmp_path / "ports.csv"
    path.write_text(path.read_text().replace("port", "cc", 1))
    assert airmile.compare(path, by="cc").middlebox is None


def test_ports_without_a_common_iteration_are_compared_without_pairs(tmp_path: Path) -> None:
    lines = ["iteration,port,rate_mbps"]
    lines += [f"{turn},80,{RANDOM.normal(6, 1):.3f}" for turn in range(PAIRS)]
    lines += [f"{turn},7777,{RANDOM.normal(10, 1):.3f}" for turn in range(100, 100 + PAIRS)]
    path = tmp_path / "ports.csv"
    path.write_text("\n".join(lines))
    box = airmile.compare(path, by="port", paired=False).middlebox
    assert box is not None
    assert box.ports == ["80"]


def test_unpaired_ports_are_not_paired_by_the_test_of_middleboxes(tmp_path: Path) -> None:
    lines = ["iteration,port,rate_mbps"]
    for turn in range(PAIRS):
        channel = RANDOM.normal(0, 20)
        lines += [f"{turn},{port},{channel + 100 + port / 7777}" for port in (80, 7777)]
        lines[-1] += f"{turn % 3}"
    path = tmp_path / "ports.csv"
    path.write_text("\n".join(lines))
    box = airmile.compare(path, by="port", paired=False).middlebox
    assert box is not None
    assert box.ports == []
