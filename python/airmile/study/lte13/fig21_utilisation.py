"""Figure 21: the share of the estimated bandwidth that large flows use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import percent
from airmile.store._definitions import LARGE
from airmile.study._curves import Curve, Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding
from airmile.study.lte13 import _flows

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.dataset import Dataset

PAPER, SERVED = "as in the paper", "over the time of service"

PUBLISHED = {PAPER: [(0.198, 0.5), (0.5, 0.713), (1.0, 0.936)]}


def table(dataset: Dataset) -> pa.Table:
    """Return the distributions of used over estimated bandwidth by two definitions (methods E4)."""
    flows = _flows.tcp(dataset, "utilisation_paper_ratio", "utilisation_ratio")
    wanted = [
        Curve(PAPER, f"SELECT utilisation_paper_ratio AS value FROM {flows}", (0.5, 1.0)),
        Curve(SERVED, f"SELECT utilisation_ratio AS value FROM {flows}", (0.5, 1.0)),
    ]
    how = f"{_flows.MONITOR}; a download above {LARGE} must have its phone's link for itself"
    return curves(dataset, wanted, _flows.UNUSED, how)


def findings(rows: pa.Table) -> list[Finding]:
    """Return median and shares, with the paper's numbers for the paper's definition."""
    found = []
    for name in names(rows):
        own, beside = Points(rows, name), name == PAPER
        found += [
            Finding(f"{name}: median", percent(own.quantile(0.5)), "19.8 %" * beside, own.n),
            Finding("  below a half", percent(own.share_to(0.5)), "71.3 %" * beside, own.n),
            Finding("  above one", percent(1 - own.share_to(1.0)), "6.4 %" * beside, own.n),
        ]
    return found


fig21 = Exhibit(
    "lte13", "fig21", "section 6.3", "Used over estimated bandwidth of large flows", table,
    findings, Picture("used / estimated bandwidth", log=False, published=PUBLISHED, reach=(0, 1)),
    caption=(
        "Distribution over large downloads, each alone on its phone, of the bandwidth that it "
        "used, over the bandwidth estimated. The paper divides by the whole time of the flow; "
        "the other curve by the time in which it was served (methods E4)."
    ),
)  # fmt: skip
