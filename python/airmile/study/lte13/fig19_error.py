"""Figure 19: the error of the bandwidth estimate against the throughput at the phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import percent
from airmile.store._needs import Missing
from airmile.study._curves import Curve, Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding
from airmile.study.lte13 import _pair

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.dataset import Dataset

WINDOWS_S = (1.0, 0.1)

ESTIMATORS = {"queue_evident": "queue", "c_rule": "as in the paper"}


def table(dataset: Dataset) -> pa.Table:
    """Return the distributions of the absolute error, by window and estimator (methods E5)."""
    if not dataset.columns("e5"):
        raise Missing(f"{dataset.path}: no table 'e5'", _pair.HOW)
    windows = _pair.windows(dataset)
    wanted = [
        Curve(
            f"{spoken}, windows of {width_s:g} s",
            f"""SELECT abs(error_ratio) AS value FROM {windows}
            WHERE source = '{estimator}' AND window_s = {width_s}""",
            (0.1,),
        )
        for estimator, spoken in ESTIMATORS.items()
        for width_s in WINDOWS_S
    ]
    return curves(dataset, wanted, _pair.LACKING, _pair.HOW)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the median error, and how often it is below a tenth; figure 20 has the mean."""
    found = []
    for name in names(rows):
        own = Points(rows, name)
        found.append(Finding(f"median, {name}", percent(own.quantile(0.5)), "", own.n))
        found.append(Finding("  up to 10 %", percent(own.share_to(0.1)), "", own.n))
    return found


fig19 = Exhibit(
    "lte13", "fig19", "section 6.2", "Error of the bandwidth estimate", table, findings,
    Picture("error of the estimate, without its sign", log=False, limits=(0, 1)),
    caption=(
        "Distribution of the error of the bandwidth estimate, without its sign, over windows of "
        "1 s and 0.1 s. The truth is the throughput at the phone while its link was busy "
        "(methods E5)."
    ),
)  # fmt: skip
