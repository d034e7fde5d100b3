"""Pictures of a flow as xplot files, which xplot and jPlot open.

The format is text. A first line has the types of the axes; title and labels follow; then each line
has one drawing command, or a colour for the commands after it; the last line is `go`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from airmile.draw.series import FlowSeries, Lines
from airmile.store import _files

COLOURS = {
    "new data": "white",
    "retransmission": "red",
    "needless retransmission": "pink",
    "lost before the capture point": "orange",
    "reordered": "magenta",
    "probe or copy": "blue",
}


def write(series: FlowSeries, path: Path) -> list[Path]:
    """Write one file per picture: `path` is the time-sequence graph, others get a suffix."""
    pictures = {
        path: ("sequence offset", "", _sequence(series)),
        _beside(path, "in_flight"): ("bytes", "in_flight", _in_flight(series)),
        _beside(path, "rtt"): ("rtt (ms)", "round_trips", _round_trips(series)),
        _beside(path, "rate"): ("bits per second", "delivered", _rates(series)),
    }
    for place, (label, column, commands) in pictures.items():
        why = series.unseen.get(column)
        title = f"{series.title}: {why}" if why else series.title
        header = ["timeval double", "title", title, "xlabel", "time", "ylabel", label]
        with _files.whole(place) as part:
            part.write_text("\n".join([*header, *commands, "go", ""]), encoding="utf-8")
    return list(pictures)


def _beside(path: Path, name: str) -> Path:
    return path.with_name(f"{path.stem}_{name}{path.suffix}")


def _sequence(series: FlowSeries) -> Iterator[str]:
    yield from _steps(series, "green", series.acks)
    yield from _steps(series, "yellow", series.edges)
    for kind, lines in series.segments.items():
        yield from _segments(series, COLOURS[kind], lines, arrows=True)
    yield from _segments(series, "purple", series.sacks, arrows=False)
    yield from _segments(series, "blue", series.dsacks, arrows=False)
    yield from _marks(series, "green", "utick", series.duplicate_acks)
    yield from _marks(series, "red", "diamond", series.zero_windows)


def _in_flight(series: FlowSeries) -> Iterator[str]:
    yield from _steps(series, "red", series.in_flight)
    yield from _steps(series, "yellow", series.windows)


def _round_trips(series: FlowSeries) -> Iterator[str]:
    yield from _marks(series, "white", "dot", series.round_trips)
    yield from _marks(series, "purple", "dot", series.sack_round_trips)


def _rates(series: FlowSeries) -> Iterator[str]:
    yield from _steps(series, "green", series.delivered)
    yield from _marks(series, "yellow", "diamond", series.available)


def _segments(series: FlowSeries, colour: str, lines: Lines, *, arrows: bool) -> Iterator[str]:
    for time, low, high in zip(*lines, strict=True):
        at = _moment(series, time)
        yield colour
        yield f"line {at} {low:.0f} {at} {high:.0f}"
        if arrows:
            yield f"darrow {at} {low:.0f}"
            yield f"uarrow {at} {high:.0f}"


def _steps(series: FlowSeries, colour: str, lines: Lines) -> Iterator[str]:
    """Yield the commands of a step curve; an unchanged value is not drawn again."""
    times, values = lines
    if not times.size:
        return
    kept = np.append(True, np.diff(values) != 0)
    kept[-1] = True
    times, values = times[kept], values[kept]
    yield colour
    for index in range(1, times.size):
        before, now = _moment(series, times[index - 1]), _moment(series, times[index])
        yield f"line {before} {values[index - 1]:.0f} {now} {values[index - 1]:.0f}"
        yield f"line {now} {values[index - 1]:.0f} {now} {values[index]:.0f}"


def _marks(series: FlowSeries, colour: str, mark: str, lines: Lines) -> Iterator[str]:
    if lines[0].size:
        yield colour
    for time, value in zip(*lines, strict=True):
        yield f"{mark} {_moment(series, time)} {value:.10g}"


def _moment(series: FlowSeries, time: float) -> str:
    """Return seconds since 1970 with microseconds, for which a float is not exact enough."""
    ns = series.start_ns + round(time * 1e9)
    return f"{ns // 10**9}.{ns % 10**9 // 1000:06d}"
