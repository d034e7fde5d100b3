"""Table 1: rates and round trips of flows without pauses, and those of earlier studies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import digits
from airmile.store._needs import Missing
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._numbers import quantile
from airmile.study.lte13 import _flows

if TYPE_CHECKING:
    from airmile.store import Tables

HERE = "here"

QUANTITIES = {
    "downlink": ("dl_rate_bps / 1e3", "dl_fair"),
    "uplink": ("ul_rate_bps / 1e3", "ul_fair"),
    "handshake RTT": ("handshake_rtt_ms", f"(dl_fair OR ul_fair) AND {_flows.AWAKE}"),
}
"""The value of each quantity, in kbps or ms, and the condition of its flows."""

UNITS = {"downlink": "kbps", "uplink": "kbps", "handshake RTT": "ms"}

PERCENTILES = (5, 50, 95)

LEAST = 2
"""Flows that percentiles need (methods I4)."""

PRINTED: dict[str, tuple[tuple[float, float, float], ...]] = {
    "LTE13, 2012": ((569, 9185, 24229), (38, 2286, 8361), (30, 70, 467)),
    "3GTest, 2009, low end": ((74, 556, 1921), (24, 207, 434), (125, 160, 645)),
    "3GTest, 2009, high end": ((222, 970, 2943), (52, 331, 664), (182, 200, 809)),
    "4GTest, 2011, LTE": ((2112, 12740, 30812), (387, 5640, 19358), (37, 70, 127)),
    "4GTest, 2011, WiMAX": ((431, 4670, 10344), (172, 1160, 1595), (89, 125, 213)),
    "SpeedTest, New York, cellular": ((108, 1678, 12922), (52, 772, 5428), (68, 159, 786)),
    "SpeedTest, New York, WiFi": ((404, 7040, 17617), (177, 2020, 10094), (21, 54, 336)),
    "SpeedTest, Madison, cellular": ((99, 895, 3485), (55, 478, 1389), (99, 184, 773)),
    "SpeedTest, Madison, WiFi": ((347, 5742, 14173), (168, 1064, 5251), (24, 69, 343)),
    "SpeedTest, Manchester, cellular": ((28, 1077, 3842), (25, 396, 1659), (98, 221, 912)),
    "SpeedTest, Manchester, WiFi": ((267, 4717, 15635), (180, 745, 5589), (34, 92, 313)),
}
"""The 5th, 50th and 95th percentile as LTE13 prints them, rates in kbps and round trips in ms.

3GTest has a range over carriers. The paper calls the first number that of the worst carrier. This
cannot be right for round trips, of which the first number is the shorter one.
"""

_SCHEMA = pa.schema(
    [("study", pa.string()), ("quantity", pa.string()), ("unit", pa.string()), ("n", pa.int64())]
    + [(f"p{percentile}", pa.float64()) for percentile in PERCENTILES]
    + [("reason", pa.string())]
)


def table(dataset: Tables) -> pa.Table:
    """Return a row per study and quantity: percentiles of fair flows without proxy (methods D1)."""
    rows = [_here(dataset, quantity) for quantity in QUANTITIES]
    if all(row["reason"] for row in rows):
        raise Missing(f"{dataset.path}: {rows[0]['reason']}", _flows.HOW_LARGE)
    for study, printed in PRINTED.items():
        rows += [
            {"study": study, "quantity": quantity, "unit": UNITS[quantity], **_by_name(values)}
            for quantity, values in zip(QUANTITIES, printed, strict=True)
        ]
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def _here(dataset: Tables, quantity: str) -> dict[str, object]:
    value, fair = QUANTITIES[quantity]
    flows = _flows.tcp(
        dataset, "dl_rate_bps", "ul_rate_bps", "handshake_rtt_ms", "dl_fair", "ul_fair",
        "vantage", "handshake_after_idle",
    )  # fmt: skip
    found = [dataset.arrow(quantile(value, each / 100, flows, fair)) for each in PERCENTILES]
    n = int(found[0].column(1)[0].as_py())
    known = {"study": HERE, "quantity": quantity, "unit": UNITS[quantity], "n": n}
    if n < LEAST:
        return {**known, "reason": _too_few(n)}
    return {**known, "reason": None, **_by_name([each.column(0)[0].as_py() for each in found])}


def _too_few(flows: int) -> str:
    counted = "no flow" if flows == 0 else f"only {flows} flow"
    return f"{counted} without proxy that is large and without a pause; percentiles need {LEAST}"


def _by_name(values: tuple[float, ...] | list[float]) -> dict[str, object]:
    return {f"p{each}": value for each, value in zip(PERCENTILES, values, strict=True)}


def findings(rows: pa.Table) -> list[Finding]:
    """Return the measured percentiles and LTE13's own; the table has those of earlier studies."""
    printed = dict(zip(QUANTITIES, PRINTED["LTE13, 2012"], strict=True))
    return [
        Finding(
            f"{row['quantity']} ({row['unit']}): 5 / 50 / 95 %", _three(row),
            " / ".join(f"{value:g}" for value in printed[row["quantity"]]), row["n"],
            row["reason"] or "",
        )
        for row in rows.to_pylist() if row["study"] == HERE
    ]  # fmt: skip


def _three(row: dict[str, float | None]) -> str:
    values = [row[f"p{each}"] for each in PERCENTILES]
    known = [digits(value) for value in values if value is not None]
    return " / ".join(known) or "unknown"


table1 = Exhibit(
    "lte13", "table1", "section 4.4", "Rates and round trips beside earlier studies", table,
    findings,
    caption=(
        "Percentiles of throughput and handshake round trip beside the paper's and those of "
        "earlier studies. Counted are flows without proxy that are large and never pause "
        "(methods D1)."
    ),
)  # fmt: skip
