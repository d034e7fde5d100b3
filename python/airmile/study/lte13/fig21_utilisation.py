"""Figure 21: the share of the estimated bandwidth that large flows use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import percent
from airmile.study._curves import Curve, Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import BEFORE_RADIO, Needs
from airmile.study.lte13 import _flows, _utilisation

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

FLOW, PHONE = "flow, as in the paper", "phone, all its flows"
SERVED = "flow, over the time of service"

PUBLISHED = {FLOW: [(0.198, 0.5), (0.5, 0.713), (1.0, 0.936)]}


def table(dataset: Tables) -> pa.Table:
    """Return the distributions of used over estimated bandwidth by three definitions (methods E4).

    A flow counts while other flows carry at most a tenth of its phone's bytes; the phone counts
    whatever its flows are.
    """
    used = _utilisation.used(dataset)
    flows = _flows.tcp(dataset, "utilisation_ratio")
    wanted = [
        Curve(FLOW, f"SELECT flow_ratio AS value FROM {used}", (0.5, 1.0)),
        Curve(PHONE, f"SELECT phone_ratio AS value FROM {used}", (0.5, 1.0)),
        Curve(SERVED, f"SELECT utilisation_ratio AS value FROM {flows}", (0.5, 1.0)),
    ]
    return curves(dataset, wanted, _utilisation.UNUSED, f"{_flows.HOW_LARGE}; {_flows.MONITOR}")


def findings(rows: pa.Table) -> list[Finding]:
    """Return median and shares, with the paper's numbers for the paper's definition."""
    found = []
    for name in names(rows):
        own, beside = Points(rows, name), name == FLOW
        found += [
            Finding(f"{name}: median", percent(own.quantile(0.5)), "19.8 %" * beside, own.n),
            Finding("  below a half", percent(own.share_to(0.5)), "71.3 %" * beside, own.n),
            Finding("  above one", percent(1 - own.share_to(1.0)), "6.4 %" * beside, own.n),
        ]
    return found


fig21 = Exhibit(
    "lte13", "fig21", "section 6.3", "Used over estimated bandwidth of large flows", table,
    findings, Picture("used / estimated bandwidth", log=False, published=PUBLISHED, reach=(0, 1)),
    needs=Needs(places=BEFORE_RADIO),
    caption=(
        "Distribution over large downloads of the bandwidth that was used, over the bandwidth "
        "estimated: by the flow, where other flows of its phone carried at most a tenth of the "
        "bytes, and by all flows of the phone in the time of the flow. The paper divides by the "
        "whole time of the flow; the last curve divides by the time in which it was served, and "
        "is of flows alone on their phone (methods E3, E4)."
    ),
)  # fmt: skip
