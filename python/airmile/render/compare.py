"""The report of `airmile compare`, as text and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from airmile._words import NBSP, count, counted, listed, printable
from airmile.comparison._results import Amount, amount, of_groups, p_word
from airmile.render import markdown
from airmile.render.layout import PLAIN_WIDTH, Paragraph, lay_out

if TYPE_CHECKING:
    from airmile.comparison import Comparison, Result
    from airmile.comparison.inference.effect import Effect

HEADER = ["metric", "group", "n", "mean", "sd", "95 % interval of the mean", "median"]
POWER = "with 80 % power"


def render(comparison: Comparison, width: int = PLAIN_WIDTH) -> str:
    """Return groups, sentences, their basis, and notes, in at most `width` columns."""
    held = [replace(each, text=_HELD.sub(_hold, each.text)) for each in _paragraphs(comparison)]
    return lay_out(held, width)


_HELD = re.compile(r"\bp [=<] |(?<=\d) (?=\S*(?:bps|ms|%)\b)")
"""Matches blanks at which no line may end: within a p-value, or before a unit."""


def _hold(blank: re.Match[str]) -> str:
    return blank[0].replace(" ", NBSP)


def as_markdown(comparison: Comparison) -> str:
    """Return the report as a Markdown section with a table of the groups."""
    parts = [
        f"## Comparison by {markdown.escaped(comparison.by)}",
        markdown.table(HEADER, [_cells(comparison, row) for row in _rows(comparison)]),
        *(_item(each) for each in comparison.results),
    ]
    if comparison.middlebox is not None:
        parts.append(markdown.escaped(comparison.middlebox.sentence))
    if comparison.notes:
        parts.append("\n".join(f"- {markdown.escaped(note)}" for note in comparison.notes))
    return "\n\n".join(parts).replace(NBSP, " ")


def _item(result: Result) -> str:
    lines = [f"**{markdown.escaped(result.sentence)}**", ""]
    return "\n".join([*lines, *(f"- {markdown.escaped(each)}" for each in _basis(result))])


def _rows(comparison: Comparison) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = comparison.group_table.to_pylist()
    return rows


def _word(comparison: Comparison, row: dict[str, Any]) -> Amount:
    """Return what writes the figures of a group."""
    own = [each for each in comparison.results if each.difference.metric == row["metric"]]
    return of_groups(own, row["mean"], row["sd"])


def _cells(comparison: Comparison, row: dict[str, Any]) -> list[str]:
    word = _word(comparison, row)
    between = f"{word.number(row['low'])} to {word(row['high'])}"
    shown = [word(row["mean"]), word(row["sd"]), between, word(row["median"])]
    return [row["metric"], row["group"], count(row["n"]), *shown]


def _paragraphs(comparison: Comparison) -> Iterator[Paragraph]:
    rows = _rows(comparison)
    for metric in comparison.groups:
        own = [row for row in rows if row["metric"] == metric]
        yield Paragraph("Groups", f"by {comparison.by}: {metric}")
        longest = max(len(printable(row["group"])) for row in own)
        for row in own:
            said = _group(row, _word(comparison, row), longest)
            yield Paragraph("", said, longest + 2)
        for result in comparison.results:
            if result.difference.metric == metric:
                yield from _result(result)
    if comparison.middlebox is not None:
        yield Paragraph("Ports", comparison.middlebox.sentence)
        yield from (
            Paragraph("", f"- {line}", 2) for line in _evidence(comparison.middlebox.evidence)
        )
    for place, note in enumerate(comparison.notes):
        yield Paragraph("" if place else "Notes", f"- {note}", 2)


def _group(row: dict[str, Any], word: Amount, longest: int) -> str:
    name = printable(row["group"]).ljust(longest).replace(" ", NBSP)
    samples = counted(row["n"], row["samples"])
    if 1 < row["series"] < row["n"]:
        samples += f" of {count(row['series'])} drives"
    text = (
        f"{name}{NBSP * 2}{samples}: mean {word(row['mean'])} +/- {word(row['sd'])} (sd), 95 % "
        f"interval {word.number(row['low'])} to {word(row['high'])}, median "
        f"{word(row['median'])}"
    )
    return text.replace("+/- ", f"+/-{NBSP}")


def _result(result: Result) -> Iterator[Paragraph]:
    yield Paragraph("Compared", result.sentence)
    yield from (Paragraph("", f"- {line}", 2) for line in _basis(result))


def _basis(result: Result) -> Iterator[str]:
    """Yield the origin of figure, interval and p-value, the effect size, and the needed trials."""
    found = result.difference
    alone = ", for this comparison alone" if result.family > 1 else ""
    test = f"{found.test}{_alone(result)}{_others(result)}"
    yield f"interval: {found.interval}{alone}; p-value: {test}"
    yield _effect(found.effect)
    if found.correlation is not None and found.blocks is None:
        yield f"autocorrelation of the differences {found.correlation:.2f}: taken as independent"
    yield from found.notes
    word = amount(found.unit, found.value, *(each.difference for each in result.needed))
    what = "pairs" if found.pairs is not None else f"{found.a.word}s in each group"
    for each in result.needed:
        trials = "more than ten million" if each.trials is None else count(each.trials)
        wanted = f"{word(each.difference)} ({each.source})"
        yield f"a difference of {wanted} takes {trials} {what} {POWER}"


def _effect(size: Effect) -> str:
    said = f"effect size {size.name} {size.value:.2f}"
    if size.low is None or size.high is None:
        return f"{said}, without an interval: too few independent samples, or too little spread"
    return f"{said}, 95 % interval {size.low:.2f} to {size.high:.2f}"


def _alone(result: Result) -> str:
    return f", alone {p_word(result.difference.p_value)}" if result.family > 1 else ""


def _others(result: Result) -> str:
    others = [f"{name} {p_word(p)}" for name, p in result.difference.others.items()]
    return f" ({listed(others)})" if others else ""


def _evidence(found: Any) -> Iterator[str]:
    for each in found:
        says = "speaks for a middlebox" if each.speaks else "does not"
        form = "{:.0%}" if each.kind == "restart" else "{:.4g}"
        yield (
            f"{each.kind} on {each.standard} against {each.other}: {form.format(each.here)} and "
            f"{form.format(each.there)}, n = {each.n}, {p_word(each.holm)} (Holm): {says}"
        )
