"""The report of `airmile model what-if`: what other protocols would change, as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from airmile._words import NBSP, counted
from airmile.model import TRANSPORTS, Inputs, Transport

if TYPE_CHECKING:
    import pyarrow as pa

INDENT = "  "


HEADINGS = ("", "mean", "median", "95 %", "change of mean", "95 % interval", "faster")
MEASURED = (
    "as measured: from a flow's first packet to its last payload, with the protocol that it uses, "
    "and with losses, pauses and the time of servers, which the model leaves out"
)
MODEL = (
    "model: {lost}, servers answer at once, each flight of a handshake fits one window (IW: "
    "initial window, in segments)"
)
INTERVAL = (
    "the interval includes the error of few samples, if they are independent, but not that of the "
    "model"
)
NO_INTERVAL = "no interval: the number of samples behind the percentiles is unknown"


def what_if(inputs: Inputs, table: pa.Table, loss_ratio: float, width: int) -> str:
    """Return a table of :func:`airmile.model.what_if` as text, with notes."""
    model = MODEL.format(lost=_lost(loss_ratio))
    rows = table.to_pylist()
    cells = [HEADINGS, *_measured(inputs), _baseline(rows[0]), *map(_scenario, rows[1:])]
    needed = {row["transport"] for row in rows[1:]}
    notes = [*inputs.notes, *([MEASURED] if any(_measured(inputs)) else [])]
    needs = [f"{each.title} takes {each.needs}" for each in _needy(needed)]
    trust = NO_INTERVAL if inputs.of_percentiles else INTERVAL
    all_notes = (*notes, *needs, model, trust)
    wrapped = [line for note in all_notes for line in _wrap(note, width)]
    heading = f"{inputs.name}  completion time of {_sizes(inputs)}"
    return "\n".join([heading, "", *_aligned(cells), "", *wrapped]).replace(NBSP, " ")


def _lost(ratio: float) -> str:
    if ratio:
        return f"{100 * ratio:g} % of the segments are lost independently (--loss)"
    return "nothing is lost without --loss"


def _sizes(inputs: Inputs) -> str:
    number = inputs.sizes_bytes.size
    if inputs.sizes_are_given:
        return counted(number, "size", "sizes in equal shares")
    return f"flows with the sizes of {counted(number, 'flow')} of the source"


def _measured(inputs: Inputs) -> Iterator[tuple[str, ...]]:
    """Yield the row of measured times, which include the time of servers, pauses and losses."""
    times = inputs.times_s
    if times.size and not inputs.sizes_are_given:
        shown = (times.mean(), *np.percentile(times, [50, 95]))
        yield ("as measured", *map(_time, shown), "", "", "")


def _baseline(row: dict[str, Any]) -> tuple[str, ...]:
    return (row["scenario"], *_times(row), "compared with", "", "")


def _scenario(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["scenario"], *_times(row),
        f"{1e3 * row['change_mean_s']:+.1f} ms {100 * row['change_ratio']:+.1f} %",
        _interval(row["change_low_s"], row["change_high_s"]), f"{100 * row['faster_ratio']:.0f} %",
    )  # fmt: skip


def _interval(low_s: float | None, high_s: float | None) -> str:
    if low_s is None or high_s is None:
        return "unknown"
    return f"{1e3 * low_s:+.1f} to {1e3 * high_s:+.1f} ms"


def _times(row: dict[str, Any]) -> Iterator[str]:
    return (_time(row[f"completion_time_{name}_s"]) for name in ("mean", "p50", "p95"))


def _time(seconds: float) -> str:
    return f"{1e3 * seconds:.0f} ms" if seconds < 10 else f"{seconds:.1f} s"


def _aligned(cells: Sequence[tuple[str, ...]]) -> list[str]:
    """Return lines with names aligned to the left and numbers to the right."""
    widths = [max(len(row[column]) for row in cells) for column in range(len(HEADINGS))]
    lines = []
    for name, *numbers in cells:
        right = [text.rjust(size) for text, size in zip(numbers, widths[1:], strict=True)]
        lines.append("  ".join([INDENT + name.ljust(widths[0]), *right]).rstrip())
    return lines


def _needy(names: set[str]) -> list[Transport]:
    return [each for each in TRANSPORTS.values() if each.name in names and each.needs]


def _wrap(note: str, width: int) -> list[str]:
    return textwrap.wrap(
        note, width, initial_indent="- ", subsequent_indent=INDENT,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
