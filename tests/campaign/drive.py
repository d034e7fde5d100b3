"""What a drive of HWY18 meets: handovers and SINR of downloads of 20 MB, beside the paper's.

``python -m tests.campaign.drive [SEEDS]`` prints them. The downloads are played in virtual time
over the link of the experiment ``hwy18_drive``, with a queue that is always full: what is shown is
the drive's alone, without TCP.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from airmile.campaign.design import Arm, Trial
from airmile.testbed import Download, simulate_download

BYTES = 20_700_000
"""20 MB with the headers of IP and TCP."""

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


def link() -> dict[str, object]:
    """Return the settings of the link of the experiment."""
    return dict(Trial(Arm("drive", "hwy18_drive"), 1).experiment().link)


def downloads(seeds: int) -> list[Download]:
    """Play one download for each seed."""
    settings = link()
    return [simulate_download({**settings, "seed": seed}, BYTES) for seed in range(1, seeds + 1)]


def share(found: Sequence[Download], handovers: int) -> float:
    """Return the share of downloads with this number of handovers or more."""
    return sum(one.handovers >= handovers for one in found) / len(found)


def levels(values: Sequence[float]) -> list[float]:
    """Return the quantiles `LEVELS` of values."""
    ordered = sorted(values)
    return [ordered[int(level * (len(ordered) - 1))] for level in LEVELS]


def lines(found: Sequence[Download]) -> list[str]:
    """Return the figures beside those of the paper."""
    sinr_db = levels([one.sinr_db for one in found if one.sinr_db is not None])
    mbps = levels([20 * 8 / one.seconds for one in found if one.seconds])
    rows = [
        ("with a handover or more, %", f"{100 * share(found, 1):.1f}", "35 (section 5.5)"),
        ("with two or more, %", f"{100 * share(found, 2):.1f}", "below 4 (section 5.5)"),
        ("mean SINR, dB", _listed(sinr_db), "0 to 30, fairly uniform (figure 3): 1.5 8 15 22 28"),
        ("throughput, Mbps", _listed(mbps), "- 7 11.6 20 - (figure 6, table 1)"),
    ]
    head = f"{len(found)} downloads; quantiles {_listed([100 * level for level in LEVELS], 0)} %"
    return [head, *(f"{name:28} {ours:24} paper: {paper}" for name, ours, paper in rows)]


def _listed(values: Sequence[float], digits: int = 1) -> str:
    return " ".join(f"{value:.{digits}f}" for value in values)


if __name__ == "__main__":
    print("\n".join(lines(downloads(int(sys.argv[1]) if len(sys.argv) > 1 else 240))))
