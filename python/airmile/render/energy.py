"""The report of `airmile energy`: radio-on time and energy, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from airmile._words import count, counted, percent, seconds
from airmile.render.layout import PLAIN_WIDTH, Paragraph, lay_out

if TYPE_CHECKING:
    from airmile.answers.coverage import Covered
    from airmile.answers.radio_on import Sums, Tail


def render(
    tail: Tail,
    sums: Sums,
    covered: Covered | None = None,
    filtered: str | None = None,
    width: int = PLAIN_WIDTH,
) -> str:
    """Return the tail, the sums over sessions and the ideal, in at most `width` columns.

    `covered` is the time of which the captures show anything; `filtered` says what shows that
    packets were left out of them.
    """
    return lay_out(list(_paragraphs(tail, sums, covered, filtered)), width)


def _paragraphs(
    tail: Tail, sums: Sums, covered: Covered | None, filtered: str | None
) -> Iterator[Paragraph]:
    yield Paragraph("Tail", _tail(tail))
    yield Paragraph("Radio", _radio(sums, at_least=filtered is not None))
    if filtered is not None:
        yield Paragraph("Filter", f"{filtered}: other packets may have kept the radio on")
    if covered is not None and covered.has_pauses:
        yield Paragraph("Time", _time(covered))
    yield Paragraph("Ideal", _ideal(sums))
    yield Paragraph("Next", "--format csv gives a row per session; methods F3 says how")


def _tail(tail: Tail) -> str:
    if tail.is_given:
        return f"{seconds(tail.low_s)}, as given"
    least, most = seconds(tail.low_s), tail.high_s
    found = f"at least {least}" if most is None else f"{least} to {seconds(most)}"
    text = (
        f"{found}: after {counted(tail.awake, 'silence')} the radio was awake, after "
        f"{count(tail.woken)} it had to wake up"
    )
    if tail.contradicted:
        text += f"; {count(tail.contradicted)} of them contradict this, so tails differed"
    if most is None:
        text += "; no silence shows how long it is at most, give it with --tail"
    return text


def _time(covered: Covered) -> str:
    return (
        f"{counted(covered.captures, 'capture')} cover {seconds(covered.covered_s)} of "
        f"{seconds(covered.whole_s)}; what the radio did between them is unknown, and not counted"
    )


def _radio(sums: Sums, *, at_least: bool) -> str:
    on, energy = _between(sums.radio_on_s, seconds), _between(sums.energy_j, _joule)
    least = "at least " if at_least and not on.startswith("at least") else ""
    return (
        f"on for {least}{on} in {counted(sums.sessions, 'session')}, with "
        f"{_promotions(sums, at_least=at_least)} and {least}{energy}"
    )


def _promotions(sums: Sums, *, at_least: bool) -> str:
    """Return how often the radios woke up; the longer the tail, the more seldom."""
    most, fewest = sums.promotions
    if most is not None and fewest is None:
        # Packets that a filter left out may have woken the radio too, or kept it awake.
        return (
            "an unknown number of promotions" if at_least else f"at most {count(most)} promotions"
        )
    least = "at least " if at_least else ""
    return f"{least}{_between(sums.promotions, count)} promotions"


def _ideal(sums: Sums) -> str:
    if not sums.with_ideal:
        return "unknown: no flow's bandwidth was estimated"
    text = (
        f"the same bytes at the estimated bandwidth, and one tail: "
        f"{_between(sums.ideal_radio_on_s, seconds)} and {_between(sums.ideal_energy_j, _joule)}"
    )
    if sums.with_ideal < sums.sessions:
        text += (
            f", for the {counted(sums.with_ideal, 'session')} whose bandwidth is known; these took "
            f"{_between(sums.beside_ideal_s, seconds)} and {_between(sums.beside_ideal_j, _joule)}"
        )
    low, ideal = sums.beside_ideal_j[0], sums.ideal_energy_j[0]
    if low and ideal is not None and ideal < low:
        text += f"; {percent(1 - ideal / low)} of the energy could be saved"
    return text


def _between(values: tuple[float | None, float | None], form: Callable[[float], str]) -> str:
    short, long = values
    if short is None or long is None:
        return "an unknown amount" if short is None else f"at least {form(short)}"
    low, high = form(min(short, long)), form(max(short, long))
    return low if low == high else f"{low} to {high}"


def _joule(energy_j: float) -> str:
    return f"{energy_j / 1e3:.3g} kJ" if energy_j >= 1e3 else f"{energy_j:.3g} J"
