"""The results of a comparison, and sentences that claim no more than the data show."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from airmile._words import count, counted
from airmile.comparison._difference import Difference, Needed
from airmile.comparison.inference._arrays import LEVEL

_SCALES = {
    "bps": (("Gbps", 1e9), ("Mbps", 1e6), ("kbps", 1e3), ("bps", 1.0)),
    "bytes": (("GB", 1e9), ("MB", 1e6), ("KB", 1e3), ("B", 1.0)),
    "ratio": (("points", 0.01),),
}


@dataclass(frozen=True)
class Result:
    """One of several differences, with its adjusted p-value.

    Attributes
    ----------
    difference : Difference
        The difference of the two groups.
    holm : float
        The p-value, adjusted for the whole family of comparisons.
    family : int
        The number of comparisons in the family.
    needed : list of Needed
        How many samples would show differences that were chosen before the data were seen.
    """

    difference: Difference
    holm: float
    family: int
    needed: list[Needed]

    @property
    def shown(self) -> bool:
        """Whether the data show a difference: both interval and p-value exclude no difference."""
        return self.holm <= LEVEL and self.difference.excludes_zero

    @property
    def sentence(self) -> str:
        """A sentence that claims no more than the data show."""
        return sentence(self)


def sentence(result: Result) -> str:
    """Return the sentence of a result: figure, interval, p-value, and what these show.

    The interval and the p-value belong to the named figure.
    """
    found = result.difference
    figure = "mean" if found.estimate == "mean" else "median (Hodges-Lehmann)"
    amount, interval = _amounts(result)
    what = "higher" if found.value > 0 else "lower"
    said = (
        f"{found.b.label}'s {figure} {found.metric} is {amount} {what} than {found.a.label}'s"
        if found.value
        else f"{found.b.label}'s {figure} {found.metric} is that of {found.a.label}"
    )
    return f"{said}; {interval}, {_p(result)}: {_data(result)} {_verdict(result)}."


def _amounts(result: Result) -> tuple[str, str]:
    found = result.difference
    word = amount(found.unit, found.value, found.low, found.high)
    if found.low is None or found.high is None:
        return word(abs(found.value)), "too few samples for a 95 % interval"
    return word(abs(found.value)), f"95 % interval {word.number(found.low)} to {word(found.high)}"


def _p(result: Result) -> str:
    if result.family == 1:
        return p_word(result.difference.p_value)
    return f"{p_word(result.holm)} among {result.family} comparisons (Holm)"


def _data(result: Result) -> str:
    found = result.difference
    if found.pairs is not None:
        return f"these {counted(found.pairs, 'pair')}".replace("\u00a0", " ")
    sizes = f"{count(found.a.n)} and {count(found.b.n)} {found.a.word}s"
    return f"these {sizes}".replace("\u00a0", " ")


def _verdict(result: Result) -> str:
    if result.shown:
        return "show a difference"
    return "do not show which is higher"


def p_word(p_value: float) -> str:
    """Return a p-value with two significant digits.

    >>> p_word(0.0312), p_word(0.00001), p_word(0.4)
    ('p = 0.031', 'p < 0.001', 'p = 0.40')
    """
    if p_value < 0.001:
        return "p < 0.001"
    return f"p = {p_value:.2f}" if p_value >= 0.1 else f"p = {p_value:.2g}"


@dataclass(frozen=True)
class Amount:
    """Writes amounts of one unit with the same number of decimals.

    Attributes
    ----------
    unit : str
        The unit, as it is printed.
    per : float
        How much one of it is, in the unit of the values.
    decimals : int
        The number of decimals.
    """

    unit: str
    per: float
    decimals: int

    def __call__(self, value: float) -> str:
        """Return an amount with its unit."""
        return f"{self.number(value)} {self.unit}".rstrip()

    def number(self, value: float) -> str:
        """Return an amount without its unit."""
        # What is rounded to minus zero is written as zero.
        return f"{round(value / self.per, self.decimals) + 0.0:.{self.decimals}f}"

    def finer(self, more: int) -> Amount:
        """Return the same with more decimals."""
        return replace(self, decimals=self.decimals + more)


def amount(unit: str, *values: float | None) -> Amount:
    """Return what writes amounts, in the unit that fits the largest of some values.

    >>> amount("bps", 3.1e6, -0.4e6)(-0.4e6), amount("ms", 12.0)(12.0), amount("", 0.5)(0.5)
    ('-0.4 Mbps', '12.0 ms', '0.50')

    An end of an interval that is not 0 is not written as 0, where one or two decimals show that.

    >>> amount("ms", 0.03, 5.1)(0.03)
    '0.03 ms'
    """
    known = [value for value in values if value is not None]
    largest = max(map(abs, known), default=0.0)
    scales = _SCALES.get(unit, ((unit, 1.0),))
    name, per = next((each for each in scales if largest >= each[1]), scales[-1])
    usual = Amount(name, per, _digits(largest / per))
    return _first_finer(usual, lambda word: all(float(word.number(each)) for each in known if each))


def of_groups(results: Sequence[Result], *values: float) -> Amount:
    """Return what writes values of groups so that the sentences about them can be followed.

    It has as many decimals as the difference of two written means needs in order to be the written
    difference, where the figure is the difference of the means.
    """
    means = [result for result in results if _is_of_means(result)]
    unit = results[0].difference.unit if results else ""
    return _first_finer(amount(unit, *values), lambda word: all(_follows(r, word) for r in means))


_MOST_FINER = 3
"""More decimals than usual that are tried."""


def _first_finer(usual: Amount, fits: Callable[[Amount], bool]) -> Amount:
    """Return the amount with the fewest more decimals that fits; the usual one if none does."""
    finer = (usual.finer(more) for more in range(_MOST_FINER + 1))
    return next((word for word in finer if fits(word)), usual)


def _is_of_means(result: Result) -> bool:
    """Return whether the figure is the difference of the means of the two groups.

    A median is not, nor is a mean of pairs where some samples have no partner.
    """
    found = result.difference
    of_groups = float(found.b.values.mean() - found.a.values.mean())
    return found.estimate == "mean" and math.isclose(found.value, of_groups, rel_tol=1e-6)


def _follows(result: Result, word: Amount) -> bool:
    """Return whether the difference of the written means is the written difference."""
    found = result.difference
    said = amount(found.unit, found.value, found.low, found.high)
    a, b = (float(word.number(each.values.mean())) * word.per for each in (found.a, found.b))
    return said.number(b - a) == said.number(found.value)


def _digits(largest: float) -> int:
    """Return the number of decimals that leaves about three digits."""
    if largest >= 100 or largest == 0:
        return 0
    if largest >= 1:
        return 1
    digits = 2
    while largest * 10**digits < 10 and digits < 9:
        digits += 1
    return digits
