"""Scores one run: analyses its capture again and compares the result with its truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from airmile._errors import InputError
from airmile.store import _parts, _scratch
from airmile.testbed.hosts.phone_clock import PhoneClock
from airmile.testbed.hosts.sockets import Senders
from airmile.testbed.scoring import (
    bandwidth,
    link_demand,
    promotion,
    radio_on,
    sender,
    utilisation,
)
from airmile.testbed.scoring.cause import Bin, Score, Slice, score
from airmile.testbed.scoring.pairs import Case, Compared

QUANTITIES: Mapping[str, Callable[[Case], Compared]] = {
    "bandwidth": bandwidth.compare_run,
    "utilisation": utilisation.compare_run,
    "link demand": link_demand.compare_run,
    "promotion delay": promotion.promotions,
    "promotion slices": promotion.promotion_slices,
    "radio-on time": radio_on.compare_run,
    "retransmissions": sender.retransmissions,
    "upstream losses": sender.upstream_losses,
    "timeouts": sender.timeouts,
    "window-limited time": sender.window_limited,
    "restarts": sender.restarts,
}
"""The quantities that are compared with the truth besides the cause, by name."""


@dataclass
class Scored:
    """The scores of one run, or of several added up.

    Attributes
    ----------
    cause : Score
        The agreement of the causes per 100 ms.
    quantities : dict of str to Compared
        The cases of each quantity, by the names of `QUANTITIES`.
    doubts : tuple of str
        The reasons not to trust the truth; empty if there are none.
    """

    cause: Score = field(default_factory=Score)
    quantities: dict[str, Compared] = field(
        default_factory=lambda: {name: Compared(()) for name in QUANTITIES}
    )
    doubts: tuple[str, ...] = ()

    def __add__(self, other: Scored) -> Scored:
        both = {name: self.quantities[name] + other.quantities[name] for name in QUANTITIES}
        return Scored(self.cause + other.cause, both, self.doubts + other.doubts)


def score_run(folder: Path, capture: str = "monitor") -> Scored:
    """Analyse the capture of a run with this version of airmile, and score the result.

    Parameters
    ----------
    folder : Path
        The folder of a finished run.
    capture : str
        The capture point: `monitor`, `server` or `ue`.

    Raises
    ------
    InputError
        The run has no truth, as a run over a real interface.
    """
    import airmile
    from airmile.testbed.record.outcome import manifest_of

    truth = airmile.open(folder)
    if "truth_labels" not in truth.tables:
        raise InputError(
            f"{folder}: the run has no truth to score against",
            "score one over the emulated link: airmile testbed run bulk_download",
        )
    facts = manifest_of(folder)
    with _scratch.folder() as scratch:
        source, log = _capture(folder, capture), _file(folder, "modem.csv")
        said = airmile.analyze(source, out=scratch / "x.airmile")
        logged = airmile.analyze(source, modem=log, out=scratch / "y.airmile") if log else None
        case = Case(said, truth, facts["experiment"]["direction"], Senders.of(facts), logged)
        quantities = {name: compare(case) for name, compare in QUANTITIES.items()}
        return Scored(_cause(case, shown(facts, capture)), quantities, _doubts(facts))


def _doubts(facts: Mapping[str, Any]) -> tuple[str, ...]:
    if facts.get("trustworthy", True):
        return ()
    return tuple(facts.get("untrustworthy_because") or ["its manifest says so"])


ANOTHER = "choose another with --capture"


def has_capture(folder: Path, name: str) -> bool:
    """Return whether a run has a capture at a point: `monitor`, `server` or `ue`."""
    return _file(folder, f"{name}.pcap", ANOTHER) is not None


def _capture(folder: Path, name: str) -> Path:
    """Return the file of a run's capture."""
    found = _file(folder, f"{name}.pcap", ANOTHER)
    if found is None:
        raise InputError(f"{folder}: no {name}.pcap in it", ANOTHER)
    return found


def _file(folder: Path, name: str, hint: str | None = None) -> Path | None:
    """Return a file of a run, plain or compressed; None if there is none."""
    found = next(iter(sorted(folder.glob(f"{name}*"))), None)
    if found is not None:
        _parts.refuse_link(found)
        if not found.is_file():
            raise InputError(f"{found}: not an ordinary file", hint)
    return found


def shown(facts: Mapping[str, Any], capture: str) -> Callable[[int], int]:
    """Return the time that a capture point shows for a time at which data enters the radio.

    Both are in ns. The data passes the point earlier or later, by the unloaded delay between.
    """
    experiment = facts["experiment"]
    settings = experiment.get("phone_clock")
    later_ns = _later_ns(experiment["link"], experiment["direction"], capture)
    if capture != "ue" or not settings:
        return lambda time_ns: time_ns + later_ns
    clock, start_ns = PhoneClock(**settings), facts["link"]["start_ns"]
    return lambda time_ns: clock.shows(time_ns + later_ns, start_ns)


def _later_ns(link: Mapping[str, Any], direction: str, capture: str) -> int:
    """Return by how much later data passes a capture point than it enters the radio's queue."""
    air_ms: float = link[direction]["air_ms"]
    wired_ms: float = link[f"path_{direction}"]["delay_ms"]
    if direction == "downlink":
        later_ms = {"ue": air_ms, "monitor": 0.0, "server": -wired_ms}
    else:
        later_ms = {"ue": 0.0, "monitor": air_ms, "server": air_ms + wired_ms}
    return round(later_ms[capture] * 1e6)


def _cause(case: Case, placed: Callable[[int], int]) -> Score:
    span = case.said.arrow("SELECT min(start_ns) AS a, max(end_ns) AS b FROM flows").to_pylist()[0]
    slices = case.said.arrow(
        "SELECT direction, start_ns, end_ns, bytes, cause, uid FROM slices"
    ).to_pylist()
    labels = case.truth.arrow(_LABELS).to_pylist()
    return score(
        [Slice(**row) for row in slices],
        [_shifted(Bin(**row), placed) for row in labels],
        span["a"],
        span["b"],
        case.direction,
    )


def _shifted(bin_: Bin, placed: Callable[[int], int]) -> Bin:
    return replace(bin_, start_ns=placed(bin_.start_ns), end_ns=placed(bin_.end_ns))


_LABELS = """
    SELECT start_ns, end_ns, label, (active_ttis + contention_ttis)
        / (underflow_ttis + active_ttis + contention_ttis + last_active_ttis) AS busy_ratio
    FROM truth_labels ORDER BY start_ns"""
