"""Computes the values of an alignment from packets and clocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from airmile._words import counted, percent, seconds
from airmile.answers.pair.clocks import STEEPEST, Array, Clock
from airmile.answers.pair.delays import delays, one_way
from airmile.answers.pair.found import Found
from airmile.answers.pair.result import AlignmentValues, OneWay, Step, Which
from airmile.answers.pair.validation import Compared
from airmile.store._alignment_tables import DELAY, STEPS, TABLES, table

FEW_PAIRED = 0.5
"""If the captures share a smaller part of their packets, there is a warning."""
BOTH_WAYS = "it needs packets of both directions in a period without a step of a clock"


def sum_up(
    captures: list[str], found: Found, compared: Compared, path: Path | None
) -> AlignmentValues:
    """Return the result of comparing two captures."""
    clock = found.clock
    delay, uncertainty = delays(found.first_ns, found.second_ns, found.forward, found.clocks)
    delay[found.left_out] = uncertainty[found.left_out] = np.nan
    steps = _steps(found)
    shares = tuple(_share(found.counts[side]) for side in ("first", "second"))
    pairs = _with_delays(found.pairs, delay, uncertainty)
    tables = (pairs, table(STEPS, _columns(steps)), compared.rows, compared.cdf)
    return AlignmentValues(
        first=captures[0],
        second=captures[1],
        nearer=found.nearer,
        nearer_reason=_nearer_reason(found),
        offset_ms=None if clock is None else clock.base_ns / 1e6 + clock.offset_s * 1e3,
        offset_uncertainty_ms=None if clock is None else clock.uncertainty_s * 1e3,
        offset_reason=found.no_clock,
        **_drift(found, clock),
        at_ns=int(found.first_ns[0]) if clock is None else clock.origin_ns,
        span_s=_span_s(found, clock),
        round_trip_ms=None if clock is None or found.nearer is None else clock.room_s * 1e3,
        steps=steps,
        pairs=found.pairs.num_rows,
        joined=found.pairs.num_rows
        - int(np.sum(found.pairs["whole"].to_numpy(zero_copy_only=False))),
        left_out=int(found.left_out.sum()),
        paired_share=(shares[0], shares[1]),
        uplink=_way("uplink", found, delay, uncertainty),
        downlink=_way("downlink", found, delay, uncertainty),
        bandwidth_errors=compared.errors,
        bandwidth_reason=compared.reason,
        warnings=_warnings(captures, found, shares),
        counts=found.counts,
        inputs=found.inputs,
        interrupted=found.interrupted,
        tables=dict(zip(TABLES, tables, strict=True)),
        path=path,
    )


def _drift(found: Found, clock: Clock | None) -> dict[str, Any]:
    names = ("drift_ppm", "drift_uncertainty_ppm", "drift_reason")
    if clock is None:
        return dict(zip(names, (None, None, BOTH_WAYS), strict=True))
    if clock.slope_uncertainty >= STEEPEST:
        why = (
            f"{seconds(_span_s(found, clock))} with these delays show no drift below "
            f"{STEEPEST * 1e6:.0f} ppm"
        )
        return dict(zip(names, (None, None, why), strict=True))
    figures = (clock.slope * 1e6, clock.slope_uncertainty * 1e6, None)
    return dict(zip(names, figures, strict=True))


def _span_s(found: Found, clock: Clock | None) -> float:
    if clock is None:
        return float(np.ptp(found.first_ns)) / 1e9
    return (clock.to_ns - clock.from_ns) / 1e9


def _nearer_reason(found: Found) -> str | None:
    if found.nearer is not None:
        return None
    if found.no_clock is not None:
        return BOTH_WAYS
    return "the delay between the capture points does not exceed the jitter of their clocks"


def _way(name: str, found: Found, delay: Array, uncertainty: Array) -> OneWay:
    up = name == "uplink"
    chosen = found.up == up
    packets = int(chosen.sum())
    # Two clocks have different errors, so delays of different periods cannot be compared.
    if found.clock is not None:
        chosen[: found.clock.rows.start] = chosen[found.clock.rows.stop :] = False
    chosen &= np.isfinite(delay)
    passed_first: Which | None = None
    if found.nearer is not None:
        passed_first = found.nearer if up else ("second" if found.nearer == "first" else "first")
    reason = found.no_clock and "the offset of the clocks is unknown"
    worst = float(uncertainty[chosen].max()) if chosen.any() else None
    return one_way(name, packets, delay[chosen], worst, reason, found.counts, passed_first)


def _steps(found: Found) -> tuple[Step, ...]:
    return tuple(
        _step(found, before, after)
        for before, after in zip(found.clocks, found.clocks[1:], strict=False)
    )


def _step(found: Found, before: Clock, after: Clock) -> Step:
    last = before.rows.stop - 1
    first = found.first_ns[[last, after.rows.start]]
    heights = [
        clock.base_ns / 1e6 + clock.at(first[[index]])[0] * 1e3
        for index, clock in enumerate((before, after))
    ]
    return Step(
        int(first[0]),
        int(found.second_ns[last]),
        float(heights[1] - heights[0]),
        float(before.uncertainty_at(first[:1])[0] + after.uncertainty_at(first[1:])[0]) * 1e3,
    )


def _share(side: dict[str, Any]) -> float | None:
    ways = [side["uplink"], side["downlink"]]
    packets = sum(way["packets"] for way in ways)
    return 1 - sum(way["alone"] for way in ways) / packets if packets else None


def _warnings(
    captures: list[str], found: Found, shares: tuple[float | None, ...]
) -> tuple[str, ...]:
    texts = [
        f"{capture}: only {percent(share)} of its packets (of shared connections, in the shared "
        "time) are in the other capture: packets were dropped while capturing, or took another path"
        for capture, share in zip(captures, shares, strict=True)
        if share is not None and share < FEW_PAIRED
    ]
    if found.far_apart:
        left = counted(found.far_apart, "packet")
        texts.append(f"{left} of both captures left out: their times lie more than 100 years apart")
    if found.left_out.any():
        left = counted(int(found.left_out.sum()), "packet")
        texts.append(f"{left} left out: no clock explains their times; they may be wrongly paired")
    if found.clocks and found.one_way.any():
        alone = counted(int(found.one_way.sum()), "packet")
        texts.append(
            f"{alone} before or after a step of a clock have one direction only: no offset"
        )
    for side in found.inputs:
        texts += [f"{one['name']}: {text}" for one in side for text in one["warnings"]]
    return tuple(texts)


def _with_delays(pairs: pa.Table, delay: Array, uncertainty: Array) -> pa.Table:
    added = table(DELAY, {"delay_ms": delay, "delay_uncertainty_ms": uncertainty})
    for field in added.schema:
        pairs = pairs.append_column(field, added[field.name])
    return pairs


def _columns(steps: tuple[Step, ...]) -> dict[str, list[Any]]:
    return {column.name: [getattr(step, column.name) for step in steps] for column in STEPS}
