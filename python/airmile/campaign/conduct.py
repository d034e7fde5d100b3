"""The runs of a campaign, one after the other; a killed one goes on where it was.

What is done shows in the folders alone, and each step is one rename: a finished run is in the
folder of its group, and one that cannot be trusted is moved to `left-out`, under its name and the
number of the attempt. Neither is made again.
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
        The folder, which is held.
    trials : sequence of Trial
        The trials in order.
    on_step : callable
        Called with each step of a run and the time that is left.

    Yields
    ------
    str
        A line for each thing of a killed run that was removed, and one for each run.

    Raises
    ------
    UsageError
        A finished run was made with other settings, as by another version of airmile.
    """
    _refuse_others(place, trials)
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


def _refuse_others(place: Place, trials: Sequence[Trial]) -> None:
    """Refuse finished runs with other settings than those of the campaign now."""
    planned = {runs: plan.read(runs) for runs in {place.runs(each.arm.group) for each in trials}}
    for trial in trials:
        runs = place.runs(trial.arm.group)
        found = planned[runs].get(trial.name)
        if found is not None and place.run(trial).exists():
            plan.same(found, trial.experiment(), runs)


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
    """Return whether a finished run can be trusted; one that cannot is moved away."""
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
