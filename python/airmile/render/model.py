"""What other protocols would give, in words."""

from __future__ import annotations

import textwrap

import pyarrow as pa

from airmile._words import NBSP, counted
from airmile.model import TRANSPORTS, Inputs

INDENT = "  "


def what_if(inputs: Inputs, table: pa.Table, width: int) -> str:
    """Write a table of :func:`airmile.model.what_if`: a line per scenario, and what it rests on."""
    rows = table.to_pylist()
    first = max(len(row["scenario"]) for row in rows)
    head = (
        f"{'':{first}}  {'mean':>8}  {'median':>8}  {'95 %':>8}  change of the mean (95 % interval)"
    )
    lines = [f"{inputs.name}  completion time of {_sizes(inputs)}", "", INDENT + head]
    lines += [INDENT + f"{row['scenario']:{first}}  {_row(row, row is rows[0])}" for row in rows]
    needed = {row["transport"] for row in rows[1:]}
    notes = [*inputs.notes, *(_need(name) for name in TRANSPORTS if name in needed)]
    notes.append(
        "model: no losses beyond --loss, no time of the server, handshakes within one window; the "
        "interval tells how far few samples can be trusted, not whether the model is right"
    )
    wrapped = [line for note in notes if note for line in _wrap(note, width)]
    return "\n".join([*lines, "", *wrapped]).replace(NBSP, " ")


def _sizes(inputs: Inputs) -> str:
    number = inputs.sizes_bytes.size
    if inputs.sizes_are_given:
        return counted(number, "size", "sizes in equal shares")
    return f"flows as large as {counted(number, 'flow')} of the source"


def _row(row: dict[str, float], baseline: bool) -> str:
    times = "  ".join(
        f"{_ms(row[f'completion_time_{name}_s']):>8}" for name in ("mean", "p50", "p95")
    )
    if baseline:
        return f"{times}  compared with"
    change = f"{1e3 * row['change_mean_s']:+.1f} ms, {100 * row['change_ratio']:+.1f} %"
    interval = f"({1e3 * row['change_low_s']:+.1f} to {1e3 * row['change_high_s']:+.1f} ms)"
    return f"{times}  {change} {interval}; {100 * row['faster_ratio']:.0f} % of flows faster"


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.0f} ms" if seconds < 10 else f"{seconds:.1f} s"


def _need(name: str) -> str:
    transport = TRANSPORTS[name]
    return f"{transport.title} takes {transport.needs}" if transport.needs else ""


def _wrap(note: str, width: int) -> list[str]:
    return textwrap.wrap(
        note, width, initial_indent="- ", subsequent_indent=INDENT,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
