"""The runs of a campaign, one after the other; a killed one goes on where it was.

What is done shows in the folders alone, and each step is one rename: a finished run is in the
folder of its group, and one that cannot be trusted is moved to `left-out`, under its name and the
number of the attempt. Neither is made again.
"""

from __future__ import annotations

import csv
import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from airmile._errors import InputError, UsageError
from airmile.campaign.design import Trial
from airmile.testbed.record import outcome
from airmile.testbed.run import campaign, plan
from airmile.testbed.run.campaign import Failed, OnStep
from airmile.testbed.run.remaining import Clock

ATTEMPTS = 2
"""An untrustworthy or failed run is repeated once, and then left out."""

LEFT_OUT = "left-out"
MARK = "campaign.json"

LOG = "runs.csv"
"""A line for each attempt: the run, when it ended, how long it took, and its state."""

_WHY = "why.txt"


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
        The folder holds something else, or another campaign runs in it.
    """
    mark = place.out / MARK
    if place.out.exists() and not mark.is_file() and any(place.out.iterdir()):
        raise UsageError(f"{place.out} is there and no campaign", "name another folder with -o")
    place.out.mkdir(parents=True, exist_ok=True)
    lock = os.open(place.out, os.O_RDONLY)
    try:
        _alone(lock, place)
        _mark(mark, place)
        yield
    finally:
        os.close(lock)


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
        part = mark.with_suffix(".part")
        part.write_text(json.dumps({"campaign": place.name}) + "\n")
        part.replace(mark)
    try:
        found = json.loads(mark.read_text())["campaign"]
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{mark}: not the mark of a campaign", "remove it") from None
    if found != place.name:
        raise UsageError(f"{place.out} is a campaign {found}", "name another folder with -o")


def missing(place: Place, trials: Sequence[Trial]) -> list[Trial]:
    """Return the trials that are still to be run."""
    return [
        trial
        for trial in trials
        if not place.run(trial).exists() and len(place.attempts(trial)) < ATTEMPTS
    ]


def conduct(
    place: Place, trials: Sequence[Trial], on_step: OnStep = lambda _: None
) -> Iterator[str]:
    """Make the runs of a campaign that are missing, in its order.

    Parameters
    ----------
    place : Place
        The folder, which is held.
    trials : sequence of Trial
        The trials in order.
    on_step : callable
        Called with each step of a run and the time that is left.

    Yields
    ------
    str
        A line for each thing of a killed run that was removed, and one for each run.
    """
    yield from campaign.cleared()
    _move_untrusted(place, trials)
    wanted = missing(place, trials)
    if kept := len(trials) - len(wanted):
        yield f"{kept} of {len(trials)} are there already"
    clock = Clock([trial.arm.expected_s for trial in wanted])
    for number, trial in enumerate(wanted, 1):
        head = f"{number}/{len(wanted)}  {trial.name}"
        yield from _attempts(place, trial, head, _with_time_left(head, clock, on_step))
        clock.over()
    for runs in {place.runs(trial.arm.group) for trial in trials}:
        # A killed campaign may have moved a run without writing so.
        plan.join(runs, {})


def _move_untrusted(place: Place, trials: Sequence[Trial]) -> None:
    """Move what was finished, but not judged, when the campaign was killed."""
    for trial in trials:
        if place.run(trial).exists():
            _judge(place, trial)


def _attempts(place: Place, trial: Trial, head: str, on_step: OnStep) -> Iterator[str]:
    """Run a trial until it can be trusted, or has been repeated often enough."""
    experiment, runs = trial.experiment(), place.runs(trial.arm.group)
    while len(place.attempts(trial)) < ATTEMPTS:
        plan.join(runs, {experiment.name: experiment})
        begun = time.monotonic()
        line = campaign.one(experiment, runs, head, on_step)
        _log(place, trial, time.monotonic() - begun, line.removeprefix(head).strip())
        yield line
        if isinstance(line, Failed):
            _left_out(place, trial).mkdir(parents=True)
            (place.attempts(trial)[-1] / _WHY).write_text(line + "\n")
            continue
        trusted = _judge(place, trial)
        plan.join(runs, {experiment.name: experiment})
        if trusted:
            return
    yield f"{head}  left out after {ATTEMPTS} attempts"


def _log(place: Place, trial: Trial, took_s: float, state: str) -> None:
    ended = datetime.now(UTC).isoformat(timespec="seconds")
    with (place.out / LOG).open("a", newline="") as file:
        csv.writer(file).writerow([trial.name, ended, f"{took_s:.1f}", " ".join(state.split())])


def took_s(place: Place) -> float:
    """Return how long all attempts took, in seconds, whatever was killed between them."""
    if not (place.out / LOG).exists():
        return 0.0
    with (place.out / LOG).open(newline="") as file:
        return sum(float(row[2]) for row in csv.reader(file))


def _judge(place: Place, trial: Trial) -> bool:
    """Return whether a finished run can be trusted; one that cannot is moved away."""
    facts = outcome.manifest(place.run(trial))["testbed"]
    if facts.get("trustworthy", True):
        return True
    aside = _left_out(place, trial)
    aside.parent.mkdir(exist_ok=True)
    place.run(trial).rename(aside)
    return False


def _left_out(place: Place, trial: Trial) -> Path:
    return place.out / LEFT_OUT / f"{trial.name}.{len(place.attempts(trial)) + 1}"


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
    if (attempt / _WHY).is_file():
        return (attempt / _WHY).read_text().strip()
    facts = outcome.manifest(attempt)["testbed"]
    return "; ".join(facts.get("untrustworthy_because", [])) or "its link was late"


def _with_time_left(head: str, clock: Clock, on_step: OnStep) -> Callable[[str], None]:
    return lambda step: on_step(f"{head}  {step}  {clock.left()}")
