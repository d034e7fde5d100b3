"""What is known of any run, whatever it ran over: the beginning of its manifest's `testbed`."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from airmile.testbed.experiment import Experiment


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
