"""What a report writes: its figures follow from each other as they are written."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import airmile
from airmile.comparison import Comparison, Result
from airmile.render import compare

DRIVES = Path(__file__).parent.parent / "data" / "compare" / "drives.csv"
MEAN = re.compile(r"mean (-?[\d.]+) Mbps")
HIGHER = re.compile(r"is ([\d.]+) Mbps (higher|lower)")


def written(found: Comparison) -> tuple[float, str, str]:
    """Return the difference of the written means, and the figure of the sentence."""
    text = compare.render(found).replace("\u00a0", " ").replace("\n", " ")
    first, second = map(float, MEAN.findall(text)[:2])
    figure, direction = re.findall(HIGHER, re.sub(r" +", " ", text))[0]
    return second - first, figure, direction


def test_the_written_means_differ_by_the_written_difference() -> None:
    between, figure, direction = written(airmile.compare(DRIVES, by="congestion_control"))
    assert (f"{between:.{len(figure.partition('.')[2])}f}", direction) == (figure, "higher")


@pytest.mark.parametrize("seed", range(20))
def test_they_do_so_whatever_the_rates_are(seed: int, tmp_path: Path) -> None:
    random = np.random.default_rng(seed)
    rows = [
        f"{turn},{control},{value:.6f}"
        for control in "ab"
        for turn, value in enumerate(random.normal(13, 3, 9))
    ]
    (tmp_path / "x.csv").write_text("\n".join(["iteration,cc,rate_mbps", *rows]))
    between, figure, direction = written(airmile.compare(tmp_path / "x.csv", by="cc"))
    decimals = len(figure.partition(".")[2])
    assert f"{abs(between):.{decimals}f}" == figure
    assert (between > 0) == (direction == "higher")


def test_an_interval_that_excludes_no_difference_is_not_written_as_one_that_ends_there(
    tmp_path: Path,
) -> None:
    rows = [
        f"{turn},{control},{turn % 5 + more + (turn % 3) * more * 0.8:.3f}"
        for control, more in (("a", 0.0), ("b", 3.0))
        for turn in range(9)
    ]
    (tmp_path / "x.csv").write_text("\n".join(["iteration,cc,delay_ms", *rows]))
    (result,) = airmile.compare(tmp_path / "x.csv", by="cc", metric="delay_ms").results
    for low in (0.03, 0.004):
        sentence = _with_low(result, low).sentence
        assert f"95 % interval {low} to" in sentence


def _with_low(result: Result, low: float) -> Result:
    return replace(result, difference=replace(result.difference, low=low))
