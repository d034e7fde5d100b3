"""The rows of videos that were played: one per clip, and one per segment."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

from airmile.testbed.truth.trials.rows import Trial, ns
from airmile.testbed.workloads import dash

_SHARED = ("trial", "seed", "iteration", "turn", "step", "port", "congestion_control")


def clip(trial: Trial, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a clip; `row` is the row of its trial."""
    event, segments = trial.said.event, trial.segments
    options = trial.said.options
    rates = [each["mbps"] for each in segments]
    took_s = sum(each["end_unix"] - each["request_unix"] for each in segments)
    return {
        **{name: row[name] for name in _SHARED},
        "adaptation": options.get("adaptation", dash.Options.adaptation),
        "micro_fetch": bool(options.get("micro_fetch_gap_s", 0)),
        "segments": len(segments),
        "bitrate_bps": fmean(rates) * 1e6,
        "got_bps": (trial.bytes or 0) * 8 / took_s if took_s > 0 else None,
        "switches": sum(before != after for before, after in itertools.pairwise(rates)),
        "stalls": event.get("stalls"),
        "stalled_s": segments[-1]["stalled_s"],
        "startup_s": event.get("startup_s"),
        "complete": event["event"] == "video",
    }


def segments(trial: Trial, number: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of the segments of a clip; `number` is the number of its trial."""
    for each in trial.segments:
        yield {
            "trial": number,
            "segment": each["number"],
            **{f"{name}_ns": ns(each[f"{name}_unix"]) for name in ("first", "end")},
            "start_ns": ns(each["request_unix"]),
            "bytes": each["bytes"],
            "bitrate_bps": each["mbps"] * 1e6,
            "got_bps": each["got_mbps"] * 1e6,
            **{name: each[name] for name in ("buffered_before_s", "buffered_s", "stalled_s")},
            "micro_fetches": each["micro_fetches"],
        }
