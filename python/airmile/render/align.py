"""The report on two captures: their clocks, the delays between them, and the bandwidth error."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from airmile._words import NBSP, count, counted, listed, moment, percent, quoted, seconds
from airmile.render.json import written
from airmile.render.layout import PLAIN_WIDTH, Paragraph, lay_out
from airmile.render.markdown import escaped, table

if TYPE_CHECKING:
    from airmile.answers.pair.result import AlignmentValues, BandwidthError, OneWay

SPOKEN = {
    "queue_evident": "queue evident",
    "c_rule": "C rule",
}
HEADER = [
    "window",
    "estimator",
    "compared",
    "mean error",
    "median",
    "p90",
    "without pause",
    "mean error",
]
DELAYS = ["", "packets", "least", "median", "p95", "median - least", "p95 - least"]
PAUSES = (
    "if the phone receives with pauses, its throughput is below the link's bandwidth, so that only "
    "the error without pause is that of the estimate"
)
QUERY = "SELECT direction, count(*), median(delay_ms) FROM pairs GROUP BY direction"


def render(alignment: AlignmentValues, width: int = PLAIN_WIDTH) -> str:
    """Return an alignment as text of at most `width` columns."""
    paragraphs = [
        *_headed("Captures", _captures(alignment)),
        *_headed("Clocks", _clocks(alignment)),
        *_delays(alignment),
        *_headed("", _between(alignment)),
        *_bandwidth(alignment),
        *_headed("Input", _input(alignment)),
        *_tables(alignment),
    ]
    return lay_out(paragraphs, width)


def markdown(alignment: AlignmentValues) -> str:
    """Return an alignment as a Markdown section."""
    parts = ["## " + escaped(" and ".join(_names(alignment)))]
    for heading, texts in (
        ("Captures", _captures(alignment)),
        ("Clocks", _clocks(alignment)),
    ):
        parts += [f"### {heading}", "\n".join(f"- {escaped(text)}" for text in texts)]
    delays = table(DELAYS, (_way(*way) for way in _ways(alignment)))
    parts += ["### Between the capture points", delays]
    parts.append("\n".join(f"- {escaped(text)}" for text in _between(alignment)))
    parts.append("### Bandwidth estimate")
    if alignment.bandwidth_errors:
        parts.append(table(HEADER, (_error(error) for error in alignment.bandwidth_errors)))
    else:
        parts.append(f"Not compared: {escaped(str(alignment.bandwidth_reason))}.")
    inputs = list(_input(alignment))
    if inputs:
        parts += ["### Input", "\n".join(f"- {escaped(text)}" for text in inputs)]
    return "\n\n".join(parts).replace(NBSP, " ")


def json(alignment: AlignmentValues) -> str:
    """Return an alignment as one JSON document."""
    return written(alignment.to_dict()).replace(NBSP, " ")


def _names(alignment: AlignmentValues) -> tuple[str, str]:
    """Return the shortest parts of the captures' paths that differ."""
    if alignment.first == alignment.second:
        return "the first", "the second"
    first, second = Path(alignment.first).name, Path(alignment.second).name
    if first == second:
        return alignment.first, alignment.second
    return first, second


def _captures(alignment: AlignmentValues) -> Iterator[str]:
    one, two = _names(alignment)
    flows = counted(alignment.counts["shared_flows"], "TCP connection")
    yield (
        f"{one} and {two}: {counted(alignment.pairs, 'packet')} of {flows} paired, over "
        f"{seconds(alignment.span_s)}"
    )
    shares = [
        f"{_share(share)} of those in {name}"
        for name, share in zip((one, two), alignment.paired_share, strict=True)
        if share is not None
    ]
    if shares:
        yield f"of their packets in the shared time, {listed(shares)} are in both"
    if alignment.joined:
        yield (
            f"{counted(alignment.joined, 'pair')} of segments that offloads joined or split in one "
            "capture: paired by the first byte"
        )
    if alignment.nearer is None:
        yield f"unknown which capture is nearer to the phone: {alignment.nearer_reason}"
    else:
        yield f"{one if alignment.nearer == 'first' else two} is nearer to the phone"


def _share(share: float) -> str:
    """Return a share as text; one just below 1 is not rounded up to 100 %."""
    return percent(share) if share == 1 or share < 0.995 else f"more than{NBSP}99{NBSP}%"


def _clocks(alignment: AlignmentValues) -> Iterator[str]:
    one, two = _names(alignment)
    if alignment.offset_ms is None or alignment.offset_uncertainty_ms is None:
        yield f"offset unknown: {alignment.offset_reason}"
    else:
        offset, unsure = alignment.offset_ms, alignment.offset_uncertainty_ms
        yield (
            f"offset {_signed(offset, unsure)} ({two} less {one}, at {moment(alignment.at_ns)} "
            f"UTC of {one}): {_meaning(offset, unsure, one, two)}"
        )
    if alignment.drift_ppm is None or alignment.drift_uncertainty_ppm is None:
        yield f"drift unknown: {alignment.drift_reason}"
    else:
        unsure = alignment.drift_uncertainty_ppm
        digits = 1 if unsure >= 1 else 3
        yield f"drift {alignment.drift_ppm:+.{digits}f} ±{NBSP}{unsure:.{digits}f}{NBSP}ppm"
    if alignment.round_trip_ms is not None:
        yield (
            f"least round trip between the capture points {_ms(alignment.round_trip_ms)}: its "
            "split into the two directions is unknown, hence the uncertainty of the offset"
        )
    for step in alignment.steps:
        yield (
            f"a clock was set by {_signed(step.step_ms, step.uncertainty_ms)} after "
            f"{moment(step.first_ns)} UTC of {one}"
        )
    if alignment.steps:
        yield "offset and drift are those of the period between steps with most packets"


