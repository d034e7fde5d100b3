"""The page of a campaign: its statements, how it was run, and its figures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from airmile._intervals import Estimate
from airmile._words import count, counted, percent
from airmile.campaign import picture
from airmile.campaign.results import Outcome, versions
from airmile.render import study_page
from airmile.render.study_page_parts import svg, text
from airmile.render.study_page_sources import definitions
from airmile.study import PAPERS

if TYPE_CHECKING:
    from airmile.campaign.design import Statement
    from airmile.campaign.measured import Line

CLASSES = {
    "reproduced": "good", "direction only": "part", "not": "bad", "undecided": "open",
}  # fmt: skip
"""The CSS class of each outcome."""

WORST_FIRST = ("not", "undecided", "direction only", "reproduced")
"""The outcomes in the order in which the page shows them."""

STYLE = """<style>
.outcome { white-space: nowrap; font-weight: 600; padding: .05rem .45rem; border-radius: 3px;
  color: #1b1f24; }
.outcome.good { background: #d9efdc; } .outcome.part { background: #fdf0c8; }
.outcome.bad { background: #f8d7d3; } .outcome.open { background: #e8ebee; }
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
    "published. <b>Undecided</b>: none of these, or fewer than six samples. What excludes does so "
    "after Holm's correction for all statements of this page (methods H7)."
)


def page(found: Outcome, commands: Mapping[str, str]) -> str:
    """Return the HTML page, which opens from a file and needs no network.

    Parameters
    ----------
    found : Outcome
        The outcome of the campaign.
    commands : mapping of str to str
        For each label of a dataset, its name in commands of the shell.
    """
    campaign = found.campaign
    context = study_page.Context(commands)
    title = f"{found.name}: {campaign.title}"
    body = [
        STYLE,
        f"<header><p class=made>airmile testbed campaign{' --quick' * found.quick}</p>"
        f"<h1>{text(title)}</h1></header>",
        f"<p>{text(PAPERS[campaign.study])}; {text(campaign.section)}.</p>",
        *_answer(found),
        *_statements(found),
        *_conduct(found),
        *(
            part
            for result in found.exhibits
            for part in study_page.section(campaign.study, result, context)
        ),
        definitions([RULE, *(each.exhibit.caption for each in found.exhibits)]),
    ]
    return study_page.document(title, body)


def _answer(found: Outcome) -> Iterator[str]:
    """Yield the number of each outcome, and what the runs were."""
    outcomes = [line.outcome for line in found.lines]
    counts = ", ".join(f"{outcomes.count(each)} {each}" for each in CLASSES if each in outcomes)
    left = len(found.tally.left_out)
    yield (
        f"<section class=input><p><b>{counted(len(outcomes), 'statement')} of the paper: "
        f"{text(counts)}.</b></p>"
        f"<p>{counted(len(found.tally.finished), 'run')} of {len(found.trials)} count, "
        f"{left} left out because the machine was late or a run failed."
        f"{_quick(found)}</p></section>"
    )


def _quick(found: Outcome) -> str:
    if not found.quick:
        return ""
    whole = len(found.campaign.trials())
    return text(
        f" This is the short form, with {len(found.trials)} of the {count(whole)} runs of the "
        "whole campaign; the settings are the same, and fewer statements can be decided."
    )


def _statements(found: Outcome) -> Iterator[str]:
    yield '<section id="statements"><h3>What the paper states, and what came out</h3>'
    drawn = _picture(found)
    margin = percent(found.margin)
    if drawn:
        yield (
            "<p>Our value over the published one, with its 95 % interval. The grey band is within "
            f"{text(margin)} of the published value, and reaches to the end of the axis where the "
            "paper states \u201cover\u201d or \u201cless than\u201d. A hollow mark is the value "
            "that means no effect, where the paper states a direction."
            f"{_undrawn(found)}</p><figure>{drawn}</figure>"
        )
    head = "".join(
        f"<th>{each}</th>" for each in ("", "published", "ours, 95 % interval", "n", "outcome")
    )
    rows = "".join(_row(line) for line in worst_first(found.lines))
    yield (
        f"<div class=wide><table class=statements><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )
    yield f"<p class=source>{RULE.format(margin=text(margin))}</p></section>"


def worst_first(lines: Sequence[Line]) -> list[Line]:
    """Return the statements that are not reproduced first, and those that are last.

    Within an outcome they keep the order of the campaign.
    """
    return sorted(lines, key=lambda line: WORST_FIRST.index(line.outcome))


def _picture(found: Outcome) -> str:
    """Return the picture of the statements, wide and narrow; the style sheet shows one of them."""
    both = {
        kind: picture.draw(found.lines, found.margin, narrow=kind == "narrow")
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
    n = str(line.found.n) if line.found else ""
    outcome = f'<span class="outcome {CLASSES[line.outcome]}">{line.outcome}</span>'
    return (
        f"<tr><th>{text(statement.quantity)}<small>{text(statement.section)}, "
        f"{text(_ESTIMATORS[statement.estimator])}</small></th>"
        f'<td data-is="published:">{text(statement.published)}</td>'
        f'<td data-is="ours:">{_ours(line)}</td><td class=n data-is="n =">{n}</td>'
        f"<td>{outcome}{_p(line)}</td></tr>"
    )


def _ours(line: Line) -> str:
    """Return our value with its interval, the value by the truth, and why ours may differ."""
    statement = line.statement
    if line.found:
        ours = text(_spoken(line.found, statement))
    else:
        ours = f"<small>no value: {text(line.reason)}</small>"
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


def _conduct(found: Outcome) -> Iterator[str]:
    """Yield how the campaign was run, how that differs from the paper, and how to repeat it."""
    tally = found.tally
    yield '<section id="conduct"><h3>How it was run</h3>'
    yield f"<p>{text(_facts(found))}</p>"
    if found.others:
        yield f"<p>{text(_others(found.others))}</p>"
    if tally.left_out:
        items = "".join(
            f"<li>{text(name)}: {text(why)}</li>" for name, why in tally.left_out.items()
        )
        yield f"<details open><summary>Runs left out</summary><ul>{items}</ul></details>"
    if found.campaign.notes:
        items = "".join(f"<li>{text(note)}</li>" for note in found.campaign.notes)
        yield f"<p>What is not as in the paper:</p><ul>{items}</ul>"
    yield f"<p>To run it again: <code>{text(found.command)}</code></p></section>"


def _others(number: int) -> str:
    runs = "run that belongs" if number == 1 else "runs that belong"
    return (
        f"The folder also holds {count(number)} finished {runs} to more iterations of the "
        "campaign. Nothing on this page uses them; the commands below a figure read them too."
    )


def _facts(found: Outcome) -> str:
    tally, known = found.tally, versions()
    seeds = found.seeds
    many = f"seeds {seeds[0]} to {seeds[-1]} ({len(seeds)})" if seeds else "no seed"
    many = f"seed {seeds[0]}" if len(seeds) == 1 else many
    return (
        f"{counted(len(tally.finished), 'run')} finished, {len(tally.repeated)} repeated, "
        f"{len(tally.left_out)} left out, in {found.took_s / 60:.0f} min; {many}; kernel "
        f"{', '.join(found.kernels) or 'unknown'}; airmile {known['airmile']}, Python "
        f"{known['python']}, {known['machine']}. Runs of one seed met the same link and the same "
        "competing users."
    )
