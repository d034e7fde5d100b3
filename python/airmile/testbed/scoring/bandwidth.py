"""Bandwidth samples against what the link could carry.

As in LTE13 section 6.2 (methods E5) a window slides over the truth in steps of a tenth of its
length; for each window in which the queue was not empty for at least 80 % of the time the sample
nearest its centre is taken, if one lies in it, and compared with what the link carried over the
sample's own span (methods E2). A window in which nothing was carried, as in an outage, has no
bandwidth to compare with. Nor has one after the phone was last heard: nobody sees what drains to a
phone that has closed its connection.

While there was a queue, the link could carry what it did carry. In the rest of the time it could
have carried new data on all PRBs but the share that HARQ retransmissions take of those in use.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from airmile.testbed.scoring.pairs import Case, Compared, Pair

PAYLOAD_SHARE = 1448 / 1500
"""The payload of a full segment with timestamps: 1,448 bytes in 1,500 bytes of IP."""

LINK_LIMITED = 0.8
"""The share of a window with a queue from which on the link is its limit."""


@dataclass(frozen=True)
class Sample:
    """A bandwidth sample: the middle of its span in UTC seconds, its length, payload bits/s."""

    time_s: float
    span_s: float
    bps: float


@dataclass(frozen=True)
class Truth:
    """The truth of one direction, one value per TTI.

    Attributes
    ----------
    start_s : float
        UTC time of the first TTI in seconds.
    available_bytes : sequence of float
        IP bytes that the link would have carried.
    queued : sequence of bool
        Whether data waited.
    tti_s : float
        Length of a TTI.
    payload_share : float
        Payload bytes per IP byte.
    heard_s : float
        UTC time at which the phone was last heard.
    """

    start_s: float
    available_bytes: Sequence[float]
    queued: Sequence[bool]
    tti_s: float = 0.001
    payload_share: float = PAYLOAD_SHARE
    heard_s: float = field(default=float("inf"))

    @cached_property
    def _carried(self) -> list[float]:
        return [0.0, *accumulate(self.available_bytes)]

    @cached_property
    def _waiting(self) -> list[int]:
        return [0, *accumulate(map(int, self.queued))]

    def bps(self, from_s: float, to_s: float) -> float:
        """Give the payload rate that the link could carry from one time to another, in bit/s."""
        payload = (self._until(to_s) - self._until(from_s)) * self.payload_share
        return payload * 8 / (to_s - from_s)

    def queued_share(self, first: int, ttis: int) -> float:
        """Give the share of a number of TTIs, from `first` on, in which data waited."""
        return (self._waiting[first + ttis] - self._waiting[first]) / ttis

    def _until(self, time_s: float) -> float:
        at = min(max((time_s - self.start_s) / self.tti_s, 0.0), len(self.available_bytes))
        whole = min(int(at), len(self.available_bytes) - 1)
        return self._carried[whole] + (at - whole) * self.available_bytes[whole]


def compare(samples: Sequence[Sample], truth: Truth, window_s: float = 1.0) -> Compared:
    """Compare the sample nearest the centre of each link-limited window with its own span's truth.

    Parameters
    ----------
    samples : sequence of Sample
        Ordered by time.
    truth : Truth
        What the link could carry.
    window_s : float
        Length of the sliding window; it moves by a tenth of it.
    """
    length = round(window_s / truth.tti_s)
    times = [sample.time_s for sample in samples]
    pairs = []
    for first in range(0, len(truth.queued) - length + 1, max(1, length // 10)):
        begin = truth.start_s + first * truth.tti_s
        end = begin + window_s
        limited = truth.queued_share(first, length) >= LINK_LIMITED
        actual = truth.bps(begin, end)
        if not limited or not actual or end > truth.heard_s:
            continue
        low, high = (bisect.bisect_left(times, at) for at in (begin, end))
        centre = begin + window_s / 2
        nearest = min(samples[low:high], key=lambda s: abs(s.time_s - centre), default=None)
        if nearest is None:
            pairs.append(Pair(None, actual))
            continue
        half = nearest.span_s / 2
        pairs.append(Pair(nearest.bps, truth.bps(nearest.time_s - half, nearest.time_s + half)))
    return Compared(tuple(pairs), "ratio")


def compare_run(case: Case, window_s: float = 1.0) -> Compared:
    """Compare the samples of a run's direction that were taken with a queue.

    A phone that shares the cell gets less than all PRBs carry. There the truth is what it was
    served.
    """
    truth = truth_of(case)
    if truth is None:
        return Compared((), "ratio")
    rows = case.said._arrow(_SAMPLES.format(direction=case.direction)).to_pylist()
    samples = [Sample(row["time_ns"] / 1e9, row["span_s"], row["bandwidth_bps"]) for row in rows]
    return compare(samples, truth, window_s)


def truth_of(case: Case) -> Truth | None:
    """Give what the link of a run could carry; None for a run without TTIs."""
    rows = case.truth._arrow(_TTIS.format(direction=case.direction)).to_pydict()
    times = rows["time_ns"]
    if not times:
        return None
    way = {"downlink": "dl", "uplink": "ul"}[case.direction]
    share = case.said._arrow(_PAYLOAD.format(way=way)).to_pylist()[0]["share"]
    heard = _heard_ns(case)
    return Truth(
        times[0] / 1e9,
        rows["carried"],
        rows["queued"],
        (times[-1] - times[0]) / 1e9 / max(len(times) - 1, 1),
        share or PAYLOAD_SHARE,
        float("inf") if heard is None else heard / 1e9,
    )


def _heard_ns(case: Case) -> int | None:
    """Give the time when the phone last had a connection; None if unknown."""
    if case.direction == "uplink" or "truth_tcp" not in case.truth.tables:
        return None
    heard: int | None = case.truth._arrow(_HEARD).to_pylist()[0]["heard_ns"]
    return heard


DECODABLE = """
    CASE WHEN queue_bytes > 0 AND state != 'LAST_ACTIVE' THEN served_bytes
        ELSE available_bytes * (1 - (SELECT coalesce(sum(repeated_prbs) / sum(prbs), 0)
            FROM truth_ttis WHERE direction = '{direction}')) END"""
"""SQL of the IP bytes that the link could carry in a TTI, without what was not decoded."""

_TTIS = f"""
    SELECT time_ns, queue_bytes > 0 AND blocked IS DISTINCT FROM 'grant' AS queued,
        {DECODABLE}::DOUBLE AS carried
    FROM truth_ttis WHERE direction = '{{direction}}' ORDER BY tti"""

_SAMPLES = """
    SELECT time_ns, span_s, bandwidth_bps FROM bandwidth_samples
    WHERE direction = '{direction}' AND source = 'queue_evident' ORDER BY time_ns"""

_HEARD = "SELECT max(time_ns) AS heard_ns FROM truth_tcp WHERE place = 'phone' AND state = 1"

# IP and TCP headers with timestamps are 52 bytes.
_PAYLOAD = """
    SELECT sum({way}_payload_bytes) / sum({way}_payload_bytes + 52 * {way}_packets) AS share
    FROM flows WHERE {way}_payload_bytes > 0"""
