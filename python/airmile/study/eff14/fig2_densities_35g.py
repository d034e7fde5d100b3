"""Figure 2: densities of throughput, RTT and RTT under load, compared with EFF14's 3.5G."""

from __future__ import annotations

from functools import partial

from airmile.study._arms import network_of
from airmile.study._exhibit import Exhibit
from airmile.study._together import beside_published
from airmile.study.eff14 import _densities

fig2 = Exhibit(
    "eff14", "fig2", "section IV", "Throughput and round trips, beside EFF14's 3.5G",
    partial(_densities.densities, technology="eff14-3.5g"),
    partial(_densities.findings, technology="eff14-3.5g"),
    beside_published(_densities.picture, "source", "own"),
    caption=(
        "Kernel densities of the throughput of flows above 5 s and 1 MB without other traffic, "
        "of the handshake's round trip without other traffic, and of the round trip while another "
        "flow runs, above those of the paper's 3.5G network. The paper prints percentiles, from "
        "which its curves are made "
        "(methods I0, I2)."
    ),
    apart=network_of,
)  # fmt: skip
