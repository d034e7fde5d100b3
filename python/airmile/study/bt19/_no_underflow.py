"""What looks like an empty queue in a modem log although the queue was not empty (methods G5)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from airmile.store._definitions import USER_DATA
from airmile.store._needs import Missing, source
from airmile.study._numbers import Number, part, unknown
from airmile.study._radio import bursts, scheduled

if TYPE_CHECKING:
    from airmile.store import Tables

SECTION = "beyond"
"""The section of these numbers, which the paper does not contain."""

GAP_MS, PATTERNS_MS = 6, (40, 80)
"""The length and the repetition periods of LTE's measurement gaps.

They are patterns 0 and 1 of TS 36.133 section 8.1.2.1. In a gap the phone listens to other
frequencies, and the base station sends it nothing.
"""

CHANCE = 1e-3
"""The highest probability that a pattern found is due to chance; our choice."""

LONGEST_MS = 100
"""Longer silences within a burst are ignored; equal to `bursts.contention_max_ms`."""


def numbers() -> Iterator[Number]:
    """Yield the numbers of milliseconds that look busy or empty although no queue changed."""
    yield Number(SECTION, "padding, of the bytes of downlink blocks", "share", "", "G5", _padding)
    yield Number(SECTION, "ACTIVE ms with HARQ retransmissions alone", "share", "", "G5", _harq)
    yield Number(
        SECTION, "silent ms of bursts that lie in measurement gaps", "share", "", "G5", _gaps
    )
    for what, reason in (
        ("silence because of DRX", "no record that is read says when the phone listened"),
        ("5G NR slots", "no format that is read holds allocations of 5G NR"),
    ):
        yield unknown(SECTION, what, "", "G5", reason)


def measurement_gap(sent: Sequence[int], silent: Sequence[int]) -> tuple[int, int] | None:
    """Return the repetition period and first subframe of measurement gaps; None without gaps.

    Parameters
    ----------
    sent, silent : sequence of int
        The place, within 80 ms, of each millisecond in a burst with and without an allocation.

    Examples
    --------
    >>> busy = [0 if place % 40 < 6 else 50 for place in range(80)]
    >>> measurement_gap(busy, [50 - each for each in busy])
    (40, 0)
    >>> measurement_gap([25] * 80, [25] * 80) is None
    True
    """
    total = sum(sent) + sum(silent)
    if not sum(sent) or not sum(silent):
        return None
    idle = sum(silent) / total
    best, least = None, math.log(CHANCE / sum(PATTERNS_MS))
    for period_ms in PATTERNS_MS:
        for first in range(period_ms):
            places = _places(period_ms, first)
            if any(sent[place] for place in places):
                continue
            chance = sum(silent[place] for place in places) * math.log(idle)
            if chance < least:
                best, least = (period_ms, first), chance
    return best


def _places(period_ms: int, first: int) -> list[int]:
    """Return which of the 80 places belong to a gap pattern."""
    most = max(PATTERNS_MS)
    return [(first + repeat + ms) % most for repeat in range(0, most, period_ms)
            for ms in range(GAP_MS)]  # fmt: skip


def _padding(dataset: Tables) -> str:
    rows = source(dataset, "ttis", "direction", "rnti", "tbs_bytes", "padding_bytes")
    known = f"direction = 'downlink' AND {USER_DATA} AND padding_bytes IS NOT NULL"
    return f"""
        SELECT sum(padding_bytes)::DOUBLE / nullif(sum(tbs_bytes), 0), count(*)
        FROM {rows} WHERE {known}"""


def _harq(dataset: Tables) -> str:
    rows = source(dataset, "ttis", "user", "tti", "direction", "rnti", "prbs", "retransmission")
    ms = f"""(
        SELECT 1 AS ms, bool_and(retransmission) AS again FROM {rows}
        WHERE direction = 'downlink' AND {USER_DATA} AND prbs > 0 AND retransmission IS NOT NULL
        GROUP BY run, "user", tti)"""
    return part("ms", "again", ms)


def _gaps(dataset: Tables) -> str:
    """Return SQL for the share of the silent milliseconds in bursts that lie in gaps."""
    lost, all_silent = 0, 0
    patterns = 0
    for sent, silent in _by_phone(dataset):
        found = measurement_gap(sent, silent)
        patterns += found is not None
        lost += sum(silent[place] for place in _places(*found)) if found else 0
        all_silent += sum(silent)
    if not patterns:
        raise Missing("no 6 ms of 40 or 80 are always silent in bursts", "")
    return f"SELECT {lost / all_silent}::DOUBLE, {all_silent}"


def _by_phone(dataset: Tables) -> Iterator[tuple[list[int], list[int]]]:
    """Yield for each phone of each run the places, within 80 ms, of the milliseconds of bursts."""
    most = max(PATTERNS_MS)
    found = dataset.records(f"""
        WITH burst AS (FROM {bursts(dataset, "bursttracker")}),
        ms AS (
            SELECT each.run, each."user", each.tti, burst.start_ns
            FROM {scheduled(dataset)} AS each ASOF JOIN burst
                ON burst.run = each.run AND burst."user" = each."user"
                    AND each.time_ns >= burst.start_ns
            WHERE each.time_ns < burst.end_ns),
        pause AS (
            SELECT run, "user", tti, lead(tti) OVER (
                PARTITION BY run, "user", start_ns ORDER BY tti) AS next_tti FROM ms),
        place AS (
            SELECT run, "user", tti % {most} AS place, true AS sent FROM pause
            UNION ALL
            SELECT run, "user", unnest(range(tti + 1, next_tti)) % {most}, false
            FROM pause WHERE next_tti - tti <= {LONGEST_MS})
        SELECT run, "user", place, count_if(sent) AS sent, count_if(NOT sent) AS silent
        FROM place GROUP BY run, "user", place ORDER BY run, "user" """)
    for _, rows in itertools.groupby(found, lambda row: (row["run"], row["user"])):
        counts = {row["place"]: (row["sent"], row["silent"]) for row in rows}
        each = [counts.get(place, (0, 0)) for place in range(most)]
        yield [sent for sent, _ in each], [silent for _, silent in each]
