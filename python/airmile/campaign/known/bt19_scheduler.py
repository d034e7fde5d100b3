"""BT19 section 3.2.3: how a scheduler carries slow transfers in an idle and in a busy cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from airmile.campaign.design import Arm, Campaign, Short, Statement
from airmile.study._radio import scheduled

if TYPE_CHECKING:
    from airmile.store import Tables

BUSY = [{"count": 4, "rate": {"kind": "constant", "mbps": 20}, "traffic": {"kind": "full"}}]
"""The settings of the competing users of the busy cell."""


def _share(least: float) -> Callable[[Tables], str]:
    """Return rows: the share of scheduled ms with at least `least` of the SISO resources."""
    return lambda dataset: (
        f"""SELECT run, avg((siso_share >= {least})::INT) AS value
        FROM {scheduled(dataset)} GROUP BY run"""
    )


LAYERS = 2
"""The number of layers on which the link sends."""


def _true_share(least: float) -> str:
    """Return SQL for the same share from the link's truth, which counts the PRBs of one layer."""
    return f"""SELECT run, avg((prbs * {LAYERS} >= {least} * cell_prbs)::INT) AS value
        FROM truth_ttis WHERE direction = 'downlink' AND prbs > 0 GROUP BY run"""


SCHEDULER = (
    "The emulated scheduler gives each millisecond to one user, as the paper found: that follows "
    "from the emulation. How much waits until a user is served does not. As in figure 5, PRBs "
    "count times layers: the emulated cell sends on two, so that a quarter of the PRBs is half of "
    "the resources."
)


ALONE = (
    "at the SINR of the link, a single packet takes about half of the resources of a millisecond, "
    "and in an idle cell each packet is sent alone"
)

CAMPAIGN = Campaign(
    study="bt19",
    section="section 3.2.3",
    title="does the scheduler send slow transfers in large bursts?",
    arms=[
        Arm(
            f"{transport}-{cell}",
            "bt19_slow",
            {
                "workload.udp": transport == "udp",
                "workload.seconds": 60,
                "longest_s": 120,
                "link.downlink.competitors": competitors,
                "link.downlink.rate.layers": LAYERS,
            },
            expected_s=61,
            megabytes=20,
        )
        for transport in ("tcp", "udp")
        for cell, competitors in (("idle", []), ("busy", BUSY))
    ],
    whole=15,
    quick=7,
    exhibits=["fig3", "fig4", "fig5"],
    statements=[
        Statement(
            "idle cell: scheduled milliseconds with half of the resources or more",
            "section 3.2.3, figure 5", "more than 50 %", None, "of them", "mean", _share(0.5),
            "*-idle", side=1, no_effect=0.5, truth=_true_share(0.5), because=SCHEDULER,
            set_by=ALONE,
        ),
        Statement(
            "busy cell: scheduled milliseconds with half of the resources or more",
            "section 3.2.3, figure 5", "more than 50 %", None, "of them", "mean", _share(0.5),
            "*-busy", side=1, no_effect=0.5, truth=_true_share(0.5), because=SCHEDULER,
        ),
        Statement(
            "share of such milliseconds over UDP relative to TCP", "section 3.2.3",
            "no significant difference (1)", 1, "", "ratio", _share(0.5), "udp-*", "tcp-*",
            truth=_true_share(0.5),
        ),
    ],
    notes=[
        "Fifteen minutes for each of four cases: five transfers of a minute, as often as the paper "
        "had carriers. They meet one emulated cell, idle or with four full buffers.",
    ],
    short=Short({"workload.seconds": 8}, 9, "Each transfer lasts 8 s in place of a minute."),
)  # fmt: skip
