"""Pictures of a flow with matplotlib: verdict, time-sequence, bytes in flight, RTT, and rate."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from airmile import causes
from airmile._colours import BLACK, BLUE, DARK, GREEN, GREY, ORANGE, PURPLE, RED, WHITE, WINE
from airmile._errors import OutputError
from airmile._words import NBSP, captured, count, counted, rate, seconds, size
from airmile.causes import cause_name
from airmile.draw import axis
from airmile.draw.series import Array, FlowSeries, Lines, within
from airmile.store import _files

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")

SIZE_INCHES = (11.0, 13.5)
DOTS_PER_INCH = 110

TITLE_COLUMNS = 88
"""The number of characters of the title that fit on a line."""

COLUMNS = 4000
"""The width of a picture in columns.

Segments of new data in one column are drawn as one bar, because nobody could distinguish them.
Rarer kinds of segments are never joined.
"""

USUAL_ROUND_TRIPS, USUAL_RATES = 0.995, 0.98
"""Percentiles above which values may be outliers; there are few rates, so theirs is lower."""

WINDOW_SHOWN = 3.0
"""A window above the bytes in flight times this factor is cut off: it would dwarf them."""

LETTER = 0.0065
"""A slice narrower than this share of the picture per letter has no room for its cause's name."""

SEGMENTS: dict[str, tuple[str, str]] = {
    "new data": (BLUE, ""),
    "retransmission": (RED, "v"),
    "needless retransmission": (PURPLE, "v"),
    "lost before the capture point": (ORANGE, "^"),
    "reordered": (BLACK, "x"),
    "probe or copy": (BLACK, "+"),
}
"""The colour and the marker of each kind of segment; kinds differ in more than colour."""


def write(series: FlowSeries, path: Path, span: tuple[float, float] | None = None) -> None:
    """Draw a flow, or `span` (seconds) of it, to a file; the extension sets the format."""
    with _files.whole(path) as part:
        drawn(series, span).savefig(part)


