"""The efficiency of short flows in the statements of EFF14, from runs that are made up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest

from airmile.campaign.known import _efficiency
from airmile.dataset import Dataset
from airmile.model import efficiency

SIZE_BYTES = 320 * 1024


@dataclass(frozen=True)
class Made:
    """A dataset that answers each query with these rows."""

    rows: list[dict[str, Any]]

    def sql(self, _query: str) -> pa.Table:
        return pa.Table.from_pylist(self.rows)


def run(letter: str, seed: int, rate_bps: float, rtt_ms: float | None) -> dict[str, Any]:
    return {
        "run": f"4g-{letter}-{seed}", "letter": letter, "seed": seed, "rate_bps": rate_bps,
        "handshake_rtt_ms": rtt_ms,
    }  # fmt: skip


def values(rows: list[dict[str, Any]]) -> dict[str, float]:
    found = _efficiency.rows_of(SIZE_BYTES)(cast(Dataset, Made(rows)))
    assert not isinstance(found, str)
    return {str(each["run"]): each["value"] for each in found}


LONG = [run("A", 1001, 10e6, 40.0), run("A", 1002, 60e6, 41.0)]


def test_a_run_has_the_mean_efficiency_over_the_rates_of_long_flows() -> None:
    found = values([*LONG, run("B", 1, 5e6, 40.0), run("C", 1, 4e6, 60.0)])
    rates = np.array([10e6, 60e6])
    alone = efficiency(SIZE_BYTES, rates, 0.040).mean()
    beside = efficiency(SIZE_BYTES, rates, 0.060, flows=2, unloaded_rtt_s=0.040).mean()
    assert found == {"4g-B-1": pytest.approx(alone), "4g-C-1": pytest.approx(beside)}


def test_the_round_trip_under_load_decides_whether_the_efficiency_rises() -> None:
    # Half of the rate raises the efficiency; a round trip that grows ninefold lowers it.
    short = values([*LONG, run("B", 1, 5e6, 40.0), run("C", 1, 4e6, 41.0)])
    long = values([*LONG, run("B", 1, 5e6, 40.0), run("C", 1, 4e6, 360.0)])
    assert short["4g-C-1"] > short["4g-B-1"]
    assert long["4g-C-1"] < long["4g-B-1"]


def test_without_long_flows_or_the_round_trip_alone_there_is_no_value() -> None:
    assert values([run("B", 1, 5e6, 40.0)]) == {}
    assert set(values([*LONG, run("B", 1, 5e6, None), run("C", 1, 4e6, 60.0)])) == set()


def test_the_links_of_4g_have_a_lower_efficiency_than_those_of_3_5g() -> None:
    for size_bytes in _efficiency.SIZES_BYTES.values():
        assert _efficiency.alone_on("lte", size_bytes) < _efficiency.alone_on("hspa", size_bytes)
