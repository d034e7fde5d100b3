"""The sentences of a comparison, which claim no more than the data show."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from airmile._words import count, counted

if TYPE_CHECKING:
    from airmile.comparison.result import Result

_SCALES = {
    "bps": (("Gbps", 1e9), ("Mbps", 1e6), ("kbps", 1e3), ("bps", 1.0)),
    "bytes": (("GB", 1e9), ("MB", 1e6), ("KB", 1e3), ("B", 1.0)),
    "ratio": (("points", 0.01),),
}


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
    low = word(found.low).partition(" ")[0]
    return word(abs(found.value)), f"95 % interval {low} to {word(found.high)}".rstrip()


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


def amount(unit: str, *values: float | None) -> Callable[[float], str]:
    """Return a function that writes amounts in the unit that fits the largest of some values.

    >>> amount("bps", 3.1e6, -0.4e6)(-0.4e6), amount("ms", 12.0)(12.0), amount("", 0.5)(0.5)
    ('-0.4 Mbps', '12.0 ms', '0.50')
    """
    largest = max((abs(value) for value in values if value is not None), default=0.0)
    scales = _SCALES.get(unit, ((unit, 1.0),))
    name, scale = next((each for each in scales if largest >= each[1]), scales[-1])
    digits = _digits(largest / scale)
    return lambda value: f"{value / scale + 0.0:.{digits}f} {name}".rstrip()


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
