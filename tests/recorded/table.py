"""Tables of scores: per kind of run and cause, and the waits of requests per kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from airmile.testbed.scoring import Compared
from tests.recorded.tally import UNDETERMINED, Tally, satisfies

CAUSE_COLUMNS = (
    "cause",
    "truth_s",
    "recall",
    "said_s",
    "precision",
    "below",
    "mostly",
)


COMPARED_COLUMNS = tuple(Compared(()).summary())


def causes(kind: Mapping[str, str], tally: Tally, *, recall: bool) -> Iterator[dict[str, Any]]:
    """Give a row per cause, without recall for a capture that holds only a part."""
    for cause in tally.causes():
        truth_ns, said_ns = tally.truth_ns(cause), tally.said_ns(cause)
        yield {
            **kind,
            "cause": cause,
            "truth_s": _seconds(truth_ns),
            "recall": _ratio(tally.recall(cause)) if recall else None,
            "said_s": _seconds(said_ns),
            "precision": None if cause == UNDETERMINED else _ratio(tally.precision(cause)),
            "below": _below(tally, cause, recall=recall),
            "mostly": _mostly(tally, cause),
        }
    share = round(tally.undetermined, 3)
    yield {**_EMPTY, **kind, "cause": f"{UNDETERMINED} share", "recall": share}


LEAST_RECALL, LEAST_PRECISION, LEAST_S = 0.9, 0.95, 0.5
"""The targets; less than half a second in all is too little to compare."""


def _below(tally: Tally, cause: str, *, recall: bool) -> str | None:
    """Mark what is below its target, where there is enough time."""
    least_ns = LEAST_S * 1e9
    found, right = tally.recall(cause), tally.precision(cause)
    marks = ""
    if recall and found is not None and found < LEAST_RECALL and tally.truth_ns(cause) > least_ns:
        marks += "R"
    if cause != UNDETERMINED and right is not None and right < LEAST_PRECISION:
        marks += "P" if tally.said_ns(cause) > least_ns else ""
    return marks or None


_EMPTY: Mapping[str, None] = dict.fromkeys(CAUSE_COLUMNS)


def _mostly(tally: Tally, cause: str) -> str | None:
    """Give the most frequent confusions of a cause: missed and wrongly reported."""
    not_so = {pair: t for pair, t in tally.times.items() if not satisfies(pair[1], pair[0])}
    missed = {said: t for (true, said), t in not_so.items() if true == cause}
    wrong = {true: t for (true, said), t in not_so.items() if said == cause}
    words = [
        f"{word} {most} {_seconds(each[most])}"
        for word, each in (("said", missed), ("was", wrong))
        if each and each[most := max(each, key=lambda name: each[name])] > _LEAST_NS
    ]
    return "; ".join(words) or None


_LEAST_NS = 100_000_000


def _seconds(length_ns: int) -> float:
    return round(length_ns / 1e9, 2)


def _ratio(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def text(rows: Sequence[Mapping[str, Any]], columns: tuple[str, ...]) -> Iterator[str]:
    """Write rows as a table of text."""
    cells = [[_cell(row[name]) for name in columns] for row in rows]
    widths = [
        max(len(name), *(len(row[at]) for row in cells)) if cells else len(name)
        for at, name in enumerate(columns)
    ]
    yield "  ".join(name.ljust(width) for name, width in zip(columns, widths, strict=True))
    for row in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _cell(value: object) -> str:
    return "-" if value is None else str(value)
