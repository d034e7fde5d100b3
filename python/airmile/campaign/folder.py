"""The folder of a campaign: whose it is, which runs are in it, and what became of the others."""

from __future__ import annotations

import csv
import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from airmile._errors import InputError, UsageError
from airmile.campaign.design import Trial
from airmile.testbed.record import outcome

ATTEMPTS = 2
"""An untrustworthy or failed run is repeated once, and then left out."""

LEFT_OUT = "left-out"
MARK, PART = "campaign.json", "campaign.part"
"""The file that says which campaign's folder it is, and its name while it is written."""

ELSEWHERE = "name another folder with -o"

LOG = "runs.csv"
"""A line for each attempt: the run, when it ended, how long it took, and its state."""

COLUMNS = 4
"""Cells of such a line."""

WHY = "why.txt"
"""The file that says why an attempt failed."""


@dataclass(frozen=True)
class Place:
    """The folder of a campaign.

    Attributes
    ----------
    name : str
        The campaign's name.
    out : Path
        The folder.
    """

    name: str
    out: Path

    def runs(self, group: str = "") -> Path:
        """Return the dataset of the runs of a group."""
        return self.out / (f"runs-{group}" if group else "runs")

    def run(self, trial: Trial) -> Path:
        """Return the folder of a run."""
        return self.runs(trial.arm.group) / f"{trial.name}{outcome.SUFFIX}"

    def attempts(self, trial: Trial) -> list[Path]:
        """Return the attempts of a trial that were left out."""
        numbered = (
            self.out / LEFT_OUT / f"{trial.name}.{number}" for number in range(1, ATTEMPTS + 1)
        )
        return [each for each in numbered if each.exists()]


@dataclass
class Tally:
    """What became of the trials."""

    finished: list[Trial] = field(default_factory=list)
    repeated: list[Trial] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


@contextmanager
def held(place: Place) -> Iterator[None]:
    """Hold the folder of a campaign, which it makes, against another process of it.

    Raises
    ------
    UsageError
        The folder is a file, holds something else or a link, or another campaign runs in it.
    """
    mark = place.out / MARK
    if place.out.exists():
        _refuse(place.out)
    place.out.mkdir(parents=True, exist_ok=True)
    lock = os.open(place.out, os.O_RDONLY)
    try:
        _alone(lock, place)
        _mark(mark, place)
        yield
    finally:
        os.close(lock)


def _refuse(out: Path) -> None:
    """Refuse what is no campaign's folder, and one in which root would write through a link."""
    if not out.is_dir():
        raise UsageError(f"{out} is a file", ELSEWHERE)
    there = {each.name for each in out.iterdir()} - {PART}
    if there and not (out / MARK).is_file():
        raise UsageError(f"{out} is there and no campaign", ELSEWHERE)
    link = next((each for each in sorted(out.iterdir()) if each.is_symlink()), None)
    if link is not None:
        raise UsageError(f"{link} is a symbolic link", ELSEWHERE)


def _alone(lock: int, place: Place) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(
            f"{place.out}: another process runs this campaign", "wait for it, or name another -o"
        ) from None


def _mark(mark: Path, place: Place) -> None:
    """Write whose folder it is, or refuse another campaign's."""
    if not mark.exists():
        part = mark.with_name(PART)
        part.write_text(json.dumps({"campaign": place.name}) + "\n")
        part.replace(mark)
    try:
        found = json.loads(mark.read_text())["campaign"]
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{mark}: not the mark of a campaign", ELSEWHERE) from None
    if found != place.name:
        raise UsageError(f"{place.out} is a campaign {found}", ELSEWHERE)


def missing(place: Place, trials: Sequence[Trial]) -> list[Trial]:
    """Return the trials that are still to be run."""
    return [
        trial
        for trial in trials
        if not place.run(trial).exists() and len(place.attempts(trial)) < ATTEMPTS
    ]


def tally(place: Place, trials: Sequence[Trial]) -> Tally:
    """Count what became of the trials."""
    found = Tally()
    for trial in trials:
        tried = place.attempts(trial)
        if place.run(trial).exists():
            found.finished.append(trial)
        elif len(tried) >= ATTEMPTS:
            found.left_out[trial.name] = _why(tried[-1])
        if tried:
            found.repeated.append(trial)
    return found


def _why(attempt: Path) -> str:
    if (attempt / WHY).is_file():
        return (attempt / WHY).read_text(errors="replace").strip()
    if not (attempt / "manifest.json").is_file():
        return "it was killed before it said why it failed"
    facts = outcome.manifest_of(attempt)
    return "; ".join(facts.get("untrustworthy_because", [])) or "its link was late"


def others(place: Place, trials: Sequence[Trial]) -> int:
    """Return how many finished runs the datasets of trials hold beside them.

    A folder in which the whole campaign was run holds more than `--quick` asks for.
    """
    datasets = {place.runs(trial.arm.group) for trial in trials}
    there = {run for runs in datasets for run in runs.glob(f"*{outcome.SUFFIX}")}
    return sum(outcome.is_run(run) for run in there - {place.run(trial) for trial in trials})


def took_s(place: Place, trials: Sequence[Trial]) -> float:
    """Return how long all attempts at trials took, in seconds, whatever was killed between them.

    A line that was cut off with its campaign does not count.
    """
    if not (place.out / LOG).exists():
        return 0.0
    names = {trial.name for trial in trials}
    with (place.out / LOG).open(newline="", errors="replace") as file:
        rows = [row for row in csv.reader(file) if len(row) == COLUMNS]
    return sum(float(row[2]) for row in rows if row[0] in names)
