"""Table I: percentiles of downlink throughput and handshake round trip, measured and published.

Measured throughputs are of short and long flows together, as those of the paper's runs A and B
(methods I0); LTE13's are of flows above 1 MB without pauses (methods D1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from airmile._words import digits
from airmile.model import Percentiles
from airmile.study._arms import network_of
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._source import Source
from airmile.study.eff14._sources import (
    CAPACITY,
    LOADED,
    Rows,
    Series,
    beside,
    table,
    tried,
)
from airmile.study.eff14._studies import STUDIES, Study

SCHEMA = pa.schema(
    {
        **{"source": pa.string(), "own": pa.bool_(), "time": pa.string()},
        **{"location": pa.string(), "technology": pa.string(), "quantity": pa.string()},
        **{"samples": pa.int64(), "p5": pa.float64(), "p50": pa.float64(), "p95": pa.float64()},
        **{"remark": pa.string(), "reason": pa.string()},
    }
)

QUANTITIES = {
    "downlink_kbps": ("throughputs_bps", 1e-3, "downlink throughput (kbps)"),
    "rtt_ms": ("rtts_s", 1e3, "handshake RTT (ms)"),
}
"""For each quantity: its group of samples, the factor to its unit, and its title."""


def rows(source: Source) -> pa.Table:
    """Return one row per quantity and study, measured ones first; nulls if there are no samples."""
    series = beside(source)
    own = [row for name in QUANTITIES for each in series for row in _own(each, name)]
    others = [_printed(study, name) for name in QUANTITIES for study in STUDIES]
    return table([*own, *others], SCHEMA, series, _REMARKS, without=[CAPACITY, LOADED])


def _own(series: Series, quantity: str) -> Rows:
    group, per_unit, _ = QUANTITIES[quantity]
    known = {"quantity": quantity, "samples": series.count(group)}

    def percentiles(series: Series) -> Rows:
        values = np.percentile(series.group(group) * per_unit, (5, 50, 95))
        return [{**known, **dict(zip(("p5", "p50", "p95"), values, strict=True))}]

    return tried(series, percentiles, **known)


def _printed(study: Study, quantity: str) -> dict[str, Any]:
    percentiles: Percentiles = getattr(study, quantity)
    return {
        **{"source": study.name, "own": False, "time": study.time, "location": study.location},
        **{"technology": study.technology, "quantity": quantity},
        **{"p5": percentiles.p5, "p50": percentiles.p50, "p95": percentiles.p95},
        "remark": study.remark if quantity == "rtt_ms" else None,
    }


_REMARKS = [f"Table I, RTT of {each.name}: {each.remark}" for each in STUDIES if each.remark]


def findings(table: pa.Table) -> list[Finding]:
    """Return the measured percentiles, followed by those that the paper printed."""
    found = []
    for name, (_, _, title) in QUANTITIES.items():
        found.append(Finding(f"{title}, 5 / 50 / 95 %", ""))
        found += [_line(row) for row in table.to_pylist() if row["quantity"] == name]
    return found


def _line(row: dict[str, Any]) -> Finding:
    if row["p50"] is None:
        return Finding(f"  {row['source']}, n = {row['samples']}", "too few")
    three = " / ".join(digits(row[level]) for level in ("p5", "p50", "p95"))
    if not row["own"]:
        return Finding(f"  {row['source']}", "", f"{three} (WiFi)" if row["remark"] else three)
    number = "" if row["samples"] is None else f", n = {row['samples']}"
    return Finding(f"  {row['source']}{number}", three)


table1 = Exhibit(
    "eff14", "table1", "section IV", "Throughput and round trips beside other studies",
    rows, findings,
    caption=(
        "Percentiles of throughput and round trip beside those of the paper and of the studies "
        "that it compares with. Measured throughput is that of flows of 320 KiB or more without "
        "other traffic of the phone, from the SYN to the last payload; figures 2 and 3 show the "
        "long ones among them (methods I0)."
    ),
    apart=network_of,
)  # fmt: skip
