"""The efficiency of short flows from the runs of EFF14: figures 5 and 6 as statements.

As in section V, the efficiency of a flow follows from its round trip, which is that of its
handshake, and from the capacity, which is the throughput of long flows (run A). Both are drawn
independently, so that a run's value is the mean over all long flows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from airmile.campaign.design import Rows, Statement
from airmile.model import efficiency
from airmile.testbed.experiment import networks

if TYPE_CHECKING:
    from airmile.store import Tables

SIZES_BYTES = {"35.9 KiB": 35.9 * 1024, "320 KiB": 320 * 1024}
"""The sizes that the paper names: that of most flows of LTE13, and that of its own short flows."""

SEEDS = range(1, 31)
"""The seeds of run B in the whole campaign."""

DRAWN = (
    "Our links of 3.5G and 4G are drawn from the paper's rates and round trips, from which this "
    "follows: the line checks the draw."
)
ASSUMED = (
    "That the round trip of 4G hardly grows follows from its queue, which we chose so; the paper "
    "does not say what keeps it short."
)

PAYLOAD_RATIO = 1460 / 1500
"""The payload of a full packet over its bytes with headers, which a link's rate counts."""

RUNS = """
    SELECT trial.run, split_part(trial.run, '-', 2) AS letter, seed, rate_bps, handshake_rtt_ms
    FROM trials AS trial JOIN flows USING (run, uid)
    WHERE trial.background IS NULL AND kind = 'download' AND (
        regexp_matches(trial.run, '-[AB]-cubic-[0-9]+$') OR trial.run LIKE '%-C-cubic-cubic-%')"""
"""SQL of the long flows (A), and of short flows alone (B) and beside a long flow (C), by CUBIC."""


def statements() -> Iterator[Statement]:
    """Yield what figures 5 and 6 show."""
    for spoken, size_bytes in SIZES_BYTES.items():
        yield Statement(
            f"4G: efficiency of {spoken} alone, below that of our 3.5G links",
            "section V, figure 5", "worse for 4G", None, "", "mean", rows_of(size_bytes),
            "4g-B-cubic", side=-1, no_effect=alone_on("hspa", size_bytes), group="4g",
            because=DRAWN,
        )  # fmt: skip
        for group, published, side in (("3.5g", "a reduction", -1), ("4g", "an improvement", 1)):
            yield Statement(
                f"{group.upper()}: efficiency of {spoken} beside a flow relative to alone",
                "section V, figure 6", published, None, "", "ratio", rows_of(size_bytes),
                f"{group}-C-cubic-cubic", f"{group}-B-cubic", side=side, no_effect=1, group=group,
                because=ASSUMED if group == "4g" else "",
            )  # fmt: skip


def alone_on(network: str, size_bytes: float) -> float:
    """Return the mean efficiency of a flow alone on the links of a preset, as they are drawn."""
    links = [networks.EFF14[network].link(seed) for seed in SEEDS]
    rates_bps = [link["downlink"]["rate"]["mbps"] * 1e6 * PAYLOAD_RATIO for link in links]
    fixed_ms = networks.EFF14[network].fixed_ms
    rtts_s = [(2 * link["path_downlink"]["delay_ms"] + fixed_ms) / 1e3 for link in links]
    drawn = efficiency(size_bytes, np.array(rates_bps)[:, None], np.array(rtts_s)[None, :])
    return round(float(drawn.mean()), 3)


def rows_of(size_bytes: float) -> Rows:
    """Return the efficiency of a size in each run with a short flow."""

    def rows(dataset: Tables) -> Iterator[dict[str, Any]]:
        found = dataset.sql(RUNS).to_pylist()
        rates = np.array([run["rate_bps"] for run in found if run["letter"] == "A"], dtype=float)
        short = [run for run in found if run["letter"] in "BC" and run["handshake_rtt_ms"]]
        alone = {run["seed"]: _rtt_s(run) for run in short if run["letter"] == "B"}
        for run in short:
            alone_s = alone.get(run["seed"])
            if rates.size and alone_s is not None:
                flows = 2 if run["letter"] == "C" else 1
                each = efficiency(
                    size_bytes, rates, _rtt_s(run), flows=flows, unloaded_rtt_s=alone_s
                )
                yield {"run": run["run"], "value": float(each.mean())}

    return rows


def _rtt_s(run: dict[str, Any]) -> float:
    return float(run["handshake_rtt_ms"]) / 1e3
