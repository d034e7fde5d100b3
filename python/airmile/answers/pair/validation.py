"""Compares the bandwidth estimate with throughput at the phone (methods E5; LTE13 figures 19, 20).

A window slides over the capture nearer to the phone. The rate of the payload in the window is
compared with the bandwidth sample of the other capture that is nearest to its centre. Samples of
`queue_evident` span less than a second, so the mean of those in the window is used instead.

The time of a sample is the middle of two ACKs at the other capture point. These ACKs left the phone
earlier, by their delay. The ceiling of the packets from the phone (offset plus least delay, which
is known exactly) converts the time to that of the phone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from airmile._instants import Times, apart
from airmile.answers.pair.clocks import Clock
from airmile.answers.pair.result import BandwidthError, Which
from airmile.store._alignment_tables import E5, E5_CDF, table

if TYPE_CHECKING:
    from airmile.store import Tables

WINDOWS_S = (1.0, 0.1)
"""The lengths of the sliding window, in seconds (LTE13 section 6.2)."""

SLIDE_S = 0.1
"""The distance between two positions of the window, in seconds."""

BIN_NS = 10_000_000
"""The width of the bins in which the engine counts payload, in ns."""

PAUSE_BINS = 10
"""More bins than this without payload are a pause; HARQ retransmissions and grants are shorter."""

SOURCES = ("queue_evident", "c_rule")

UNKNOWN = np.iinfo(np.int64).min
"""What stands for an instant that cannot be converted to another clock."""


@dataclass(frozen=True)
class Compared:
    """The errors, one row per window, and their distribution, or the reason why there are none."""

    errors: tuple[BandwidthError, ...]
    rows: pa.Table
    cdf: pa.Table
    reason: str | None = None


def none(reason: str) -> Compared:
    """Return an empty comparison with a reason."""
    rows, cdf = (
        table(columns, {column.name: [] for column in columns}) for columns in (E5, E5_CDF)
    )
    return Compared((), rows, cdf, reason)


def compare(volume: pa.Table, samples: pa.Table, clocks: list[Clock], nearer: Which) -> Compared:
    """Compare the samples of one capture with the payload in the other.

    `volume` counts the payload at the nearer point; `samples` are those of the other capture.
    """
    columns: dict[str, list[Any]] = {column.name: [] for column in E5}
    times = _at_the_phone(samples["time_ns"].to_numpy(), clocks, nearer)
    rates = samples["bandwidth_bps"].to_numpy()
    twice = _twice(clocks, nearer)
    arrived = dict(_groups(volume, "ue", "time_ns"))
    for (ue, source), rows in _groups(samples, "ue", "source", "time_ns"):
        if (ue,) not in arrived:
            continue
        rows = rows[times[rows] != UNKNOWN]
        rows = rows[np.argsort(times[rows], kind="stable")]
        passed = volume.take(arrived[ue,])
        for window_s in WINDOWS_S:
            _slide(passed, (ue, source, window_s), (times[rows], rates[rows]), twice, columns)
    rows = table(E5, columns)
    errors = _errors(rows)
    return Compared(errors, rows, _distribution(errors))


def _at_the_phone(times: Times, clocks: list[Clock], nearer: Which) -> Times:
    """Convert times of ACKs at the other point to times at the nearer one, or `UNKNOWN`.

    A clock that was set back shows some instants twice; these cannot be converted.
    """
    found = np.full(times.size, UNKNOWN)
    held = np.zeros(times.size, dtype=np.int64)
    for clock in clocks:
        if nearer == "first":
            # The slope is so small that the time by the second clock is good enough for it.
            guess = apart(times, clock.base_ns)
            shift = clock.at(guess, clock.ceiling_s)
            mapped = guess - (shift * 1e9).astype(np.int64)
            holds = _within(mapped, clock)
        else:
            shift = clock.at(times, clock.floor_s)
            mapped = apart(times, -clock.base_ns) + (shift * 1e9).astype(np.int64)
            holds = _within(times, clock)
        found, held = np.where(holds, mapped, found), held + holds
    once: Times = np.where(held == 1, found, UNKNOWN)
    return once


def _twice(clocks: list[Clock], nearer: Which) -> list[tuple[int, int]]:
    """Return the periods that the nearer clock showed twice: their payload would be added up."""
    spans = [(clock.from_ns, clock.to_ns) for clock in clocks]
    if nearer == "second":
        heights = [
            clock.base_ns + clock.at(np.array(span)) * 1e9
            for clock, span in zip(clocks, spans, strict=True)
        ]
        spans = [(int(a + h[0]), int(b + h[1])) for (a, b), h in zip(spans, heights, strict=True)]
    both = [(max(one[0], two[0]), min(one[1], two[1])) for one, two in combinations(spans, 2)]
    return [(begin, end) for begin, end in both if begin <= end]


def _groups(rows: pa.Table, *names: str) -> Iterator[tuple[tuple[Any, ...], Times]]:
    """Yield the values of all columns but the last, and their rows in order of the last."""
    *kinds, last = (rows[name] for name in names)
    codes = [kind.combine_chunks().dictionary_encode() for kind in kinds]
    numbers = [code.indices.to_numpy() for code in codes]
    order = np.lexsort([last.to_numpy(), *numbers[::-1]])
    edges = np.zeros(max(order.size - 1, 0), dtype=bool)
    for number in numbers:
        edges |= np.diff(number[order]) != 0
    for group in np.split(order, np.flatnonzero(edges) + 1) if order.size else []:
        values = zip(codes, numbers, strict=True)
        yield tuple(code.dictionary[number[group[0]]].as_py() for code, number in values), group


def _within(first_ns: Times, clock: Clock) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = (first_ns >= clock.from_ns) & (first_ns <= clock.to_ns)
    return found


def _slide(
    volume: pa.Table, group: tuple[str, str, float],
    samples: tuple[Times, npt.NDArray[np.float64]], twice: list[tuple[int, int]],
    columns: dict[str, list[Any]],
) -> None:  # fmt: skip
    """Add a row for each window with payload, except at times that the clock showed twice."""
    ue, source, window_s = group
    bins = volume["time_ns"].to_numpy() // BIN_NS
    width = round(window_s * 1e9) // BIN_NS
    begins = _begins(bins, width)
    for begin, end in twice:
        begins = begins[(begins * BIN_NS > end) | ((begins + width) * BIN_NS <= begin)]
    total = np.append(0, np.cumsum(volume["bytes"].to_numpy()))
    arrived = total[np.searchsorted(bins, begins + width)] - total[np.searchsorted(bins, begins)]
    begins, arrived = begins[arrived > 0], arrived[arrived > 0]
    centres = begins * BIN_NS + width * BIN_NS // 2
    throughput = arrived * 8 / window_s
    estimated = _mean if source == "queue_evident" else _nearest
    estimate = estimated(centres, *samples, within=width * BIN_NS // 2)
    count = len(begins)
    added = (
        [ue] * count, [source] * count, [window_s] * count, centres.tolist(), throughput.tolist(),
        estimate.tolist(), (estimate / throughput - 1).tolist(), _busy(bins, centres).tolist(),
    )  # fmt: skip
    for column, values in zip(columns.values(), added, strict=True):
        column.extend(values)


def _begins(bins: Times, width: int) -> Times:
    """Return the begins of the windows that contain at least one of these bins.

    Without this, a record with a wrong time could add years of empty windows.
    """
    slide = round(SLIDE_S * 1e9) // BIN_NS
    last = np.unique((bins - bins[0]) // slide)
    numbers = np.unique(last[:, None] - np.arange(-(-width // slide)))
    begins = bins[0] + numbers * slide
    inside: Times = begins[(begins >= bins[0]) & (begins + width <= bins[-1] + 1)]
    return inside


def _busy(bins: Times, centres: Times) -> npt.NDArray[np.bool_]:
    """Return whether payload arrived in every part of the second around each centre."""
    found = np.ones(centres.size, dtype=bool)
    for part in range(-5, 5):
        begin = centres // BIN_NS + part * PAUSE_BINS
        found &= np.searchsorted(bins, begin + PAUSE_BINS) > np.searchsorted(bins, begin)
    return found


def _mean(
    centres: Times, times: Times, values: npt.NDArray[np.float64], *, within: int
) -> npt.NDArray[np.float64]:
    """Return the mean of the values not farther from each centre than `within`; NaN without any."""
    total = np.append(0.0, np.cumsum(values))
    begin = np.searchsorted(times, centres - within)
    end = np.searchsorted(times, centres + within, side="right")
    with np.errstate(invalid="ignore"):
        mean: npt.NDArray[np.float64] = (total[end] - total[begin]) / (end - begin)
    return mean


def _nearest(
    centres: Times, times: Times, values: npt.NDArray[np.float64], *, within: int
) -> npt.NDArray[np.float64]:
    """Return the value nearest to each centre; NaN when it is farther away than `within`."""
    if times.size == 0:
        return np.full(centres.size, np.nan)
    after = np.clip(np.searchsorted(times, centres), 0, times.size - 1)
    before = np.maximum(after - 1, 0)
    # A stray record may put a window centuries away.
    early, late = apart(centres, times[before]), apart(times[after], centres)
    closer = np.abs(early.astype(np.float64)) <= np.abs(late.astype(np.float64))
    chosen = np.where(closer, before, after)
    near = np.abs(np.where(closer, early, late).astype(np.float64)) <= within
    return np.where(near, values[chosen], np.nan)


def _errors(rows: pa.Table) -> tuple[BandwidthError, ...]:
    found = []
    source, busy = (rows[name].to_numpy(zero_copy_only=False) for name in ("source", "busy"))
    signed = rows["error_ratio"].to_numpy(zero_copy_only=False).astype(np.float64)
    for window_s in WINDOWS_S:
        for name in SOURCES:
            chosen = (rows["window_s"].to_numpy() == window_s) & (source == name)
            if chosen.any():
                errors = np.abs(signed[chosen])
                found.append(_error(window_s, name, errors, busy[chosen].astype(bool)))
    return tuple(found)


def _error(
    window_s: float, source: str, errors: npt.NDArray[np.float64], busy: npt.NDArray[np.bool_]
) -> BandwidthError:
    known = np.isfinite(errors)
    both = errors[known & busy]
    busy_mean = float(both.mean()) if both.size else None
    windows, compared = errors.size, int(known.sum())
    if compared == 0:
        return BandwidthError(window_s, source, windows, 0, None, None, None, 0, None, ())
    cdf = tuple(np.quantile(errors[known], np.linspace(0, 1, 101)).tolist())
    mean = float(errors[known].mean())
    return BandwidthError(
        window_s, source, windows, compared, mean, cdf[50], cdf[90], both.size, busy_mean, cdf
    )


def _distribution(errors: tuple[BandwidthError, ...]) -> pa.Table:
    columns: dict[str, list[Any]] = {column.name: [] for column in E5_CDF}
    for error in errors:
        for percent, value in enumerate(error.cdf):
            row = (error.window_s, error.source, percent / 100, value)
            for column, cell in zip(columns.values(), row, strict=True):
                column.append(cell)
    return table(E5_CDF, columns)


def samples_of(dataset: Tables) -> pa.Table:
    """Return the downlink samples of a dataset with their phones."""
    return dataset.arrow(
        """SELECT flows.ue, s.time_ns, s.bandwidth_bps, s.source FROM bandwidth_samples AS s
        JOIN flows USING (uid) WHERE s.direction = 'downlink' ORDER BY ue, source, time_ns"""
    )
