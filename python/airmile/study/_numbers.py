"""The numbers in the text of a paper, each with the same number from a dataset or the reason."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from airmile._words import NBSP, count, counted, percent, rate, seconds, size
from airmile.store._needs import Missing
from airmile.store._remedies import MANY
from airmile.study import _needs
from airmile.study._exhibit import Finding
from airmile.study._needs import Needs
from airmile.study._notes import with_notes

if TYPE_CHECKING:
    from airmile.store import Tables

Sql: TypeAlias = "Callable[[Tables], str]"
"""A function that returns a query for a dataset; it raises `Missing` if the dataset lacks data."""

FORMS: dict[str, Callable[[float], str]] = {
    "share": lambda share: percent(share) if share >= 0.01 or not share else _small(share),
    "s": seconds,
    "ms": lambda ms: seconds(ms / 1e3),
    "bytes": size,
    "bps": rate,
    "J": "{:.3g} J".format,
    "": lambda value: count(value) if value == round(value) else f"{value:.3g}",
}
"""The functions that write a number, by its unit."""

_SCHEMA = pa.schema(
    [("section", pa.string()), ("quantity", pa.string()), ("value", pa.float64()),
     ("unit", pa.string()), ("n", pa.int64()), ("published", pa.string()),
     ("definition", pa.string()), ("reason", pa.string())]
)  # fmt: skip


HOW = f"capture more traffic of the phones, or several captures together: {MANY}"
"""A hint: how to get numbers where the tables have no row that counts."""


@dataclass(frozen=True)
class Number:
    """A number that a paper prints in its text.

    Attributes
    ----------
    section : str
        The section of the paper, such as ``4.1``.
    quantity : str
        What the number is, in words.
    unit : str
        The unit, a key of `FORMS`.
    published : str
        The number as printed; empty if the paper prints none.
    definition : str
        Its definition in docs/methods, such as ``A5``.
    sql : Sql
        A query with one row: the value, and the number of values behind it.
    lacking : str
        Why the value is null where the query gives none.
    seen_from : callable
        Gives the dataset that is asked, from that of the paper's exhibits.
    needs : Needs
        What the flows must have to count.
    """

    section: str
    quantity: str
    unit: str
    published: str
    definition: str
    sql: Sql
    lacking: str = "the tables have no row that counts"
    seen_from: Callable[[Tables], Tables] = lambda dataset: dataset
    needs: Needs = Needs()  # noqa: RUF009  # it is frozen


def unknown(section: str, quantity: str, published: str, definition: str, reason: str) -> Number:
    """Return a number that airmile does not compute, with the reason in place of its value."""

    def missing(dataset: Tables) -> str:
        raise Missing(reason, "")

    return Number(section, quantity, "", published, definition, missing)


def table(dataset: Tables, wanted: Iterable[Number]) -> pa.Table:
    """Return a row for each number; if the data cannot give it, the value is null with a reason."""
    asked = _Asked(dataset)
    rows = [_row(asked, each) for each in wanted]
    if all(row["value"] is None for row in rows):
        reasons = [str(row["reason"]) for row in rows]
        raise _none_of(dataset, next((each for each in reasons if " (" in each), reasons[0]))
    reasons = [f"{row['quantity']}: {row['reason']}" for row in rows if row["reason"]]
    return with_notes(pa.Table.from_pylist(rows, schema=_SCHEMA), [*reasons, *asked.left_out])


class _Asked:
    """The dataset as the numbers see it, which many of them see in the same way."""

    def __init__(self, dataset: Tables) -> None:
        self.path = dataset.path
        self._whole = dataset
        self._counting: dict[tuple[Tables, Needs], tuple[Tables, list[str]] | Missing] = {}
        self._left_out: Counter[str] = Counter()

    def by(self, number: Number) -> Tables:
        """Return the dataset with the flows that count for a number, and count the others."""
        key = number.seen_from(self._whole), number.needs
        found = self._counting.get(key) or self._counting.setdefault(key, _met(*key))
        if isinstance(found, Missing):
            raise found
        self._left_out.update(found[1])
        return found[0]

    @property
    def left_out(self) -> list[str]:
        """Which flows do not count, and for how many numbers."""
        return [f"of {counted(n, 'number')}: {note}" for note, n in self._left_out.items()]


def _met(dataset: Tables, needs: Needs) -> tuple[Tables, list[str]] | Missing:
    try:
        return (dataset, []) if needs == Needs() else _needs.met(dataset, needs)
    except Missing as lacking:
        return lacking


def _none_of(dataset: Tables, reason: str) -> Missing:
    what, _, how = reason.removesuffix(")").partition(" (")
    return Missing(f"{dataset.path}: none of the numbers; {what}", how or HOW)


def _row(asked: _Asked, number: Number) -> dict[str, object]:
    value, n, reason = _value(asked, number)
    return {
        "section": number.section, "quantity": number.quantity, "value": value,
        "unit": number.unit, "n": n, "published": number.published,
        "definition": number.definition, "reason": reason,
    }  # fmt: skip


def _value(asked: _Asked, number: Number) -> tuple[float | None, int | None, str | None]:
    try:
        dataset = asked.by(number)
        found = dataset.arrow(number.sql(dataset))
    except Missing as lacking:
        message = lacking.message.removeprefix(f"{asked.path}: ")
        return None, None, message + (f" ({lacking.hint})" if lacking.hint else "")
    value, n = (found.column(place)[0].as_py() for place in (0, 1))
    if value is None or not math.isfinite(value):
        return None, n, number.lacking
    return value, n, None


def findings(rows: pa.Table) -> list[Finding]:
    """Return the findings, one per number, in the order of the paper."""
    return [
        Finding(
            f"{row['section']:<5} {row['quantity']}",
            _here(row),
            row["published"],
            row["n"],
            row["reason"] or "",
        )
        for row in rows.to_pylist()
    ]


def _small(share: float) -> str:
    return f"{share * 100:.2g}{NBSP}%"


def _here(row: dict[str, object]) -> str:
    value = row["value"]
    return FORMS[str(row["unit"])](value) if isinstance(value, float) else "unknown"


def level_word(share: float) -> str:
    """Return a share as in the name of a number, with an ordinary space: ``25 %``."""
    return f"{share * 100:g} %"


def share(condition: str, rows: str, of: str = "true") -> str:
    """Return SQL for the share of rows that meet a condition, without rows where it is null."""
    return f"""SELECT avg(({condition})::INT)::DOUBLE, count({condition})
        FROM {rows} WHERE {of}"""


def part(value: str, condition: str, rows: str) -> str:
    """Return SQL for the share that rows with a condition have in the sum of a value."""
    return f"""
        SELECT coalesce(sum({value}) FILTER ({condition}), 0)::DOUBLE / nullif(sum({value}), 0),
            count(*)
        FROM {rows}"""


def quantile(value: str, share_of: float, rows: str, of: str = "true") -> str:
    """Return SQL for a quantile of a value over the rows."""
    return f"""SELECT quantile_cont({value}, {share_of})::DOUBLE, count({value})
        FROM {rows} WHERE {of}"""