def _meaning(offset_ms: float, unsure_ms: float, one: str, two: str) -> str:
    if abs(offset_ms) <= unsure_ms:
        return "the clocks may agree"
    ahead = "ahead of" if offset_ms > 0 else "behind"
    by = f" by {seconds(abs(offset_ms) / 1e3)}" if abs(offset_ms) >= 60_000 else ""
    return f"{two} is {ahead} {one}{by}"


def _ways(alignment: AlignmentValues) -> tuple[tuple[str, OneWay], ...]:
    return ("to the phone", alignment.downlink), ("from the phone", alignment.uplink)


def _way(title: str, way: OneWay) -> list[str]:
    figures = (
        way.least_ms, way.median_ms, way.p95_ms, way.median_above_least_ms, way.p95_above_least_ms
    )  # fmt: skip
    return [title, count(way.packets), *("-" if value is None else _ms(value) for value in figures)]


def _between(alignment: AlignmentValues) -> Iterator[str]:
    """Yield the uncertainty of the delays, and the losses."""
    ways = _ways(alignment)
    shown = [way.uncertainty_ms for _, way in ways if way.uncertainty_ms]
    if shown:
        yield (
            f"least, median and p95 are within ±{NBSP}{_ms(max(shown))}, and unknown (-) below "
            "that; differences from the least (queues, HARQ retransmissions) do not depend on the "
            "clocks"
        )
    elif alignment.offset_reason:
        yield "delays unknown, because the offset of the clocks is unknown"
    for title, way in ways:
        if way.lost is not None and way.unseen is not None:
            share = f" ({percent(way.lost / way.sent)})" if way.lost else ""
            missed = f"; {count(way.unseen)} more are in the other capture only"
            lost = f"{count(way.lost)} of {count(way.sent)} packets lost between the capture points"
            yield f"{title}: {lost}{share}{missed if way.unseen else ''}"


def _delays(alignment: AlignmentValues) -> Iterator[Paragraph]:
    far, near = _far_and_near(alignment)
    yield Paragraph("Between", f"delays between {far} and {near}", hang=2)
    yield from _rows(DELAYS, [_way(*way) for way in _ways(alignment)], words=1)


def _bandwidth(alignment: AlignmentValues) -> Iterator[Paragraph]:
    if not alignment.bandwidth_errors:
        yield Paragraph("Bandwidth", f"not compared: {alignment.bandwidth_reason}", hang=2)
        return
    far, near = _far_and_near(alignment)
    yield Paragraph(
        "Bandwidth", f"the estimate at {far} against throughput at {near} (methods E5)", hang=2
    )
    yield from _rows(HEADER, [_error(error) for error in alignment.bandwidth_errors], words=2)
    if any(2 * error.busy < error.compared for error in alignment.bandwidth_errors):
        yield Paragraph("", PAUSES, hang=2)


def _far_and_near(alignment: AlignmentValues) -> tuple[str, str]:
    one, two = _names(alignment)
    return (one, two) if alignment.nearer == "second" else (two, one)


def _rows(header: list[str], body: list[list[str]], *, words: int) -> Iterator[Paragraph]:
    """Yield the lines of a table whose first `words` columns are aligned to the left."""
    rows = [header, *body]
    widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
    for row in rows:
        cells = [
            cell.ljust(width) if column < words else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield Paragraph("", "  ".join(cells), wrap=False)


def _error(error: BandwidthError) -> list[str]:
    figures = (error.mean, error.median, error.p90)
    return [
        f"{error.window_s:.1f}{NBSP}s",
        SPOKEN[error.source],
        f"{count(error.compared)} of {count(error.windows)}",
        *("-" if value is None else percent(value) for value in figures),
        count(error.busy),
        "-" if error.busy_mean is None else percent(error.busy_mean),
    ]


def _input(alignment: AlignmentValues) -> Iterator[str]:
    yield from alignment.warnings
    for side in alignment.inputs:
        for one in side:
            for problem in one["problems"]:
                yield f"{one['name']}: {problem['text']}"


def _tables(alignment: AlignmentValues) -> Iterator[Paragraph]:
    if alignment.path is not None:
        yield Paragraph("Tables", f"{alignment.path}: {', '.join(alignment.tables)}", hang=2)
        yield Paragraph("", f'airmile query {quoted(alignment.path)} "{QUERY}"', wrap=False)


def _headed(heading: str, texts: Iterator[str]) -> Iterator[Paragraph]:
    for number, text in enumerate(texts):
        yield Paragraph(heading if number == 0 else "", text, hang=2)


def _ms(value: float) -> str:
    digits = 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    # Adding 0.0 turns -0.0 into 0.0.
    return f"{round(value, digits) + 0.0:,.{digits}f}".replace(",", NBSP) + f"{NBSP}ms"


def _signed(value: float, uncertainty: float) -> str:
    """Return a value with its uncertainty, rounded to the digits that are certain."""
    digits = 1 if uncertainty >= 10 else 2 if uncertainty >= 1 else 3
    shown = f"{round(value, digits) + 0.0:+,.{digits}f}".replace(",", NBSP)
    return f"{shown}{NBSP}±{NBSP}{uncertainty:.{digits}f}{NBSP}ms"
