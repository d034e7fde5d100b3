"""Compares bandwidth samples with what the link could carry.

As in LTE13 section 6.2 (methods E5), a window slides over the truth in steps of a tenth of its
length. A window counts if the queue was not empty for at least 80 % of its time. Of the samples in
it, the one nearest its centre is compared with what the link carried over the span of that sample
(methods E2). Two kinds of windows have no bandwidth to compare with: those in which nothing was
carried, as in an outage, and those after the phone was last heard, because nobody sees what the
link sends to a phone that has closed its connection.

While there was a queue, the link could carry what it did carry. In the rest of the time it could
have carried new data on all PRBs, except for the share of used PRBs that HARQ retransmissions took.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from airmile.testbed.scoring.pairs import Case, Compared, Pair

PAYLOAD_SHARE = 1448 / 1500
"""Payload over IP bytes of a full segment with timestamps: 1,448 of 1,500 bytes."""

LINK_LIMITED = 0.8
"""From this share of a window with a queue on, the link counts as the limit."""


@dataclass(frozen=True)
class Sample:
    """A bandwidth sample: middle of its span in UTC seconds, length in s, payload in bit/s."""

    time_s: float
    span_s: float
    bps: float


@dataclass(frozen=True)
class Truth:
    """What the link could carry in one direction, with one value per TTI.

    Attributes
    ----------
    start_s : float
        UTC time of the first TTI, in seconds.
    available_bytes : sequence of float
        The IP bytes that the link could have carried in each TTI.
    queued : sequence of bool
        Whether data waited in each TTI.
    tti_s : float
        Length of a TTI, in seconds.
    payload_share : float
        Payload bytes over IP bytes.
    heard_s : float
        UTC time at which the phone was last heard, in seconds.
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
        """Return the payload rate that the link could carry between two times, in bit/s."""
        payload = (self._until(to_s) - self._until(from_s)) * self.payload_share
        return payload * 8 / (to_s - from_s)

    def queued_share(self, first: int, ttis: int) -> float:
        """Return the share of `ttis` TTIs, from number `first` on, in which data waited."""
        return (self._waiting[first + ttis] - self._waiting[first]) / ttis

    def _until(self, time_s: float) -> float:
        at = min(max((time_s - self.start_s) / self.tti_s, 0.0), len(self.available_bytes))
        whole = min(int(at), len(self.available_bytes) - 1)
        return self._carried[whole] + (at - whole) * self.available_bytes[whole]


def compare(samples: Sequence[Sample], truth: Truth, window_s: float = 1.0) -> Compared:
    """Compare, for each window limited by the link, the sample nearest its centre with the truth.

    Parameters
    ----------
    samples : sequence of Sample
        Bandwidth samples in order of time.
    truth : Truth
        What the link could carry.
    window_s : float
        Length of the sliding window in seconds; it moves by a tenth of its length.
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
    """Compare the samples of a run that were taken while there was a queue.

    A phone that shares the cell gets less than all PRBs carry: its truth is then what it was
    served.
    """
    truth = truth_of(case)
    if truth is None:
        return Compared((), "ratio")
    rows = case.said.arrow(_SAMPLES.format(direction=case.direction)).to_pylist()
    samples = [Sample(row["time_ns"] / 1e9, row["span_s"], row["bandwidth_bps"]) for row in rows]
    return compare(samples, truth, window_s)


def truth_of(case: Case) -> Truth | None:
    """Return what the link of a run could carry; None for a run without a record of TTIs."""
    rows = case.truth.arrow(_TTIS.format(direction=case.direction)).to_pydict()
    times = rows["time_ns"]
    if not times:
        return None
    way = {"downlink": "dl", "uplink": "ul"}[case.direction]
    share = case.said.arrow(_PAYLOAD.format(way=way)).to_pylist()[0]["share"]
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
    """Return the time when the phone last had a connection; None if unknown."""
    if case.direction == "uplink" or "truth_tcp" not in case.truth.tables:
        return None
    heard: int | None = case.truth.arrow(_HEARD).to_pylist()[0]["heard_ns"]
    return heard


DECODABLE = """
    CASE WHEN queue_bytes > 0 AND state != 'LAST_ACTIVE' THEN served_bytes
        ELSE available_bytes * (1 - (SELECT coalesce(sum(repeated_prbs) / sum(prbs), 0)
            FROM truth_ttis WHERE direction = '{direction}')) END"""
"""SQL of the IP bytes that the link could carry in a TTI, without bytes not decoded."""

_TTIS = f"""
    SELECT time_ns, queue_bytes > 0 AND blocked IS DISTINCT FROM 'grant' AS queued,
        {DECODABLE}::DOUBLE AS carried
    FROM truth_ttis WHERE direction = '{{direction}}' ORDER BY tti"""

_SAMPLES = """
    SELECT time_ns, span_s, bandwidth_bps FROM bandwidth_samples
    WHERE direction = '{direction}' AND source = 'queue_evident' ORDER BY time_ns"""

_HEARD = "SELECT max(time_ns) AS heard_ns FROM truth_tcp WHERE place = 'phone' AND state = 1"

# IP and TCP headers with timestamps take 52 bytes.
_PAYLOAD = """
    SELECT sum({way}_payload_bytes) / sum({way}_payload_bytes + 52 * {way}_packets) AS share
    FROM flows WHERE {way}_payload_bytes > 0"""
