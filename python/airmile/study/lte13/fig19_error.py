"""Figure 19: the error of the bandwidth estimate against the throughput at the phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import percent, rate
from airmile.store._needs import Missing
from airmile.study._curves import Curve, Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._panels import Panels
from airmile.study.lte13 import _pair

if TYPE_CHECKING:
    from airmile.store import Tables

WINDOWS_S = (1.0, 0.1)

ESTIMATORS = {"queue_evident": "queue", "c_rule": "as in the paper"}

ACTUAL = "throughput at the phone"
"""The distribution beside which those of the estimates are, over windows of 1 s."""

ERRORS = {
    f"{spoken}, windows of {width_s:g} s": (estimator, width_s)
    for estimator, spoken in ESTIMATORS.items()
    for width_s in WINDOWS_S
}
"""Estimator and width of the windows of each distribution of errors."""

ESTIMATES = {f"estimate, {spoken}": estimator for estimator, spoken in ESTIMATORS.items()}

PUBLISHED_MEAN = {1.0: "7.9 %", 0.1: "slightly above"}


def table(dataset: Tables) -> pa.Table:
    """Give the distributions of the error without its sign, and of both rates (methods E5).

    `value` is a fraction or bit/s; `mean` is that of the values of the curve.
    """
    if not dataset.columns("e5"):
        raise Missing(f"{dataset.path}: no table 'e5'", _pair.HOW)
    wanted = _wanted(_pair.windows(dataset))
    rows = curves(dataset, wanted, _pair.LACKING, _pair.HOW)
    means = {each.name: _mean(dataset, each) for each in wanted}
    column = pa.array([means[name] for name in rows["curve"].to_pylist()], pa.float64())
    return rows.append_column("mean", column)


def _wanted(windows: str) -> list[Curve]:
    errors = [
        Curve(
            name,
            f"""SELECT abs(error_ratio) AS value FROM {windows}
            WHERE source = '{estimator}' AND window_s = {width_s}""",
            (0.1,),
        )
        for name, (estimator, width_s) in ERRORS.items()
    ]
    actual = f"""SELECT any_value(throughput_bps) AS value FROM {windows}
        WHERE window_s = {WINDOWS_S[0]} GROUP BY run, ue, time_ns"""
    estimates = [
        Curve(
            name,
            f"""SELECT bandwidth_bps AS value FROM {windows}
            WHERE source = '{estimator}' AND window_s = {WINDOWS_S[0]}""",
        )
        for name, estimator in ESTIMATES.items()
    ]
    return [*errors, Curve(ACTUAL, actual), *estimates]


def _mean(dataset: Tables, curve: Curve) -> float | None:
    (row,) = dataset.records(f"SELECT avg(value) AS mean FROM ({curve.values})")
    mean: float | None = row["mean"]
    return mean


def findings(rows: pa.Table) -> list[Finding]:
    """Give mean and median of each error, how often it is below a tenth, and the rates' medians."""
    means = dict(zip(rows["curve"].to_pylist(), rows["mean"].to_pylist(), strict=True))
    found = []
    for name in names(rows):
        own = Points(rows, name)
        if name not in ERRORS:
            found.append(Finding(f"median, {name}", rate(own.quantile(0.5)), "", own.n))
            continue
        published = PUBLISHED_MEAN[ERRORS[name][1]]
        found += [
            Finding(f"mean, {name}", percent(means[name]), published, own.n),
            Finding("  median", percent(own.quantile(0.5)), "", own.n),
            Finding("  up to 10 %", percent(own.share_to(0.1)), "", own.n),
        ]
    return found


fig19 = Exhibit(
    "lte13", "fig19", "section 6.2", "Error of the bandwidth estimate", table, findings,
    Panels(
        [
            Picture("error of the estimate, without its sign", log=False, limits=(0, 1),
                    names=list(ERRORS)),
            Picture("windows of 1 s (Mbps)", log=False, per=1e6, names=[ACTUAL, *ESTIMATES]),
        ]
    ),
    caption=(
        "Distribution of the error of the bandwidth estimate, without its sign, over windows of "
        "1 s and 0.1 s, beside those of the throughput at the phone and of the estimates. The "
        "throughput at the phone while its link was busy counts as the truth. \u201cQueue\u201d is "
        "airmile's estimate from the time in which packets waited; \u201cas in the paper\u201d "
        "samples bursts sent above 30 Mbps (methods E2, E5)."
    ),
)  # fmt: skip
