"""What was captured: names, length, numbers of packets and flows, and the place of the capture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airmile._words import captured, counted, seconds
from airmile.answers import coverage
from airmile.answers.verdict import _sums, _vantage

if TYPE_CHECKING:
    from airmile.answers.verdict._sums import Sums
    from airmile.store import Tables

_SUMS = (
    *("flows", "tcp_flows", "ues", "packets"),
    *("ul_payload_bytes", "dl_payload_bytes", "timeouts_seen"),
)


def headline(dataset: Tables) -> str:
    """Return name, length, packets, flows and capture point (vantage) of a capture."""
    row = totals(dataset)
    if not row["flows"] and _where(dataset):
        return f"{_names(dataset)}  no flow {_where(dataset)}"
    return "  ".join(
        part
        for part in (
            _names(dataset),
            _span(dataset, row["duration_s"]),
            counted(row["packets"], "packet"),
            f"{_phones(dataset, row['ues'])}, {counted(row['tcp_flows'], 'TCP flow')}",
            captured(_vantage.of(dataset).value, row["ues"]),
            _where(dataset),
            _modem(dataset),
        )
        if part
    )


def _phones(dataset: Tables, number: int) -> str:
    """Return how many phones there are; a host that speaks to itself is called a host."""
    return counted(number, "host" if is_loopback(dataset) else "phone")


def is_loopback(dataset: Tables) -> bool:
    """Return whether all judged flows are those of a host with itself."""
    ends = {str(flow["ue"]) for flow in _sums.of(dataset)["flows"]}
    return bool(ends) and all(end == "::1" or end.startswith("127.") for end in ends)


def _span(dataset: Tables, flows_s: float | None) -> str:
    """Return how long was captured, and how long the pauses between captures make it."""
    length_s, covered = _length_s(dataset, flows_s), coverage.of(dataset)
    if length_s is None:
        return "no packets"
    if stepped_length_s(dataset) is not None:
        return f"{seconds(length_s)} (clock steps left out)"
    if covered is None or not covered.has_pauses or dataset.where_condition:
        return seconds(length_s)
    captures = counted(covered.captures, "capture")
    return f"{seconds(covered.covered_s)} in {captures} (over {seconds(covered.whole_s)})"


def _length_s(dataset: Tables, flows_s: float | None) -> float | None:
    """Return the seconds until the last flow ended, counted from where all times are counted."""
    first_ns, end_ns = dataset.manifest.get("first_ns"), _sums.of(dataset)["totals"]["end_ns"]
    stepped = stepped_length_s(dataset) is not None
    if flows_s is None or first_ns is None or stepped or dataset.where_condition:
        return flows_s
    return max(flows_s, float(end_ns - first_ns) / 1e9)


def _modem(dataset: Tables) -> str:
    """Return offset and drift of the modem log's clock relative to the capture's clock."""
    users = dataset.manifest.get("radio", [])
    fits = [user["aligned"] for user in users if user.get("aligned")]
    if fits:
        offsets = ", ".join(
            f"{fit['offset_ms']:+.0f} ± {fit['uncertainty_ms']:.0f} ms" for fit in fits
        )
        return f"modem log aligned ({offsets})"
    return "modem log not aligned" if users else ""


def totals(dataset: Tables) -> dict[str, Any]:
    """Return the totals over `flows`."""
    sums = _sums.of(dataset)["totals"]
    row = {name: sums[name] for name in _SUMS}
    return {
        **row,
        "duration_s": _duration_s(dataset, sums),
        "retransmission_ratio": _retransmission_ratio(sums),
    }


def _duration_s(dataset: Tables, sums: Sums) -> float | None:
    if sums["start_ns"] is None or sums["end_ns"] is None:
        return None
    duration_s: float = (sums["end_ns"] - sums["start_ns"]) / 1e9
    recorded_s = stepped_length_s(dataset)
    return duration_s if recorded_s is None else min(duration_s, recorded_s)


def _retransmission_ratio(sums: Sums) -> float | None:
    again = [sums[f"{way}_retransmissions"] for way in ("ul", "dl")]
    if None in again or not sums["tcp_packets"]:
        return None
    return float(sum(again) / sums["tcp_packets"])


def stepped_length_s(dataset: Tables) -> float | None:
    """Return the recorded seconds if the clock stepped; None if it did not, or if unknown."""
    return _recorded_s(dataset) if clock_steps(dataset.manifest.get("counts", {})) else None


LEAST_STEP_S = 0.001
"""A smaller step of the clock, in s, changes no time that is shown."""


def clock_steps(counts: Mapping[str, Any]) -> int:
    """Return the number of clock steps back that matter, and of those by more than a day ahead.

    >>> clock_steps({"clock_steps_back": 3, "largest_clock_step_s": 2e-6})
    0
    """
    small = counts.get("largest_clock_step_s", LEAST_STEP_S) < LEAST_STEP_S
    back = 0 if small else int(counts.get("clock_steps_back", 0))
    return back + int(counts.get("clock_jumps_ahead", 0))


def _recorded_s(dataset: Tables) -> float | None:
    """Return the recorded seconds; None for several inputs, which may overlap."""
    known = [source.get("recorded_ns") for source in dataset.manifest["inputs"]]
    recorded = [ns for ns in known if ns is not None]
    return recorded[0] / 1e9 if len(recorded) == 1 else None


def _names(dataset: Tables) -> str:
    names = [Path(source["name"]).name for source in dataset.manifest["inputs"]]
    if not names:
        return dataset.path.name
    names = ["standard input" if name == "-" else name for name in names]
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _where(dataset: Tables) -> str:
    return f"where {dataset.where_condition}" if dataset.where_condition else ""
