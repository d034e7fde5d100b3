"""Exhibits of papers as one HTML page, which opens from a file without a network.

Names, labels and values from untrusted input are escaped, and a policy in the page forbids scripts
and requests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from airmile.render import study_page_gathered as gathered
from airmile.render import study_page_parts as parts
from airmile.render.study_page_input import caveats, inputs
from airmile.render.study_page_parts import prose, text
from airmile.render.study_page_size import Budget
from airmile.render.study_page_sources import definitions, source
from airmile.render.study_page_style import STYLE

if TYPE_CHECKING:
    from airmile.store import Tables
    from airmile.study._exhibit import Exhibit
    from airmile.study._several import Result

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""The policy that lets the page load nothing but itself (Content Security Policy)."""


@dataclass(frozen=True)
class Paper:
    """The exhibits of one paper, for the datasets of the page.

    Attributes
    ----------
    name : str
        Short name of the study, as in ``airmile study NAME``.
    title : str
        Authors, title, conference.
    results : sequence of Result
        The exhibits in the order of the paper.
    """

    name: str
    title: str
    results: Sequence[Result]


@dataclass(frozen=True)
class Context:
    """What all exhibits of a page share.

    Attributes
    ----------
    commands : mapping of str to str
        For each label of a dataset, its name in commands of the shell.
    options : callable
        A function that returns the options of an exhibit's command.
    notes : sequence of str
        The notes about the inputs, which hold for every exhibit.
    budget : Budget, optional
        What keeps the page below a size. A page with a budget gathers notes, and what the data
        lack, behind its exhibits; without one, each exhibit has its own.
    """

    commands: Mapping[str, str]
    options: Callable[[Exhibit], str] = lambda _: ""
    notes: Sequence[str] = ()
    budget: Budget | None = None


def page(
    papers: Sequence[Paper],
    sources: Mapping[str, Tables | str],
    commands: Sequence[str],
    options: Callable[[Exhibit], str] = lambda _: "",
) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    papers : sequence of Paper
        The papers, one after the other.
    sources : mapping of str to Tables or str
        The datasets by label; other sources by name.
    commands : sequence of str
        The name of each dataset in commands of the shell, in the order of `sources`.
    options : callable
        A function that returns the options of an exhibit's command, with a space before each.
    """
    budget = Budget()
    of_inputs = tuple(dict.fromkeys(caveats(sources)))
    named = dict(zip(sources, commands, strict=True))
    context = Context(named, options, of_inputs, budget)
    title = papers[0].title if len(papers) == 1 else "Five papers"
    body = [
        f"<header><p class=made>airmile study</p><h1>{text(title)}</h1></header>",
        *inputs(sources),
        _contents(papers),
        *(part for paper in papers for part in _paper(paper, context, alone=len(papers) == 1)),
        definitions(
            each.exhibit.caption for paper in papers for each in paper.results if each.tables
        ),
    ]
    return budget.fitted(_without_folders(document(title, body), sources))


def _without_folders(page: str, sources: Mapping[str, Tables | str]) -> str:
    """Return the page with the names of inputs and datasets, not the folders of this machine."""
    datasets = [each for each in sources.values() if not isinstance(each, str)]
    paths = [Path(own["name"]) for each in datasets for own in each.manifest.get("inputs") or []]
    for path in sorted({*paths, *(each.path for each in datasets)}, reverse=True):
        if path.is_absolute():
            page = page.replace(text(str(path)), text(path.name))
    return page


def document(title: str, body: Sequence[str]) -> str:
    """Return the HTML of a page that opens from a file and needs no network."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _contents(papers: Sequence[Paper]) -> str:
    """Return links to the exhibits that the data give, and to the list of the others."""
    lines = []
    for paper in papers:
        links = " ".join(_link(paper, each) for each in paper.results if each.tables)
        none = sum(not each.tables for each in paper.results)
        lacking = f' <a class=lacks href="#{paper.name}-lacking">{none} not from these data</a>'
        head = f"<b>{text(paper.name)}</b> " if len(papers) > 1 else ""
        lines.append(f"<p>{head}{links}{lacking * bool(none)}</p>")
    return f"<nav aria-label=Contents>{''.join(lines)}</nav>"


def _link(paper: Paper, result: Result) -> str:
    return f'<a href="#{paper.name}-{result.exhibit.name}">{text(result.exhibit.name)}</a>'


def _paper(paper: Paper, context: Context, *, alone: bool) -> Iterator[str]:
    """Return the exhibits that the data give, the notes on them, and what the data lack."""
    if not alone:
        yield f'<h2 id="{paper.name}">{text(paper.title)}</h2>'
    for result in paper.results:
        if result.tables:
            yield from section(paper.name, result, context)
    yield gathered.notes(paper.name, paper.results, context.notes)
    yield gathered.lacking(paper.name, paper.results)


def section(study: str, result: Result, context: Context) -> Iterator[str]:
    """Return an exhibit of a study: its picture, its numbers, its notes and its tables.

    Parameters
    ----------
    study : str
        Short name of the paper.
    result : Result
        The exhibit of each dataset.
    context : Context
        What all exhibits of the page share.
    """
    exhibit = result.exhibit
    yield f'<section id="{study}-{exhibit.name}">'
    yield f"<h3><span>{_place(exhibit)}</span> {text(exhibit.title)}</h3>"
    where = f"<span class=source>{source(study, exhibit)}</span>"
    if result.tables:
        yield from parts.picture(study, result, context.budget)
    yield f"<p>{text(exhibit.caption)} {where}</p>"
    if result.tables:
        yield parts.numbers(study, result)
        if context.budget is None:
            yield from parts.notes(result, context.notes)
        options = context.options(exhibit)
        yield from parts.data(study, result, context.commands, options, context.budget)
    for label, lacking in result.missing.items() if context.budget is None else ():
        name = f"<b>{text(label)}</b>: " if result.several else ""
        hint = f" {prose(lacking.hint[:1].upper() + lacking.hint[1:])}." if lacking.hint else ""
        why = prose(lacking.message.split(": ", 1)[-1])
        yield f"<p class=lacking>{name}Not from these data: {why}.{hint}</p>"
    yield "</section>"


def _place(exhibit: Exhibit) -> str:
    """Return where the paper has the exhibit: ``Figure 7b, section 4.3``.

    >>> from airmile.study.bt19 import EXHIBITS
    >>> _place(EXHIBITS["fig7b"]), _place(EXHIBITS["table1"])
    ('Figure 7b, section 4.3', 'Table 1, section 3.4.1')
    """
    kind, number = re.findall(r"^([a-z]+?)(\d.*)?$", exhibit.name)[0]
    named = {"fig": "Figure", "table": "Table"}.get(kind, kind.capitalize())
    return text(f"{named} {number}".strip() + f", {exhibit.section}")