def drawn(series: FlowSeries, span: tuple[float, float] | None = None) -> Figure:
    """Draw a flow, or `span` (seconds) of it.

    Raises
    ------
    OutputError
        Matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise OutputError(
            "pictures need matplotlib, which is not installed",
            "pip install 'airmile[study]', or draw xplot files without it: -o FILE.xpl",
        ) from None
    figure = Figure(figsize=SIZE_INCHES, dpi=DOTS_PER_INCH, layout="constrained")
    ribbon, *panels = figure.subplots(5, 1, sharex=True, height_ratios=[0.3, 3.2, 1.7, 1.4, 1.4])
    title = textwrap.fill(f"{series.title}  {captured(series.vantage)}", TITLE_COLUMNS)
    # matplotlib would read the dollar signs of a host name as a formula.
    figure.suptitle(title, x=0.01, ha="left", fontsize=13, fontweight="bold", parse_math=False)
    start, end = span or (0.0, max(series.duration_s, 1e-3))
    margin = 0.0 if span else (end - start) * 0.01
    edges = series.delivered[0]
    last = end if span or not edges.size else max(end, float(edges[-1]))
    ribbon.set_xlim(start - margin, last + margin)
    _verdict(ribbon, series, (start, end))
    draw: list[Callable[[Axes, FlowSeries, tuple[float, float]], None]]
    draw = [_sequence, _in_flight, _round_trips, _rates]
    for axes, panel in zip(panels, draw, strict=True):
        panel(axes, series, (start, end))
        axes.grid(alpha=0.25, linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    axis.time(panels[-1], end - start)
    return figure


def _verdict(axes: Axes, series: FlowSeries, span: tuple[float, float]) -> None:
    """Draw the causes that limited the flow as a ribbon over time."""
    seen: dict[str, Any] = {}
    width = span[1] - span[0]
    for start, end, cause in series.slices:
        start, end = max(start, span[0]), min(end, span[1])
        if end <= start:
            continue
        colour, hatch = _look(cause)
        # No edges: a white line between two slices would look like a time without a cause.
        bars = axes.broken_barh(
            [(start, end - start)], (0, 1), facecolor=colour, hatch=hatch, edgecolor=WHITE,
            linewidth=0,
        )  # fmt: skip
        seen.setdefault(cause, bars)
        name = cause_name(cause, cellular=series.cellular)
        if (end - start) / width > LETTER * len(name):
            _name(axes, (start + end) / 2, name, colour, hatch)
    axes.set_yticks([])
    axes.set_ylim(0, 1)
    axes.spines[:].set_visible(False)
    axes.tick_params(bottom=False)
    axes.set_ylabel("limited\nby", rotation=0, ha="right", va="center", fontsize=8)
    if seen:
        names = [cause_name(cause, cellular=series.cellular) for cause in seen]
        axes.legend(
            list(seen.values()), names, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=6,
            fontsize=8, frameon=False, borderaxespad=0.1, handlelength=1.4,
        )  # fmt: skip


def _name(axes: Axes, middle: float, name: str, colour: str, hatch: str) -> None:
    """Write the name of a cause on its bar, on a white ground if the bar is hatched."""
    ground = {"facecolor": WHITE, "edgecolor": "none", "boxstyle": "round,pad=0.2"}
    white = colour in (BLUE, GREEN, RED, WINE) and not hatch
    axes.text(
        middle, 0.45, name, ha="center", va="center", fontsize=8,
        color=WHITE if white else BLACK, bbox=ground if hatch else None, clip_on=True,
    )  # fmt: skip


def _look(cause: str) -> tuple[str, str]:
    """Return the colour and the hatch of a cause; a cause that a newer airmile wrote is grey."""
    known = causes.every().get(cause)
    return (known.declared.colour, known.declared.hatch) if known else (GREY, "")


def _sequence(axes: Axes, series: FlowSeries, span: tuple[float, float]) -> None:
    """Draw sequence numbers over time: data between the ACKs and the edge of the window."""
    scale, unit = _unit(_highest(series, span))
    low, high = _limits(series, span)
    edge = "right edge of the receive window"
    if _most(within(series.edges, span)[1]) > high:
        edge += " (partly higher than shown)"
    for name, lines, colour in (
        (edge, series.edges, ORANGE),
        ("acknowledged", series.acks, GREEN),
    ):
        times, values = within(lines, span, around=True)
        if times.size:
            axes.step(times, values / scale, where="post", color=colour, linewidth=1.1, label=name)
    for kind, lines in series.segments.items():
        lines = within(lines, span)
        if lines[0].size:
            colour, mark = SEGMENTS[kind]
            joined = _joined(lines, span) if kind == "new data" else lines
            _bars(axes, joined, scale, colour, mark, f"{kind} ({_number(lines[0], 'packet')})")
    for name, lines, colour in (
        ("SACK block", series.sacks, PURPLE),
        ("D-SACK", series.dsacks, BLACK),
    ):
        lines = within(lines, span)
        if lines[0].size:
            _bars(axes, lines, scale, colour, "", f"{name} ({_number(lines[0])})", alpha=0.5)
    for name, lines, colour, mark in (
        ("duplicate ACK", series.duplicate_acks, GREEN, "2"),
        ("window closed", series.zero_windows, RED, "D"),
    ):
        times, values = within(lines, span)
        _marks(axes, times, values / scale, colour, mark, name, size=4)
    axes.set_ylim(low / scale, high / scale)
    axes.set_ylabel(f"sequence ({unit})")
    _legend_above(axes)


def _in_flight(axes: Axes, series: FlowSeries, span: tuple[float, float]) -> None:
    times, flight = within(series.in_flight, span, around=True)
    window_times, window = within(series.windows, span, around=True)
    most, largest = _most(flight), _most(window)
    top = min(max(most, largest), most * WINDOW_SHOWN or largest)
    scale, unit = _unit(top)
    if window.size:
        beyond = f" (higher than shown: up to {size(largest)})" if largest > top else ""
        axes.step(
            window_times, window / scale, where="post", color=ORANGE,
            label=f"receive window{_plain(beyond)}",
        )  # fmt: skip
    else:
        _unseen_line(axes, "receive window", series.unseen.get("windows"))
    if flight.size:
        axes.step(times, flight / scale, where="post", color=BLUE, linewidth=0.9, label="in flight")
    axes.set_ylim(0, top * 1.05 / scale if largest > top else None)
    axes.set_ylabel(f"in flight{_reach(series)} ({unit})")
    _unseen_panel(axes, series.unseen.get("in_flight"), bare=not top)
    _legend_above(axes)


def _round_trips(axes: Axes, series: FlowSeries, span: tuple[float, float]) -> None:
    for name, lines, colour, mark in (
        ("measured by ACK", series.round_trips, BLUE, "."),
        ("measured by SACK or duplicate ACK", series.sack_round_trips, PURPLE, "x"),
    ):
        times, values = within(lines, span)
        _marks(axes, times, values, colour, mark, name, size=3)
    axes.set_ylabel(f"round trip{_reach(series)} (ms)")
    every = np.concatenate([series.round_trips[1], series.sack_round_trips[1]])
    if not every.size:
        _unseen_panel(axes, series.unseen.get("round_trips"), bare=True)
        return
    least = _plain(seconds(every.min() / 1000))
    axes.axhline(every.min(), color=BLACK, linewidth=0.8, linestyle=":", label=f"shortest: {least}")
    at = np.concatenate([series.round_trips[0], series.sack_round_trips[0]])
    times, shown = within((at, every), span)
    top = axis.top_of(shown, USUAL_ROUND_TRIPS)
    axis.end_at(axes, top, times, shown, lambda ms: seconds(ms / 1000))
    _legend_above(axes)


def _rates(axes: Axes, series: FlowSeries, span: tuple[float, float]) -> None:
    """Draw the delivered rate and the available bandwidth, on an axis from 0."""
    edges, rates = series.delivered
    if rates.size:
        bin_ms = (edges[1] - edges[0]) * 1000
        most = f"used, at most {_plain(rate(_most(_valid(series)[1])))} in {bin_ms:.0f} ms"
        axes.stairs(rates[:-1] / 1e6, edges, color=BLUE, fill=True, alpha=0.35, label=most)
    else:
        _unseen_panel(axes, series.unseen.get("delivered"), bare=True)
    for number, spell in enumerate(series.unknown):
        axes.axvspan(
            *spell, facecolor="none", edgecolor=DARK, hatch="///", alpha=0.4, linewidth=0.0,
            label="" if number else "unknown (duplicate ACKs without SACK)",
        )  # fmt: skip
    at, estimates = within(series.available, span)
    if at.size:
        axes.plot(
            at, estimates / 1e6, "D", color=ORANGE, markersize=4, linestyle="none",
            label=f"available, while data queued ({_number(at)})",
        )  # fmt: skip
    else:
        _unseen_line(axes, "available", series.unseen.get("available", "no estimate in this part"))
    _rate_axis(axes, series, span)
    axes.set_ylabel("rate (Mbps)")
    _legend_above(axes)


def _rate_axis(axes: Axes, series: FlowSeries, span: tuple[float, float]) -> None:
    """Scale the axis by the valid rates shown, and mark what is higher."""
    edges, rates = series.delivered
    used = within(((edges[:-1] + edges[1:]) / 2, rates[:-1]), span)
    available = within(series.available, span)
    known = np.concatenate([within(_valid(series), span)[1], available[1]])
    times, shown = (np.concatenate(columns) for columns in zip(used, available, strict=True))
    top = axis.top_of(known / 1e6, USUAL_RATES)
    axis.end_at(axes, top, times, shown / 1e6, lambda mbps: rate(mbps * 1e6))


def _valid(series: FlowSeries) -> Lines:
    """Return the rates without bins that end an unknown period: their ACK covers all of it."""
    edges, rates = series.delivered
    valid = ~np.isin(edges[:-1], [end for _, end in series.unknown])
    return ((edges[:-1] + edges[1:]) / 2)[valid], rates[:-1][valid]


def _reach(series: FlowSeries) -> str:
    """Return the part of the path that a monitor measures: to the receiver and back."""
    if series.vantage != "monitor":
        return ""
    end = "phone" if series.direction == "downlink" else "server"
    return f",\nmonitor to {end}"


def _plain(text: str) -> str:
    """Replace no-break spaces, which some fonts do not have."""
    return text.replace(NBSP, " ")


def _number(values: Array, noun: str = "") -> str:
    return _plain(counted(values.size, noun) if noun else count(values.size))


def _most(values: Array) -> float:
    return float(values.max()) if values.size else 0.0


def _unseen_panel(axes: Axes, why: str | None, *, bare: bool) -> None:
    """Write across a panel why a line is missing; a `bare` panel has no line and no ticks."""
    if bare:
        axes.set_yticks([])
    if why is not None:
        axes.text(
            0.5, 0.5, why, transform=axes.transAxes, ha="center", va="center", fontsize=11,
            color=DARK,
        )  # fmt: skip


def _unseen_line(axes: Axes, name: str, why: str | None) -> None:
    """Say in the legend why a line is missing."""
    axes.plot([], [], " ", label=f"{name}: unknown ({why})")


def _marks(
    axes: Axes, times: Array, values: Array, colour: str, mark: str, name: str, size: int
) -> None:
    """Draw a mark for each value; without values the legend has no entry either."""
    if times.size:
        axes.plot(
            times, values, mark, color=colour, markersize=size, linestyle="none",
            label=f"{name} ({_number(times)})",
        )  # fmt: skip


def _legend_above(axes: Axes) -> None:
    """Put the legend where it hides no data."""
    axes.legend(
        loc="lower right", bbox_to_anchor=(1, 0.98), ncols=4, fontsize=8, frameon=False,
        borderaxespad=0.0,
    )  # fmt: skip


def _bars(
    axes: Axes, lines: Lines, scale: float, colour: str, mark: str, label: str, alpha: float = 1.0
) -> None:
    """Draw a bar from the first to the last byte of each segment, at least as high as a line."""
    times, low, high = lines
    wide = 1.2 if not mark else 2.0
    drawn = axes.vlines(
        times, low / scale, high / scale, color=colour, linewidth=wide, alpha=alpha, zorder=3
    )
    drawn.set_capstyle("projecting")
    if mark:
        middle = (low + high) / 2 / scale
        axes.plot(
            times, middle, mark, color=colour, markersize=5, linestyle="none", label=label, zorder=4
        )
    else:
        drawn.set_label(label)


def _joined(lines: Lines, span: tuple[float, float]) -> Lines:
    """Join the segments of one column into a bar from the lowest to the highest byte."""
    times, low, high = lines
    if times.size <= COLUMNS:
        return lines
    column = ((times - span[0]) / (span[1] - span[0]) * COLUMNS).astype(int)
    first = np.flatnonzero(np.append(True, np.diff(column) != 0))
    return times[first], np.minimum.reduceat(low, first), np.maximum.reduceat(high, first)


def _highest(series: FlowSeries, span: tuple[float, float]) -> float:
    lines = (series.edges, series.acks, *series.segments.values())
    highest = [within(each, span)[-1] for each in lines]
    return float(max((values.max() for values in highest if values.size), default=1.0))


def _limits(series: FlowSeries, span: tuple[float, float]) -> tuple[float, float]:
    """Return the range of the axis: all data, and the window unless it would dwarf them."""
    sent = [column for lines in series.segments.values() for column in within(lines, span)[1:]]
    acked = within(series.acks, span)[1]
    everything: list[Array] = [values for values in (*sent, acked) if values.size]
    if not everything:
        return 0.0, 1.0
    low = min(float(values.min()) for values in everything)
    high = max(float(values.max()) for values in everything)
    edges = within(series.edges, span)[1]
    room = (high - low) * 0.25
    top = min(float(edges.max()), high + room) if edges.size else high
    margin = max((max(top, high) - low) * 0.03, 1.0)
    return low - margin, max(top, high) + margin


def _unit(most: float) -> tuple[float, str]:
    """Return the unit in which numbers of bytes up to `most` are short."""
    return (1e6, "MB") if most >= 2e6 else (1e3, "KB") if most >= 2e3 else (1.0, "bytes")
