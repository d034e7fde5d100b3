"""What is known of any run, whatever it ran over: the beginning of its manifest's `testbed`."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from airmile.testbed.experiment.toml_file import Experiment

STALL_US = 200_000
"""The least retransmission timeout of Linux: TRUSTED_MOST_US of crates/link."""


def doubts(
    report: Mapping[str, Any],
    tti_us: int,
    ring_drops: Mapping[str, int],
    capture_drops: Mapping[str, int],
) -> list[str]:
    """Say why a run over the emulated link is not to be trusted; nothing where it is.

    Parameters
    ----------
    report : mapping
        Of the link.
    tti_us : int
        Length of its TTIs.
    ring_drops : mapping of str to int
        Packets that the ring of each device lost.
    capture_drops : mapping of str to int
        Packets that each capture lost.
    """
    found = list(_of_link(report, tti_us))
    found += [f"the ring of {name} lost {_packets(n)}" for name, n in ring_drops.items() if n]
    found += [f"{name}.pcap lost {_packets(n)}" for name, n in capture_drops.items() if n]
    return found


def _of_link(report: Mapping[str, Any], tti_us: int) -> Iterator[str]:
    """Say why the link does not trust itself: the rule is Report::is_trustworthy of crates/link."""
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
    """Tell what was run, where, and how it ended.

    Parameters
    ----------
    experiment : Experiment
        What was run.
    ended : str
        How its workload did.
    capture_drops : mapping of str to int
        Packets that each capture lost.
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
