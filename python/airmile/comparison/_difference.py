"""The difference of two groups in one metric: interval, p-value and assumptions."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from airmile._errors import UsageError
from airmile._scipy import special
from airmile._words import NBSP, counted
from airmile.comparison._groups import Group
from airmile.comparison._pairing import Pairs, in_common
from airmile.comparison.inference import (
    assumptions,
    effect,
    means,
    needed,
    serial,
    shift,
    signs,
    welch,
)
from airmile.comparison.inference._arrays import LEVEL, Array
from airmile.comparison.inference.effect import Effect

MEAN, MEDIAN = "mean", "median"
"""The figures that can be compared; one is chosen before the data are seen."""


@dataclass(frozen=True)
class Needed:
    """How many samples would show a difference that was chosen before the data were seen.

    `trials` is None above ten million. `source` says where the difference comes from.
    """

    difference: float
    trials: int | None
    source: str


@dataclass(frozen=True)
class Difference:
    """How much larger the second of two groups is than the first.

    Attributes
    ----------
    metric : str
        The column that is compared.
    unit : str
        The unit of the column.
    a, b : Group
        The two groups; `value` is the figure of `b` minus that of `a`.
    estimate : str
        ``mean``: mean of the differences, or difference of the means. ``median``: Hodges and
        Lehmann.
    pairs : int or None
        The number of pairs; None if the samples are not paired.
    value, low, high : float
        The difference and its 95 % interval; its ends are None if there are too few samples for
        one.
    p_value : float
        The p-value of the difference, not adjusted for other comparisons.
    test : str
        The test that gives the p-value.
    interval : str
        The method that gives the interval.
    effect : Effect
        The effect size, without a unit, and its interval.
    correlation : float or None
        Lag-1 autocorrelation of the paired differences; None if it was not estimated.
    effective_n : float
        How many independent pairs, or samples of both groups, would be as informative.
    blocks : int or None
        The number of blocks that count as independent; None if each pair counts as independent.
    deviations : tuple of float
        Standard deviation of the paired differences, or of the samples of each group.
    others : dict of str to float
        p-values of other tests, which do not decide anything.
    notes : list of str
        Which assumptions do not hold, and what was left out.
    """

    metric: str
    unit: str
    a: Group
    b: Group
    estimate: str
    pairs: int | None
    value: float
    low: float | None
    high: float | None
    p_value: float
    test: str
    interval: str
    effect: Effect
    correlation: float | None
    effective_n: float
    blocks: int | None
    deviations: tuple[float, ...]
    others: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies entirely on one side of zero."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high

    def needs(self, wanted: float, level: float = LEVEL) -> int | None:
        """Return how many pairs, or samples of each group, would show a difference of `wanted`."""
        more = needed.RANKS if self.estimate == MEDIAN else 1.0
        fewest = 2
        if self.pairs is None:
            first, second = self.deviations
            found = needed.each_group(wanted, (first, second), level)
        else:
            more *= self.pairs / self.effective_n
            found, fewest = needed.pairs(wanted, self.deviations[0], level), signs.fewest(level)
        return None if found is None else max(fewest, int(np.ceil(found * more)))


def of_pairs(a: Group, b: Group, found: Pairs, metric: str, unit: str, estimate: str) -> Difference:
    """Compare two groups by their pairs.

    Raises
    ------
    UsageError
        All differences have the same value.
    """
    _check_spread(a, b, metric, estimate)
    differences = found.differences
    if np.ptp(differences) == 0:
        raise UsageError(
            f"{a.label} and {b.label}: all {differences.size} differences of {metric} are "
            f"{differences[0]:g}", _NO_SPREAD,
        )  # fmt: skip
    order = serial.of(differences, found.series, _noticeable(estimate))
    if estimate == MEAN:
        value, (low, high), p_value, how = _mean_of_pairs(differences, order)
        size = effect.paired(differences, order.effective_n)
    else:
        value, (low, high), p_value, how = _median_of_pairs(differences, order)
        size = effect.signed(differences, order.effective_n)
    return Difference(
        metric, unit, a, b, estimate, differences.size, value, low, high, p_value,
        "sign flips" + (" of blocks" if order.blocks is not None else ""), how, size,
        order.correlation, order.effective_n,
        None if order.blocks is None else int(order.blocks.max()) + 1,
        (float(means.deviation(differences)),), {},
        list(_of_pairs(found, differences, order, estimate, a.word)),
    )  # fmt: skip


def _noticeable(estimate: str) -> float:
    return serial.FOR_MEANS if estimate == MEAN else serial.FOR_RANKS


Judged = tuple[float, tuple[float | None, float | None], float, str]
"""The figure, its interval, its p-value, and the method that gives the interval."""

_NO_SPREAD = "without spread there is nothing to test: are they copies of one measurement?"


def _mean_of_pairs(differences: Array, order: serial.Serial) -> Judged:
    if order.blocks is not None:
        sums = serial.totals(differences, order.blocks)
        sizes = serial.totals(np.ones(differences.size), order.blocks)
        bounds = means.studentised_blocks(sums, sizes)
        how = "studentised bootstrap of blocks"
        if sums.size < means.FEWEST_FOR_BOOTSTRAP:
            how = "Student's t of blocks"
        p_value = signs.p_value(sums)
    else:
        few = differences.size < means.FEWEST_FOR_BOOTSTRAP
        bounds = means.student(differences) if few else means.studentised(differences)
        how = "Student's t" if few else "studentised bootstrap"
        p_value = signs.p_value(differences)
    return float(differences.mean()), (float(bounds[0]), float(bounds[1])), float(p_value), how


def _median_of_pairs(differences: Array, order: serial.Serial) -> Judged:
    terms = shift.signed_ranks(differences)
    widening = 1.0
    if order.blocks is not None:
        blocks = serial.totals(terms, order.blocks)
        widening = max(1.0, float(np.sqrt((blocks**2).sum() / (terms**2).sum())))
        terms = blocks
    value, bounds = shift.pseudomedian(differences, widening)
    return value, bounds or (None, None), float(signs.p_value(terms)), "signed ranks"


def _of_pairs(
    found: Pairs, differences: Array, order: serial.Serial, estimate: str, word: str
) -> list[str]:
    notes = []
    if found.unmatched:
        are = "is" if found.unmatched == 1 else "are"
        left = counted(found.unmatched, word).replace(NBSP, " ")
        notes.append(f"{left} without a partner {are} left out")
    independent = differences.size if order.blocks is None else int(order.blocks.max()) + 1
    if signs.least_p_value(independent) > LEVEL:
        what = "pairs" if order.blocks is None else "blocks"
        notes.append(
            f"{independent} {what} cannot show a difference, however large: sign flips need 6"
        )
    if order.blocks is not None:
        notes.append(
            f"differences resemble their neighbours (autocorrelation {order.correlation:.2f}): "
            f"{differences.size} are as good as {order.effective_n:.0f}, and "
            f"{independent} blocks are compared"
        )
    required = assumptions.needed_for(differences)
    if estimate == MEAN and differences.size < required:
        notes.append(
            f"the differences are skewed ({assumptions.skewness(differences):.1f}): sign flips "
            f"suppose symmetry, or some {required} pairs"
        )
    return notes


def of_groups(a: Group, b: Group, metric: str, unit: str, estimate: str) -> Difference:
    """Compare two groups whose samples are not paired.

    Raises
    ------
    UsageError
        All values of a group are equal.
    """
    _check_spread(a, b, metric, estimate)
    orders = [serial.of(group.values, group.codes(), _noticeable(estimate)) for group in (a, b)]
    share = _shared(a, b, orders)
    rank_sum = shift.rank_sum_p_value(a.values, b.values)
    by_welch = float(welch.p_value(a.values, b.values))
    if estimate == MEAN:
        value, (low, high), how = _means(a.values, b.values)
        p_value, size = by_welch, effect.unpaired(a.values, b.values)
    else:
        value, bounds = shift.shift(a.values, b.values)
        (low, high), how = bounds or (None, None), "rank sums"
        p_value, size = rank_sum, effect.cliff(a.values, b.values)
    others = {"rank sums": rank_sum} if estimate == MEAN else {"Welch": by_welch}
    return Difference(
        metric, unit, a, b, estimate, None, value, _wider(low, value, share),
        _wider(high, value, share), _weaker(p_value, share),
        "Welch" if estimate == MEAN else "rank sums", how, size, None,
        sum(order.effective_n for order in orders), None,
        (float(means.deviation(a.values)), float(means.deviation(b.values))), others,
        list(_of_groups(a, b, orders, estimate)),
    )  # fmt: skip


def _check_spread(a: Group, b: Group, metric: str, estimate: str) -> None:
    constant = [group for group in (a, b) if np.ptp(group.values) == 0]
    if constant and (estimate == MEAN or len(constant) == 2):
        group = constant[0]
        raise UsageError(
            f"{group.label}: all {group.n} values of {metric} are {group.values[0]:g}",
            "a mean without spread cannot be tested: check the column, or compare ranks "
            "(--estimate median)" if len(constant) == 1 else _NO_SPREAD,
        )  # fmt: skip


def _means(a: Array, b: Array) -> tuple[float, tuple[float | None, float | None], str]:
    few = min(a.size, b.size) < means.FEWEST_FOR_BOOTSTRAP
    bounds = welch.interval(a, b)
    if not few:
        drawn = means.studentised_difference(a, b)
        few = not (np.isfinite(drawn[0]) and np.isfinite(drawn[1]))
        bounds = bounds if few else drawn
    how = "Welch" if few else "studentised bootstrap"
    return float(b.mean() - a.mean()), (float(bounds[0]), float(bounds[1])), how


def _shared(a: Group, b: Group, orders: list[serial.Serial]) -> float:
    """Return the error of independent samples divided by that of these samples."""
    parts = [float(group.values.var(ddof=1)) for group in (a, b)]
    alone = sum(part / group.n for part, group in zip(parts, (a, b), strict=True))
    here = sum(part / order.effective_n for part, order in zip(parts, orders, strict=True))
    return float(np.sqrt(alone / here)) if here > 0 else 1.0


def _wider(bound: float | None, middle: float, share: float) -> float | None:
    return None if bound is None else middle + (bound - middle) / share


def _weaker(p_value: float, share: float) -> float:
    """Return the p-value of a normal deviate after the deviate is multiplied by a share."""
    if share == 1.0:
        return p_value
    return float(2 * special().ndtr(share * special().ndtri(p_value / 2)))


def _of_groups(a: Group, b: Group, orders: list[serial.Serial], estimate: str) -> list[str]:
    notes = []
    common = in_common(a, b)
    if common:
        notes.append(
            f"{common} {a.word}s are in both groups, so that the samples are not independent: "
            f"--pair {'iteration' if a.word == 'iteration' else 'COLUMN'} compares these"
        )
    for group, order in zip((a, b), orders, strict=True):
        if order.blocks is not None:
            notes.append(
                f"{group.label}: values resemble their neighbours (autocorrelation "
                f"{order.correlation:.2f}): {group.n} are as good as {order.effective_n:.0f}"
            )
        required = assumptions.needed_for(group.values)
        if estimate == MEAN and group.n < required:
            notes.append(
                f"{group.label}: {group.n} values are few for a mean, for they are skewed "
                f"({assumptions.skewness(group.values):.1f}): some {required} would do"
            )
    if estimate == MEDIAN and assumptions.spreads_differ(a.values, b.values):
        notes.append(
            "the spreads differ: the p-value says which group is larger more often, and does not "
            "compare medians"
        )
    return notes
