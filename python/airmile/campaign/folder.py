"""The folder of a campaign: to which campaign it belongs, and what became of its runs."""

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
"""How often a seed is run before a run of it is left out that fails or cannot be trusted."""

LEFT_OUT = "left-out"
MARK, PART = "campaign.json", "campaign.part"
"""The file that names the campaign of the folder, and its name while it is being written."""

ELSEWHERE = "name another folder with -o"

LOG = "runs.csv"
"""The file with a line for each attempt: name, end, duration in seconds, and state of the run."""

LOADS = "load.csv"
"""The file with a line for each time the load was measured: time, shares in use and stolen."""

ROUNDS = "rounds.json"
"""The file that says in which round each seed is that was repeated."""

PLANS = "plans.json"
"""The file with the plans, each with the number of runs that had been finished before it."""

COLUMNS = 4
"""The number of cells in a line of `LOG`."""

WHY = "why.txt"
"""The file that gives the reason why an attempt failed."""


@dataclass(frozen=True)
class Place:
    """The folder of one campaign.

    Attributes
    ----------
    name : str
        The name of the campaign.
    out : Path
        The path of the folder.
    """

    name: str
    out: Path

    @property
    def plans(self) -> Path:
        """The file of the plans by which runs of the folder were made."""
        return self.out / PLANS

    @property
    def loads(self) -> Path:
        """The file of the loads of the machine before runs."""
        return self.out / LOADS

    @property
    def rounds(self) -> Path:
        """The file of the seeds that were repeated."""
        return self.out / ROUNDS

    def runs(self, group: str = "") -> Path:
        """Return the folder of the dataset with the runs of a group."""
        return self.out / (f"runs-{group}" if group else "runs")

    def run(self, trial: Trial) -> Path:
        """Return the folder of the run of a trial."""
        return self.runs(trial.arm.group) / f"{trial.name}{outcome.SUFFIX}"

    def attempts(self, trial: Trial) -> list[Path]:
        """Return the folders of the attempts at a trial that do not count."""
        numbered = (
            self.out / LEFT_OUT / f"{trial.name}.{number}" for number in range(1, ATTEMPTS + 1)
        )
        return [each for each in numbered if each.exists()]

    def last_attempt(self, trial: Trial) -> Path:
        """Return the folder of the attempt with which a trial is left out for good."""
        return self.out / LEFT_OUT / f"{trial.name}.{ATTEMPTS}"


@dataclass
class Counts:
    """What became of the runs of an arm.

    Attributes
    ----------
    planned, finished : int
        The runs of the plan, and those of them that count.
    late : int
        The attempts that failed or cannot be trusted.
    along : int
        The attempts that could be trusted and were repeated with another arm of their seed.
    left_out : int
        The runs of the plan that are left out.
    """

    planned: int = 0
    finished: int = 0
    late: int = 0
    along: int = 0
    left_out: int = 0


@dataclass
class Tally:
    """What became of the trials: finished, repeated, left out; and the numbers of each arm."""

    finished: list[Trial] = field(default_factory=list)
    repeated: list[Trial] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    arms: dict[str, Counts] = field(default_factory=dict)


@contextmanager
def held(place: Place) -> Iterator[None]:
    """Make the folder of a campaign, and keep other processes out of it while the block runs.

    Raises
    ------
    UsageError
        The folder is a file, contains something else or a link, or another process uses it.
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
    """Raise an error if this is not a campaign's folder, or if root would follow a link in it."""
    if not out.is_dir():
        raise UsageError(f"{out} is a file", ELSEWHERE)
    there = {each.name for each in out.iterdir()} - {PART}
    if there and not (out / MARK).is_file():
        raise UsageError(f"{out} exists and is not the folder of a campaign", ELSEWHERE)
    link = next((each for each in sorted(out.iterdir()) if each.is_symlink()), None)
    if link is not None:
        raise UsageError(f"{link} is a symbolic link, which root would follow", ELSEWHERE)


def _alone(lock: int, place: Place) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(
            f"{place.out}: another process runs this campaign", "wait for it, or name another -o"
        ) from None


def _mark(mark: Path, place: Place) -> None:
    """Write which campaign the folder belongs to; raise an error if it belongs to another."""
    if not mark.exists():
        part = mark.with_name(PART)
        part.write_text(json.dumps({"campaign": place.name}) + "\n")
        part.replace(mark)
    try:
        found = json.loads(mark.read_text())["campaign"]
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{mark}: not the mark of a campaign", ELSEWHERE) from None
    if found != place.name:
        raise UsageError(f"{place.out} belongs to the campaign {found}", ELSEWHERE)


def missing(place: Place, trials: Sequence[Trial]) -> list[Trial]:
    """Return the trials that have not been run yet, or are to be run again."""
    return [
        trial
        for trial in trials
        if not place.run(trial).exists() and not place.last_attempt(trial).exists()
    ]


def tally(place: Place, trials: Sequence[Trial]) -> Tally:
    """Return what became of the trials."""
    found = Tally()
    for trial in trials:
        tried, last = place.attempts(trial), place.last_attempt(trial)
        counts = found.arms.setdefault(trial.arm.name, Counts())
        counts.planned += 1
        if place.run(trial).exists():
            found.finished.append(trial)
            counts.finished += 1
        elif last.exists():
            found.left_out[trial.name] = _why(last)
            counts.left_out += 1
        if tried:
            found.repeated.append(trial)
        along = sum(_trusted(each) for each in tried)
        counts.along += along
        counts.late += len(tried) - along
    return found


def _trusted(attempt: Path) -> bool:
    """Return whether an attempt could be trusted: it was repeated because of another arm."""
    if (attempt / WHY).is_file() or not (attempt / "manifest.json").is_file():
        return False
    return bool(outcome.manifest_of(attempt).get("trustworthy", True))


def _why(attempt: Path) -> str:
    if (attempt / WHY).is_file():
        return (attempt / WHY).read_text(errors="replace").strip()
    if not (attempt / "manifest.json").is_file():
        return "it was killed before it said why it failed"
    facts = outcome.manifest_of(attempt)
    return "; ".join(facts.get("untrustworthy_because", [])) or "its link was late"


def finished(place: Place, groups: Sequence[str]) -> int:
    """Return how many finished runs the datasets of groups hold."""
    there = (run for group in groups for run in place.runs(group).glob(f"*{outcome.SUFFIX}"))
    return sum(outcome.is_run(run) for run in there)


def others(place: Place, trials: Sequence[Trial]) -> int:
    """Return how many finished runs the datasets of trials hold beside them.

    A folder in which the whole campaign was run holds more than `--quick` asks for.
    """
    datasets = {place.runs(trial.arm.group) for trial in trials}
    there = {run for runs in datasets for run in runs.glob(f"*{outcome.SUFFIX}")}
    return sum(outcome.is_run(run) for run in there - {place.run(trial) for trial in trials})


def took_s(place: Place, trials: Sequence[Trial]) -> float:
    """Return how long all attempts at trials took, in seconds, whatever was killed between them.

    Time in which the campaign was killed does not count, nor does a line that was cut off.
    """
    if not (place.out / LOG).exists():
        return 0.0
    names = {trial.name for trial in trials}
    with (place.out / LOG).open(newline="", errors="replace") as file:
        rows = [row for row in csv.reader(file) if len(row) == COLUMNS]
    return sum(float(row[2]) for row in rows if row[0] in names)
