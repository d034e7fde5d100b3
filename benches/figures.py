"""Computes figures from costs: medians, nanoseconds per packet, and ratios."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benches.measure import Cost
from benches.subjects import ALL_THREADS, NOTHING, ONE_THREAD, STAGES, TCPTRACE

FLOOR_NS = 27.0
"""The least cost of a packet in ns: reading and decoding it and one update of a flow table.

It was measured on the machine for which the budget was set (design section 9).
"""


@dataclass(frozen=True)
class Median:
    """The medians of the costs of one subject over all rounds."""

    packets: int
    wall_s: float
    cpu_s: float
    peak_bytes: float

    @property
    def ns(self) -> float:
        """CPU time per packet, in nanoseconds."""
        return self.cpu_s / self.packets * 1e9

    @property
    def rate(self) -> float:
        """Number of packets per second of CPU time."""
        return self.packets / self.cpu_s if self.cpu_s else float("inf")


def medians(costs: Mapping[str, tuple[int, list[Cost]]]) -> dict[str, Median]:
    """Return the median of each cost, each by itself."""
    return {
        name: Median(
            packets,
            statistics.median(cost.wall_s for cost in found),
            statistics.median(cost.cpu_s for cost in found),
            statistics.median(cost.peak_bytes for cost in found),
        )
        for name, (packets, found) in costs.items()
    }


def lines(found: Mapping[str, Median]) -> Iterator[str]:
    """Yield a line of text for each subject."""
    yield (
        f"{'':34}{'M packets':>10}{'wall s':>9}{'cpu s':>9}{'ns/packet':>11}{'M/cpu s':>9}{'MB':>8}"
    )
    for name, row in found.items():
        yield (
            f"{name:34}{row.packets / 1e6:10.2f}{row.wall_s:9.2f}{row.cpu_s:9.2f}{row.ns:11.1f}"
            f"{row.rate / 1e6:9.2f}{row.peak_bytes / 1e6:8.0f}"
        )


def ratios(found: Mapping[str, Median], live: Mapping[str, int]) -> Iterator[str]:
    """Yield what follows from two subjects together; `live` is the most flows open at a time."""
    one, every = found[ONE_THREAD], found[ALL_THREADS]
    peer = found.get(TCPTRACE)
    if peer:
        yield f"against {TCPTRACE}: {one.rate / peer.rate:.1f} times its packets per CPU second"
    else:
        yield f"against {TCPTRACE}: not installed (Debian: apt-get install tcptrace)"
    yield f"wall time of all threads against one: {every.wall_s / one.wall_s:.2f}"
    for place, floor_ns in (
        ("the reference machine", FLOOR_NS),
        ("this machine", found["table"].ns),
    ):
        yield f"floor of {place}: {floor_ns:.0f} ns, which is {floor_ns / one.ns:.0%} of the whole"
    yield f"ns per packet, each on top of the one before: {', '.join(_steps(found))}"
    for coding in ("gzip", "zstd"):
        slower = max(found[f"{coding}: decompression"].wall_s, one.wall_s)
        ratio = found[f"{coding}: {ONE_THREAD}"].wall_s / slower
        yield f"{coding} input: {ratio:.2f} of the slower of decompression and analysis alone"
    for name, flows in live.items():
        bytes_each = (found[name].peak_bytes - found[NOTHING].peak_bytes) / flows
        yield f"{name}: {bytes_each:.0f} bytes for each of {flows} live flows"


def _steps(found: Mapping[str, Median]) -> Iterator[str]:
    """Yield what each stage adds; the last stage is the process with Python and Parquet."""
    before = 0.0
    for stage in (*STAGES, ONE_THREAD):
        name = "process and dataset" if stage == ONE_THREAD else stage
        yield f"{name} {found[stage].ns - before:.0f}"
        before = found[stage].ns
