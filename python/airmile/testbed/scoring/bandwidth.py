"""Bandwidth samples against what the link could carry.

As in LTE13 section 6.2 (methods E5) a window slides over the truth in steps of a tenth of its
length; each window in which the queue was not empty for at least 80 % of the time is compared with
the sample nearest its centre, if one lies in it. A window in which nothing was carried, as in an
outage, has no bandwidth to compare with.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass

from airmile.testbed.scoring.pairs import Case, Compared, Pair

PAYLOAD_SHARE = 1448 / 1500
"""A full segment with timestamps: 1,448 bytes of payload in 1,500 bytes of IP."""

LINK_LIMITED = 0.8
"""Share of a window with a queue from which on the link limits it."""


@dataclass(frozen=True)
class Truth:
    """Truth of one direction, one value per TTI.

    Attributes
    ----------
    start_s : float
        UTC time of the first TTI in seconds.
    available_bytes : sequence of int
        IP bytes that the link would have carried.
    queued : sequence of bool
        Whether anything waited.
    tti_s : float
        Length of a TTI.
    """

    start_s: float
    available_bytes: Sequence[int]
    queued: Sequence[bool]
    tti_s: float = 0.001


def compare(
    samples: list[tuple[float, float]],
    truth: Truth,
    window_s: float = 1.0,
    payload_share: float = PAYLOAD_SHARE,
) -> Compared:
    """Compare each link-limited window with the sample nearest its centre.

    Parameters
    ----------
    samples : list of (float, float)
        UTC seconds, payload bits per second; ordered by time.
    truth : Truth
        What the link could carry.
    window_s : float
        Length of the sliding window; it moves by a tenth of it.
    payload_share : float
        Payload bytes per IP byte of a full segment.
    """
    length = round(window_s / truth.tti_s)
    times = [time for time, _ in samples]
    pairs = []
    for first in range(0, len(truth.queued) - length + 1, max(1, length // 10)):
        if sum(truth.queued[first : first + length]) < LINK_LIMITED * length:
            continue
        available = sum(truth.available_bytes[first : first + length])
        if not available:
            continue
        begin = truth.start_s + first * truth.tti_s
        low, high = (bisect.bisect_left(times, at) for at in (begin, begin + window_s))
        centre = begin + window_s / 2
        nearest = min(samples[low:high], key=lambda s: abs(s[0] - centre), default=None)
        actual = available * 8 * payload_share / window_s
        pairs.append(Pair(nearest[1] if nearest else None, actual))
    return Compared(tuple(pairs), "ratio")


def compare_run(case: Case) -> Compared:
    """Compare the samples of a run's direction that rest on a queue.

    A phone that shares the cell is given less than what all PRBs carry: there the truth is what it
    was served, and what it would have been served counts as that.
    """
    rows = case.truth.sql(_TTIS.format(direction=case.direction)).to_pydict()
    if not rows["time_ns"]:
        return Compared((), "ratio")
    times = rows["time_ns"]
    seen = case.said.sql(_SAMPLES.format(direction=case.direction)).to_pylist()
    return compare(
        [(row["time_ns"] / 1e9, row["bandwidth_bps"]) for row in seen],
        Truth(
            times[0] / 1e9,
            rows["carried"],
            rows["queued"],
            (times[-1] - times[0]) / 1e9 / max(len(times) - 1, 1),
        ),
    )


_TTIS = """
    SELECT time_ns, queue_bytes > 0 AND blocked IS DISTINCT FROM 'grant' AS queued,
        CASE WHEN queue_bytes > 0 AND state != 'LAST_ACTIVE' THEN served_bytes
            ELSE available_bytes END AS carried
    FROM truth_ttis WHERE direction = '{direction}' ORDER BY tti"""

_SAMPLES = """
    SELECT time_ns, bandwidth_bps FROM bandwidth_samples
    WHERE direction = '{direction}' AND source = 'queue_evident' ORDER BY time_ns"""
