"""The parts of an exhibit on a study's page: pictures, numbers, notes and tables."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from airmile._errors import OutputError
from airmile._words import NBSP, count, counted, printable, quoted
from airmile.render import tables
from airmile.render.study_page_size import NARROW, TABLE, WIDE, Budget
from airmile.study import Finding
from airmile.study._curves import Picture
from airmile.study._notes import together

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from airmile.study._several import Result

ROWS_KEPT = 5_000
"""The most rows of a table in the page; the command beside the table gives all."""

ROWS_SHOWN = 100
"""Rows of the longest table that is shown as a whole; the CSV file has all that are kept."""

PIXELS_PER_INCH = 90
"""How fine a picture of pixels is, in a page that has no room for lines."""

NUMBERED = {"uid": "flow", "transfer_id": "transfer", "session_id": "session"}
"""The columns whose numbers nobody reads, with what their ranks are called."""

ROWS_SOME = 12
"""Rows that are shown of a longer table, evenly spaced."""


def picture(paper: str, result: Result, budget: Budget | None = None) -> Iterator[str]:
    """Return the picture as inline SVG, wide and narrow, or how to get it without matplotlib.

    The style sheet shows the one that fits the window. Where the page has no room left, the wide
    one serves every window, and is made of pixels.
    """
    try:
        both = {"broad": result.figure(), "narrow": result.figure(narrow=True)}
    except OutputError as lacking:
        yield f"<p class=lacking>{text(lacking.message)}: {text(lacking.hint or '')}.</p>"
        return
    name = f"{paper}-{result.exhibit.name}"
    title = result.exhibit.title
    drawn = {
        kind: f"<div class={kind}>{svg(figure, f'{name}-{kind}', title)}</div>"
        for kind, figure in both.items()
        if figure is not None
    }
    if drawn and budget is not None:
        drawn["narrow"] = budget.part(NARROW, drawn["narrow"])
        drawn["broad"] = budget.part(WIDE, drawn["broad"], lambda: _pixels(result))
    if drawn:
        yield f"<figure>{''.join(drawn.values())}</figure>"


def _pixels(result: Result) -> str:
    """Return the wide picture as pixels, which do not grow with the number of marks."""
    figure = result.figure()
    if figure is None:
        return ""
    _bare(figure)
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=PIXELS_PER_INCH)
    width, height = (round(each * PIXELS_PER_INCH) for each in figure.get_size_inches())
    data = base64.b64encode(out.getvalue()).decode()
    image = f'<image width="{width}" height="{height}" href="data:image/png;base64,{data}"/>'
    title = escape(result.exhibit.title)
    return (
        f'<div class=broad><svg role="img" aria-label="{title}" viewBox="0 0 {width} {height}">'
        f"{image}</svg></div>"
    )


def _bare(figure: Figure) -> None:
    """Remove the title and the notes of a picture, which the page has as text."""
    figure.suptitle("")
    figure.supxlabel("")


def svg(figure: Figure, salt: str, title: str) -> str:
    """Return a figure as SVG with identifiers that no other picture of the page has."""
    import matplotlib

    _bare(figure)
    out = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": salt, "svg.fonttype": "path"}):
        figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    drawn = text[text.index("<svg") :]
    drawn = re.sub(r"<metadata>.*?</metadata>", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r'( (?:d|x|y)="[^"]*")', _rounded, drawn)
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(title)}" ', 1)


def _rounded(found: re.Match[str]) -> str:
    """Return coordinates to a tenth of a point, which is as fine as a screen shows them."""
    return re.sub(r"(\d\.\d)\d+", r"\1", found[0])


def numbers(paper: str, result: Result) -> str:
    """Return the findings beside those of the paper, with a column for each dataset.

    Below them are the reasons why some are unknown, each reason once.
    """
    labels = list(result.tables)
    found = result.findings()
    if not found:
        return ""
    reasons = _reasons(result)
    links = _Links(f"{paper}-{result.exhibit.name}-why", reasons)
    has_n = any(each.n is not None for _, row in found for each in row.values())
    head = "".join(
        f"<th>{text(label if result.several else 'here')}</th>" + "<th>n</th>" * has_n
        for label in labels
    )
    lines = [_line(quantity, row, labels, links, has_n=has_n) for quantity, row in found]
    table = _table(f"<th></th><th>published</th>{head}", "".join(lines))
    table = table.replace("<div class=wide>", '<div class="wide numbers">', 1)
    items = "".join(f'<li id="{links.name(why)}">{prose(why)}.</li>' for why in reasons)
    return table + (f"<ol class=reasons>{items}</ol>" if items else "")


def _reasons(result: Result) -> list[str]:
    """Return the reasons why numbers are unknown, each once, in the order of the table."""
    found = (each.reason for _, row in result.findings() for each in row.values())
    return [reason for reason in dict.fromkeys(found) if reason]


@dataclass(frozen=True)
class _Links:
    """Links from unknown numbers to the reasons below their table."""

    prefix: str
    reasons: Sequence[str]

    def name(self, reason: str) -> str:
        """Return the identifier of a reason."""
        return f"{self.prefix}-{self.reasons.index(reason) + 1}"

    def to(self, reason: str) -> str:
        """Return a link to a reason; empty if there is no reason."""
        if not reason:
            return ""
        return f'<sup><a href="#{self.name(reason)}">{self.reasons.index(reason) + 1}</a></sup>'


def _line(
    quantity: str,
    row: Mapping[str, Finding],
    labels: Sequence[str],
    links: _Links,
    *,
    has_n: bool,
) -> str:
    cells = ""
    for label in labels:
        each = row.get(label, Finding("", ""))
        n = "" if each.n is None else count(each.n)
        cells += f"<td>{_glued(each.here)}{links.to(each.reason)}</td>"
        cells += f"<td class=n>{n}</td>" * has_n
    indented = " class=part" if quantity.startswith(" ") else ""
    published = _glued(next(iter(row.values())).published)
    return f"<tr><th{indented}>{text(quantity.strip())}</th><td>{published}</td>{cells}</tr>"


def _glued(plain: str) -> str:
    """Return a number as HTML that keeps the number and its unit on one line."""
    return text(re.sub(r"(?<=\d) (?=%|[A-Za-z]{1,4}\b)", NBSP, plain))


def notes_of(result: Result, of_inputs: Collection[str]) -> list[str]:
    """Return the notes about the numbers of an exhibit, without those about the inputs.

    The reasons why numbers are unknown are below the numbers.
    """
    reasons = tuple(f": {reason}" for reason in _reasons(result))
    return together(
        note for note in result.notes
        if not {note, note.partition(": ")[2]} & set(of_inputs) and not note.endswith(reasons)
    )  # fmt: skip


def notes(result: Result, of_inputs: Collection[str]) -> Iterator[str]:
    """Yield the notes about the numbers, unfolded if they are few."""
    found = notes_of(result, of_inputs)
    if found:
        items = "".join(f"<li>{prose(note)}.</li>" for note in found)
        few = " open" if len(found) <= 2 else ""
        summary = f"<summary>{counted(len(found), 'note')}</summary>"
        yield f"<details class=notes{few}>{summary}<ul>{items}</ul></details>"


def data(
    paper: str,
    result: Result,
    commands: Mapping[str, str],
    options: str,
    budget: Budget | None = None,
) -> Iterator[str]:
    """Yield the tables of the exhibit: a CSV file, the command for it, and its first rows.

    `commands` are the names of the datasets in commands of the shell, by label. Where the page has
    no room left, the command alone gives the CSV file.
    """
    for label, table in result.tables.items():
        name = f"{paper}-{result.exhibit.name}" + (f"-{label}" if result.several else "")
        whose = f" of {text(label)}" if result.several else ""
        kept = table.slice(0, ROWS_KEPT)
        cut = "" if kept.num_rows == table.num_rows else f", the first {count(kept.num_rows)}"
        link = f', <a download="{escape(name)}.csv" href="{_csv_address(kept)}">CSV{cut}</a>'
        link = link if budget is None else budget.part(TABLE, link)
        part = result.parts.get(label)
        source = commands[label if part is None else part.label]
        arm = f" --arm {quoted(part.arm)}" if part is not None and part.arm else ""
        command = f"{paper} {source} --figure {result.exhibit.name}{arm}{options} --format csv"
        size = counted(table.num_rows, "row")
        yield (
            f"<div class=data><p>Table{whose}: {size}{link}; the same from "
            f"{code(f'airmile study {command}')}</p>{_extract(result, table)}</div>"
        )


def _extract(result: Result, table: pa.Table) -> str:
    """Return the table, of a distribution its quantiles, of a long one some rows."""
    rows = table.num_rows
    picture = result.exhibit.picture
    if isinstance(picture, Picture):
        summary, shown = f"Quantiles: {picture.x}", picture.quantiles(table)
    elif rows <= ROWS_SHOWN:
        summary, shown = "All rows", table
    else:
        places = [place * (rows - 1) // (ROWS_SOME - 1) for place in range(ROWS_SOME)]
        summary, shown = f"{ROWS_SOME} rows, from the first to the last", table.take(places)
    return f"<details><summary>{text(summary)}</summary>{_rows(shown)}</details>"


def _csv_address(table: pa.Table) -> str:
    out = io.BytesIO()
    tables.write(table, "csv", out)
    return "data:text/csv;base64," + base64.b64encode(out.getvalue()).decode()


def _rows(table: pa.Table) -> str:
    shown = ranked(table)
    head = "".join(f"<th>{text(name)}</th>" for name in shown.column_names)
    rows = "".join(
        "<tr>" + "".join(f"<td>{text(_cell(value))}</td>" for value in row.values()) + "</tr>"
        for row in shown.to_pylist()
    )
    return _table(head, rows)


def ranked(table: pa.Table) -> pa.Table:
    """Return the table with ranks, in the order of its rows, in place of numbers of 64 bits.

    >>> import pyarrow as pa
    >>> ranked(pa.table({"uid": [9 * 10**17, 7, 9 * 10**17]})).to_pydict()
    {'flow': [1, 2, 1]}
    """
    import pyarrow as pa

    columns = {}
    for name in table.column_names:
        values = table[name].to_pylist()
        ranks = {each: place + 1 for place, each in enumerate(dict.fromkeys(values))}
        numbered = NUMBERED.get(name)
        columns[numbered or name] = (
            pa.array([ranks[each] for each in values]) if numbered else (table[name])
        )
    return pa.table(columns)


def _table(head: str, body: str) -> str:
    heading = f"<thead><tr>{head}</tr></thead>"
    return f"<div class=wide><table>{heading}<tbody>{body}</tbody></table></div>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def prose(plain: str) -> str:
    """Return a text whose commands are between backticks as HTML."""
    parts = plain.rstrip(".").split("`")
    return "".join(code(part) if n % 2 else text(part) for n, part in enumerate(parts))


def code(plain: str) -> str:
    """Return a command as HTML, which breaks between its words, not after the hyphens of options.

    >>> code("airmile --figure fig2")
    '<code>airmile <span>--figure</span> fig2</code>'
    """
    words = (
        f"<span>{text(word)}</span>" if "-" in word else text(word) for word in plain.split(" ")
    )
    return f"<code>{' '.join(words)}</code>"


def text(plain: str) -> str:
    """Return untrusted text as HTML."""
    return escape(printable(plain).replace(NBSP, "\u00a0"))
