"""The parts of an exhibit on a study's page: pictures, numbers, notes, tables."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from airmile._errors import OutputError
from airmile._words import NBSP, count, counted, printable
from airmile.render import tables
from airmile.study import Finding
from airmile.study._notes import together

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from airmile.study._several import Result

ROWS_KEPT = 5_000
"""Rows of a table that the page contains; the command beside it gives all."""

ROWS_SHOWN = 12
"""Rows of a table that are shown; the CSV file has all that are kept."""


def pictures(paper: str, result: Result) -> Iterator[str]:
    """Return the pictures as inline SVG, or how to get them without matplotlib."""
    try:
        for number, (label, figure) in enumerate(result.figures()):
            heading = f"<figcaption>{text(label)}</figcaption>" if label else ""
            drawn = svg(figure, f"{paper}-{result.exhibit.name}-{number}")
            yield f"<figure>{heading}{drawn}</figure>"
    except OutputError as lacking:
        yield f"<p class=lacking>{text(lacking.message)}: {text(lacking.hint or '')}.</p>"


def svg(figure: Figure, salt: str) -> str:
    """Return a figure as SVG whose identifiers no other picture of the page has."""
    import matplotlib

    figure.suptitle("")
    figure.supxlabel("")
    out = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": salt, "svg.fonttype": "path"}):
        figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    drawn = text[text.index("<svg") :]
    drawn = re.sub(r"<metadata>.*?</metadata>", "", drawn, flags=re.DOTALL)
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(salt)}" ', 1)


def numbers(result: Result) -> str:
    """Return the findings beside those of the paper, a column for each dataset."""
    labels = list(result.tables)
    found = result.findings()
    if not found:
        return ""
    has_n = any(each.n is not None for _, row in found for each in row.values())
    head = "".join(
        f"<th>{text(label if len(labels) > 1 else 'here')}</th>" + "<th>n</th>" * has_n
        for label in labels
    )
    lines = [_line(quantity, row, labels, has_n) for quantity, row in found]
    return _table(f"<th></th>{head}<th>published</th>", "".join(lines))


def _line(quantity: str, row: Mapping[str, Finding], labels: Sequence[str], has_n: bool) -> str:
    cells = ""
    for label in labels:
        each = row.get(label)
        n = "" if each is None or each.n is None else count(each.n)
        cells += f"<td>{text(each.here if each else '')}</td>" + f"<td class=n>{n}</td>" * has_n
    indented = " class=part" if quantity.startswith(" ") else ""
    published = next(iter(row.values())).published
    return f"<tr><th{indented}>{text(quantity.strip())}</th>{cells}<td>{text(published)}</td></tr>"


def notes(result: Result) -> Iterator[str]:
    """Return the notes on the numbers, unfolded if they are few."""
    found = together(result.notes)
    if found:
        items = "".join(f"<li>{text(note)}</li>" for note in found)
        few = " open" if len(found) <= 2 else ""
        summary = f"<summary>{counted(len(found), 'note')}</summary>"
        yield f"<details class=notes{few}>{summary}<ul>{items}</ul></details>"


def data(paper: str, result: Result, commands: Mapping[str, str]) -> Iterator[str]:
    """Return the tables of the exhibit: their first rows, a CSV file, and the command for it."""
    for label, table in result.tables.items():
        name = f"{paper}-{result.exhibit.name}" + (f"-{label}" if len(result.tables) > 1 else "")
        kept = table.slice(0, ROWS_KEPT)
        all_rows = "" if kept.num_rows == table.num_rows else f", the first {count(kept.num_rows)}"
        link = f'<a download="{escape(name)}.csv" href="{_csv_address(kept)}">CSV{all_rows}</a>'
        words = f"{paper} {commands[label]} --figure {result.exhibit.name} --format csv"
        yield (
            f"<details class=data><summary>{text(name)}: {count(table.num_rows)} rows</summary>"
            f"<p>{link}, as from <code>airmile study {text(words)}</code></p>"
            f"{_first_rows(table)}</details>"
        )


def _csv_address(table: pa.Table) -> str:
    out = io.BytesIO()
    tables.write(table, "csv", out)
    return "data:text/csv;base64," + base64.b64encode(out.getvalue()).decode()


def _first_rows(table: pa.Table) -> str:
    head = "".join(f"<th>{text(name)}</th>" for name in table.column_names)
    rows = "".join(
        "<tr>" + "".join(f"<td>{text(_cell(value))}</td>" for value in row.values()) + "</tr>"
        for row in table.slice(0, ROWS_SHOWN).to_pylist()
    )
    return _table(head, rows)


def _table(head: str, body: str) -> str:
    heading = f"<thead><tr>{head}</tr></thead>"
    return f"<div class=wide><table>{heading}<tbody>{body}</tbody></table></div>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def text(plain: str) -> str:
    """Return text from outside as HTML."""
    return escape(printable(plain).replace(NBSP, "\u00a0"))
