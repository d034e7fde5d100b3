"""The statements of a campaign on its page: a picture, a table, and the rule that judged them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from airmile._intervals import Estimate
from airmile._words import counted, percent
from airmile.campaign import picture
from airmile.campaign.results import Outcome
from airmile.render.study_page_parts import svg, text

if TYPE_CHECKING:
    from airmile.campaign.design import Statement
    from airmile.campaign.measured import Line

CLASSES = {
    "not": "bad", "direction only": "part", "undecided": "open", "too few": "few",
    "no value": "none", "reproduced": "good", "set": "set", "not run": "none",
}  # fmt: skip
"""The CSS class of each outcome, in the order of the table: what is not reproduced comes first."""

STYLE = """<style>
.outcome { white-space: nowrap; font-weight: 600; padding: .05rem .45rem; border-radius: 3px;
  color: #1b1f24; border: 1px solid transparent; }
.outcome.good { background: #d9efdc; } .outcome.part { background: #fdf0c8; }
.outcome.bad { background: #f8d7d3; } .outcome.open { background: #e8ebee; }
.outcome.few { background: #fff; border: 1px dashed #5d6670; }
.outcome.none { background: none; border: 0; padding-left: 0; color: var(--grey);
  font-style: italic; font-weight: 400; }
.outcome.set { background: #fff; border: 1px solid #4a6fa5; font-weight: 400; }
.statements td, .statements th { text-align: left; padding-right: .9rem; }
.statements small { display: block; color: var(--grey); max-width: 22rem; }
@media (max-width: 40rem) {
  .statements thead { display: none; }
  .statements tr { display: block; padding: .5rem 0; }
  .statements th, .statements td, .statements td:last-child { display: block; padding: .1rem 0; }
  .statements td[data-is]:not(:empty)::before { content: attr(data-is) " "; color: var(--grey); }
}
</style>"""

RULE = (
    "<b>Reproduced</b>: our 95 % interval lies wholly within {margin} of the published value, or "
    "on the published side of it where that is the least or the most. "
    "<b>Direction only</b>: it excludes no effect on the published side. <b>Not</b>: it excludes "
    "no effect on the other side, or lies wholly outside the margin where no direction is "
    "published. <b>Undecided</b>: none of these. <b>Too few</b>: fewer samples than its test needs "
    "to decide it either way. <b>No value</b>: the runs do not give one. <b>Not run</b>: its arms "
    "are not in this form of the campaign. <b>Set</b>: our value follows from the settings of the "
    "experiment, whatever TCP does, so that nothing is tested. "
    "What excludes does so after Holm's procedure for the {family} that the plan tests "
    "(methods H7)."
)


def section(found: Outcome) -> Iterator[str]:
    """Yield the parts of the section about the statements, as HTML."""
    yield '<section id="statements"><h3>What the paper states, and what came out</h3>'
    drawn = _picture(found)
    margin = percent(found.plan.margin)
    if drawn:
        yield (
            "<p>Our value over the published one, with its 95 % interval. The grey band is within "
            f"{text(margin)} of the published value, and reaches to the end of the axis where the "
            "paper states \u201cover\u201d or \u201cless than\u201d. A diamond is the value that "
            "means no effect, where the paper states a direction. Thin lines with a hollow mark "
            "are not tested: set, or too few."
            f"{_undrawn(found)}</p><figure>{drawn}</figure>"
        )
    head = "".join(
        f"<th>{each}</th>" for each in ("", "published", "ours, 95 % interval", "n", "outcome")
    )
    rows = "".join(_row(line) for line in ordered(found))
    yield (
        f"<div class=wide><table class=statements><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )
    yield f"<p class=source>{rule(found)}</p></section>"


def ordered(found: Outcome) -> list[Line]:
    """Return the lines in the order of the table: what is not reproduced comes first."""
    order = list(CLASSES)
    return sorted(found.lines, key=lambda line: order.index(line.outcome))


def counts(found: Outcome) -> str:
    """Return the number of statements with each outcome, in the order of the table."""
    outcomes = [line.outcome for line in found.lines]
    return ", ".join(f"{outcomes.count(each)} {each}" for each in CLASSES if each in outcomes)


def rule(found: Outcome) -> str:
    """Return the rule of a page in words, as HTML."""
    family = counted(found.plan.family, "statement")
    return RULE.format(margin=text(percent(found.plan.margin)), family=text(family))


def _picture(found: Outcome) -> str:
    """Return the picture of the statements, wide and narrow; the style sheet shows one of them."""
    both = {
        kind: picture.draw(ordered(found), found.plan.margin, narrow=kind == "narrow")
        for kind in ("broad", "narrow")
    }
    return "".join(
        f"<div class={kind}>"
        f"{svg(figure, f'statements-{kind}', 'Our values over the published ones')}</div>"
        for kind, figure in both.items()
        if figure is not None
    )


def _undrawn(found: Outcome) -> str:
    """Return a sentence on the statements that the picture lacks, if there are any."""
    if all(picture.drawn(line) for line in found.lines):
        return ""
    return " Statements without a published number, or without a value of ours, are not drawn."


def _row(line: Line) -> str:
    statement = line.statement
    outcome = f'<span class="outcome {CLASSES[line.outcome]}">{line.outcome}</span>'
    return (
        f"<tr><th>{text(statement.quantity)}<small>{text(statement.section)}, "
        f"{text(_ESTIMATORS[statement.estimator])}</small></th>"
        f'<td data-is="published:">{text(statement.published)}</td>'
        f'<td data-is="ours:">{_ours(line)}</td><td class=n data-is="n =">{_n(line)}</td>'
        f"<td>{outcome}{_p(line)}</td></tr>"
    )


def _n(line: Line) -> str:
    """Return the number of samples, and how many decide the statement if that is more."""
    if line.found is None:
        return ""
    needed = line.planned.least or 0
    more = f"<small>of {needed}</small>" if line.found.n < needed else ""
    return f"{line.found.n}{more}"


def _ours(line: Line) -> str:
    """Return our value with its interval, the value by the truth, and why ours may differ."""
    statement = line.statement
    ours = text(_spoken(line.found, statement)) if line.found else ""
    if line.reason:
        ours += f"<small>{line.outcome}: {text(line.reason)}</small>"
    truth = because = ""
    if line.truth:
        truth = f"<small>by the link's truth {text(_interval(line.truth))}</small>"
    if statement.because:
        because = f"<small>{text(statement.because)}</small>"
    return ours + truth + because


def _spoken(found: Estimate, statement: Statement) -> str:
    """Return our value with its interval; a change in percent, as papers print it."""
    if statement.estimator == "change":
        value, low, high = (100 * each for each in (found.value, found.low, found.high))
        spoken = _interval(replace(found, value=value, low=low, high=high), "%")
        spoken = f"+{spoken}" if value > 0 else spoken
    else:
        spoken = _interval(found, statement.unit)
    return spoken if _bounded(found) else f"{spoken} (too few samples for an interval)"


def _bounded(found: Estimate) -> bool:
    return not (math.isinf(found.low) and math.isinf(found.high))


def _p(line: Line) -> str:
    """Return the p-value against no effect, if a direction is published."""
    if line.p_value is None or not line.statement.side:
        return ""
    word = "&lt; 0.0001" if line.p_value < 1e-4 else f"= {line.p_value:.2g}"
    return f"<small>no effect: p {word}</small>"


_ESTIMATORS = {
    "mean": "mean of the samples", "share": "share of the samples",
    "median": "median of the samples",
    "p5": "5th percentile of the samples", "p95": "95th percentile of the samples",
    "difference": "mean of the paired differences", "change": "median of the paired changes",
    "ratio": "ratio of the paired means",
}  # fmt: skip


def _interval(found: Estimate, unit: str = "") -> str:
    """Return a value and its interval with as many digits as the width of the interval needs.

    >>> _interval(Estimate(9, 30.003, 29.9907, 30.0157, p_value=lambda _: 1), "s")
    '30.00 (29.99 to 30.02) s'
    >>> _interval(Estimate(1, 30.003, -math.inf, math.inf, p_value=lambda _: 1), "s")
    '30 s'
    """
    unit = f" {unit}" if unit else ""
    if not _bounded(found):
        return f"{_number(found.value)}{unit}"
    ends = (found.value, found.low, found.high)
    digits = next((n for n in range(3, 7) if len({_number(each, n) for each in ends}) == 3), 3)
    value, low, high = (_number(each, digits) for each in ends)
    return f"{value} ({low} to {high}){unit}"


def _number(value: float, digits: int = 3) -> str:
    """Return a number with some digits; an infinite end as the symbol of infinity.

    >>> _number(13.94), _number(1234.5), _number(float("inf")), _number(0.0123)
    ('13.9', '1230', '∞', '0.0123')
    """
    if not math.isfinite(value):
        return "unknown" if math.isnan(value) else "∞" if value > 0 else "-∞"
    rounded = float(f"{value:.{digits}g}")
    if abs(rounded) >= 10 ** (digits - 1):
        return f"{rounded:.0f}"
    return f"{rounded:g}" if digits == 3 else f"{rounded:#.{digits}g}"
