"""The facts of a run for its manifest, and the reasons not to trust its truth."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from airmile.testbed.experiment.toml_file import Experiment

STALL_US = 200_000
"""The shortest retransmission timeout of Linux in µs; TRUSTED_MOST_US of crates/link is equal."""


def doubts(
    report: Mapping[str, Any],
    tti_us: int,
    ring_drops: Mapping[str, int],
    capture_drops: Mapping[str, int],
) -> list[str]:
    """Return the reasons not to trust a run over the emulated link; empty if it can be trusted.

    Parameters
    ----------
    report : mapping
        The report that the process of the link printed.
    tti_us : int
        The length of the link's TTIs in microseconds.
    ring_drops : mapping of str to int
        The number of packets that the ring of each device lost.
    capture_drops : mapping of str to int
        The number of packets that each capture lost.
    """
    found = list(_of_link(report, tti_us))
    found += [f"the ring of {name} lost {_packets(n)}" for name, n in ring_drops.items() if n]
    found += [f"{name}.pcap lost {_packets(n)}" for name, n in capture_drops.items() if n]
    return found


def _of_link(report: Mapping[str, Any], tti_us: int) -> Iterator[str]:
    """Yield the reasons in the link's report, by Report::is_trustworthy in crates/link."""
    if report["trustworthy"]:
        return
    late, refused = report["late_us"], report["refused_packets"]
    if late["p99"] >= tti_us:
        yield f"the machine was late: one TTI in 100 by {late['p99'] / 1e3:.2f} ms or more"
    if late["max"] >= STALL_US:
        yield f"the machine stood still: one TTI was {late['max'] / 1e3:.0f} ms late"
    if refused:
        yield f"the kernel did not take {_packets(refused)}"


def _packets(number: int) -> str:
    return "1 packet" if number == 1 else f"{number} packets"


def common(experiment: Experiment, ended: str, capture_drops: Mapping[str, int]) -> dict[str, Any]:
    """Return the facts that every run has: what was run, where, and how it ended.

    Parameters
    ----------
    experiment : Experiment
        The experiment that was run.
    ended : str
        How its workload ended.
    capture_drops : mapping of str to int
        The number of packets that each capture lost.
    """
    return {
        "experiment": asdict(experiment),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "kernel": platform.release(),
        "processors": os.cpu_count(),
        "workload_ended": ended,
        "capture_drops": dict(capture_drops),
        "sender": experiment.sender,
    }
