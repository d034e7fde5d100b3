"""Makes the runs of a campaign one after the other; a killed campaign continues where it was.

Only the folders record what is done, and each step is one rename: a finished run is in the folder
of its group, and a run that cannot be trusted is moved to `left-out`, under its name and the number
of the attempt. Neither is made again.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from airmile.campaign.design import Trial
from airmile.campaign.folder import ATTEMPTS, LEFT_OUT, LOG, WHY, Place, missing
from airmile.testbed.record import outcome
from airmile.testbed.run import campaign, plan
from airmile.testbed.run.campaign import Failed, OnStep
from airmile.testbed.run.remaining import Clock


def conduct(
    place: Place, trials: Sequence[Trial], on_step: OnStep = lambda _: None
) -> Iterator[str]:
    """Make the runs of a campaign that are missing, in its order.

    Parameters
    ----------
    place : Place
        The folder of the campaign, which this process holds.
    trials : sequence of Trial
        The trials in the order of the campaign.
    on_step : callable
        A function that is called with each step of a run and the time left.

    Yields
    ------
    str
        A line for each thing that was removed after a killed run, and one for each run.

    Raises
    ------
    UsageError
        A finished run was made with other settings, for example by another version of airmile.
    """
    _refuse_others(place, trials)
    yield from campaign.cleared()
    _move_untrusted(place, trials)
    wanted = missing(place, trials)
    if kept := len(trials) - len(wanted):
        yield f"{kept} of {len(trials)} runs exist already"
    clock = Clock([trial.arm.expected_s for trial in wanted])
    for number, trial in enumerate(wanted, 1):
        head = f"{number}/{len(wanted)}  {trial.name}"
        yield from _attempts(place, trial, head, _with_time_left(head, clock, on_step))
        clock.over()
    for runs in {place.runs(trial.arm.group) for trial in trials}:
        # A campaign may have been killed between the move of a run and the note about it.
        plan.join(runs, {})


def _refuse_others(place: Place, trials: Sequence[Trial]) -> None:
    """Raise `UsageError` if a finished run has other settings than the campaign has now."""
    planned = {runs: plan.read(runs) for runs in {place.runs(each.arm.group) for each in trials}}
    for trial in trials:
        runs = place.runs(trial.arm.group)
        found = planned[runs].get(trial.name)
        if found is not None and place.run(trial).exists():
            plan.same(found, trial.experiment(), runs)


def _move_untrusted(place: Place, trials: Sequence[Trial]) -> None:
    """Move away untrusted runs that were finished but not judged when the campaign was killed."""
    for trial in trials:
        if place.run(trial).exists():
            _judge(place, trial)


def _attempts(place: Place, trial: Trial, head: str, on_step: OnStep) -> Iterator[str]:
    """Run a trial until the run can be trusted, at most `ATTEMPTS` times."""
    experiment, runs = trial.experiment(), place.runs(trial.arm.group)
    while len(place.attempts(trial)) < ATTEMPTS:
        plan.join(runs, {experiment.name: experiment})
        begun = time.monotonic()
        line = campaign.one(experiment, runs, head, on_step)
        _log(place, trial, time.monotonic() - begun, line.removeprefix(head).strip())
        yield line
        if isinstance(line, Failed):
            _left_out(place, trial).mkdir(parents=True)
            (place.attempts(trial)[-1] / WHY).write_text(line + "\n")
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


def _judge(place: Place, trial: Trial) -> bool:
    """Return whether a finished run can be trusted; move it away if it cannot."""
    facts = outcome.manifest_of(place.run(trial))
    if facts.get("trustworthy", True):
        return True
    aside = _left_out(place, trial)
    aside.parent.mkdir(exist_ok=True)
    place.run(trial).rename(aside)
    return False


def _left_out(place: Place, trial: Trial) -> Path:
    return place.out / LEFT_OUT / f"{trial.name}.{len(place.attempts(trial)) + 1}"


def _with_time_left(head: str, clock: Clock, on_step: OnStep) -> Callable[[str], None]:
    return lambda step: on_step(f"{head}  {step}  {clock.left()}")
