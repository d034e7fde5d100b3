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
        return Scored(_cause(case, _clock(facts, capture)), quantities, _doubts(facts))


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


def _clock(facts: Mapping[str, Any], capture: str) -> Callable[[int], int]:
    """Return the time in ns that the clock of a capture point shows at a time in ns."""
    settings = facts["experiment"].get("phone_clock")
    if capture != "ue" or not settings:
        return lambda time_ns: time_ns
    clock, start_ns = PhoneClock(**settings), facts["link"]["start_ns"]
    return lambda time_ns: clock.shows(time_ns, start_ns)


def _cause(case: Case, shown: Callable[[int], int]) -> Score:
    span = case.said._arrow("SELECT min(start_ns) AS a, max(end_ns) AS b FROM flows").to_pylist()[0]
    slices = case.said._arrow(
        "SELECT direction, start_ns, end_ns, bytes, cause FROM slices"
    ).to_pylist()
    labels = case.truth._arrow(_LABELS).to_pylist()
    return score(
        [Slice(**row) for row in slices],
        [_shifted(Bin(**row), shown) for row in labels],
        span["a"],
        span["b"],
        case.direction,
    )


def _shifted(bin_: Bin, shown: Callable[[int], int]) -> Bin:
    return replace(bin_, start_ns=shown(bin_.start_ns), end_ns=shown(bin_.end_ns))


_LABELS = """
    SELECT start_ns, end_ns, label, (active_ttis + contention_ttis)
        / (underflow_ttis + active_ttis + contention_ttis + last_active_ttis) AS busy_ratio
    FROM truth_labels ORDER BY start_ns"""
