"""The trial before runs side by side: whether their links are as punctual as those of runs alone.

The run of the campaign that carries most is made alone, and then several times at once, in turn.
Runs at the same time share the cores, so that a link may become late that is not late alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from airmile._errors import AirmileError
from airmile._words import NBSP
from airmile.campaign import beside
from airmile.campaign.design import Trial
from airmile.campaign.folder import Place
from airmile.testbed.experiment.toml_file import Experiment
from airmile.testbed.record import outcome
from airmile.testbed.run import plan

TURNS = 3
"""How often the run is made alone, and how often side by side."""

LATER_RATIO, LATER_US = 1.25, 10.0
"""By how much more than the latest alone the links may be late, and still count as unchanged: the
share by which links alone differ on a quiet machine, and the cost of one switch of processes."""

SHARES = ("p50", "p99")
"""The quantiles of the lateness of TTIs that are compared."""

FOLDER = "rehearsal"


@dataclass
class Rehearsal:
    """What a trial of runs side by side found.

    Attributes
    ----------
    number : int
        The number of runs at the same time.
    alone, beside : dict
        For each quantile the lateness of TTIs in µs, of each run.
    doubts : list of str
        Why a run side by side failed or cannot be trusted.
    """

    number: int
    alone: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in SHARES})
    beside: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in SHARES})
    doubts: list[str] = field(default_factory=list)

    @property
    def unchanged(self) -> bool:
        """Whether no link side by side was later than the latest alone."""
        complete = all(
            len(self.alone[name]) == TURNS and len(self.beside[name]) == TURNS * self.number
            for name in SHARES
        )
        return complete and not self.doubts and not self._later()

    def _later(self) -> list[str]:
        """Return the quantiles at which links side by side were later."""
        return [
            name
            for name in SHARES
            if max(self.beside[name]) > LATER_RATIO * max(self.alone[name]) + LATER_US
        ]

    def __str__(self) -> str:
        """Return the outcome of the trial in words."""
        if self.doubts:
            return f"one run at a time: side by side {self.doubts[0]}"
        if not all(self.alone.values()) or not all(self.beside.values()):
            return "one run at a time: the trial gave too few runs"
        late = ", ".join(
            f"{name} {_us(max(self.alone[name]))} alone, {_us(max(self.beside[name]))} side by side"
            for name in SHARES
        )
        if not self.unchanged:
            return f"one run at a time: side by side the links were later ({late})"
        return f"{self.number} runs at a time: the links are as punctual ({late})"


def rehearse(place: Place, trials: Sequence[Trial], number: int) -> Iterator[str]:
    """Make the runs of a trial that are missing, and yield lines about it."""
    experiment = _heaviest(trials).experiment()
    missing = [each for each in _turns(number) if not _all_there(place, experiment, each)]
    if missing:
        yield (
            f"a trial of {experiment.name}, {TURNS} times alone and {TURNS} times {number} at once"
        )
    for names in missing:
        folders = [_folder(place, name) for name in names]
        lines = beside.made([experiment] * len(names), folders)
        yield from (f"  {name}  {line}" for name, line in zip(names, lines, strict=True))
    yield str(found(place, trials, number))


def found(place: Place, trials: Sequence[Trial], number: int) -> Rehearsal:
    """Return what the runs of a trial show."""
    experiment, result = _heaviest(trials).experiment(), Rehearsal(number)
    for names in _turns(number):
        for name in names:
            _add(result, name, plan.folder(_folder(place, name), experiment))
    return result


def noted(place: Place, trials: Sequence[Trial]) -> str:
    """Return in words what the trial in the folder of a campaign found; nothing without one."""
    number = len(list((place.out / FOLDER).glob("beside-1-*")))
    return str(found(place, trials, number)) if number else ""


def _heaviest(trials: Sequence[Trial]) -> Trial:
    """Return the first trial of the arm that carries most in a second."""
    return max(trials, key=lambda trial: trial.arm.megabytes / trial.arm.expected_s)


def _turns(number: int) -> list[list[str]]:
    """Return the names of the runs that are made at once, in their order."""
    return [
        names
        for turn in range(1, TURNS + 1)
        for names in ([f"alone-{turn}"], [f"beside-{turn}-{k}" for k in range(1, number + 1)])
    ]


def _folder(place: Place, name: str) -> Path:
    return place.out / FOLDER / name


def _all_there(place: Place, experiment: Experiment, names: Sequence[str]) -> bool:
    return all(plan.folder(_folder(place, name), experiment).exists() for name in names)


def _add(result: Rehearsal, name: str, run: Path) -> None:
    """Add a run of the trial, if it is there and its link reported how late it was."""
    try:
        facts: dict[str, Any] = outcome.manifest_of(run)
        late = {share: float(facts["link"]["late_us"][share]) for share in SHARES}
    except (AirmileError, KeyError, TypeError, ValueError):
        if name.startswith("beside"):
            result.doubts.append("a run failed")
        return
    into = result.alone if name.startswith("alone") else result.beside
    for share, value in late.items():
        into[share].append(value)
    if into is result.beside and not facts.get("trustworthy", True):
        result.doubts += facts.get("untrustworthy_because", []) or ["a link was late"]


def _us(late_us: float) -> str:
    return f"{late_us:.0f}{NBSP}µs"
