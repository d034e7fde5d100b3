"""LTE13 section 6.1, figure 18: the tick of the phone's clock from two packets 3 s apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from airmile.campaign.design import Arm, Campaign, Statement
from airmile.store import Tables, _runs
from airmile.study import Missing
from airmile.study.lte13 import fig18_tick as fig18

TICKS_MS = (1, 3.33, 10)
"""The ticks of kernels with HZ = 1000, 300 and 100."""


def _errors(dataset: Tables) -> Iterator[dict[str, Any]]:
    """Yield the mean error of each run's tick from packets 3 s apart, in percent."""
    for run, folder in _runs.folders(dataset.path, dataset.manifest).items():
        try:
            rows = fig18.table(Tables(folder)).to_pylist()
        except Missing:
            continue
        for row in rows:
            if row["apart_s"] == fig18.CHOSEN_S:
                yield {"run": run, "value": 100 * row["error_mean_ratio"]}


def _tick(tick_ms: float) -> str:
    return f"SELECT run, tick_ms / {tick_ms} AS value FROM flows WHERE tick_ms IS NOT NULL"


DELAYS = (
    "The error is by how much the delays of the two packets differ: 0.1 % of 3 s is 3 ms. Uplink "
    "grants of the emulated link, asked for at most once in 10 ms, make them differ by more."
)

CAMPAIGN = Campaign(
    study="lte13",
    section="section 6.1",
    title="how far must two packets be apart to show the tick of a clock?",
    arms=[
        Arm(
            f"tick{tick_ms:g}ms",
            "bulk_download",
            {
                "workload.bytes": 1_000_000_000,
                "workload.seconds": 15,
                "link.downlink.rate": {"kind": "constant", "mbps": 10},
                "hosts.phone.timestamp_tick_ms": tick_ms,
            },
            expected_s=16,
            megabytes=12,
        )
        for tick_ms in TICKS_MS
    ],
    whole=20,
    quick=7,
    exhibits=["fig18"],
    statements=[
        *(
            Statement(
                f"tick of {tick_ms:g} ms: error from packets 3 s apart", "section 6.1, figure 18",
                "less than 0.1 %", 0.1, "%", "mean", _errors, f"tick{tick_ms:g}ms", bound=-1,
                because=DELAYS,
            )
            for tick_ms in TICKS_MS
        ),
        *(
            Statement(
                f"tick of {tick_ms:g} ms as the capture shows it, relative to the true tick",
                "section 6.1", "1", 1, "", "mean", _tick(tick_ms), f"tick{tick_ms:g}ms",
                set_by="the link rewrites the phone's timestamps to this tick",
            )
            for tick_ms in TICKS_MS
        ),
    ],
    notes=[
        "The paper has 30 minutes of two devices; here the packets of one download of 15 s are "
        "paired, and the tick is what the link sets.",
        "No kernel has a setting of the tick: the link rewrites the timestamps of what leaves the "
        "phone.",
    ],
)  # fmt: skip
