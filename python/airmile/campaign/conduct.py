"""Makes the runs of a campaign one after the other; a killed campaign continues where it was.

A finished run is in the folder of its group, and what cannot be trusted is moved to `left-out`,
under its name and the round of its seed (:mod:`airmile.campaign.rounds`). A run that cannot be
trusted ends the round: all arms of its seed are run again, in an order that is drawn.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from datetime import UTC, datetime

from airmile.campaign import beside
from airmile.campaign.design import Trial
from airmile.campaign.folder import ATTEMPTS, LOG, WHY, Place, missing
from airmile.campaign.rounds import Rounds
from airmile.testbed.record import outcome
from airmile.testbed.run import campaign, plan
from airmile.testbed.run.campaign import Failed, OnStep
from airmile.testbed.run.remaining import Clock

Before = Callable[[], Iterable[str]]
"""A function that is called before each run."""


def conduct(
    place: Place,
    trials: Sequence[Trial],
    on_step: OnStep = lambda _: None,
    before: Before = lambda: (),
    at_once: int = 1,
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
    before : callable
        A function that is called before each run, and gives lines about what it waits for.
    at_once : int
        The number of runs that are made side by side.

    Yields
    ------
    str
        A line for each thing that was removed after a killed run, and one for each run.

    Raises
    ------
    UsageError
        A finished run was made with other settings, for example by another version of airmile.
    """
    refuse_others(place, trials)
    yield from campaign.cleared()
    rounds = Rounds(place, trials)
    _end_untrusted(rounds)
    queue = rounds.waiting(missing(place, trials))
    if kept := len(trials) - len(queue):
        yield f"{kept} of {len(trials)} runs exist already"
    yield from _all(rounds, queue, on_step, before, at_once)
    for runs in {place.runs(trial.arm.group) for trial in trials}:
        # A campaign may have been killed between the move of a run and the note about it.
        plan.join(runs, {})


def _all(
    rounds: Rounds, queue: list[Trial], on_step: OnStep, before: Before, at_once: int
) -> Iterator[str]:
    """Make the runs of a queue, to which those of repeated seeds are added."""
    allowed = [trial.arm.expected_s for trial in queue]
    clock, done = Clock(allowed), 0
    while queue:
        batch, queue = queue[:at_once], queue[at_once:]
        heads = _heads(batch, done, len(queue))
        yield from before()
        shown = _with_time_left(heads[0], clock, on_step)
        bad = yield from _attempts(rounds, batch, heads, shown)
        for _ in batch:
            done += 1
            clock.over()
        for trial, head, number in bad:
            # Another run of the batch may have ended the round of the seed that they share.
            if rounds.of(trial) == number:
                queue = yield from _repeated(rounds, trial, head, queue)
        allowed[done:] = [each.arm.expected_s for each in queue]


def refuse_others(place: Place, trials: Sequence[Trial]) -> None:
    """Check that no finished run has other settings than the campaign has now.

    Raises
    ------
    UsageError
        A run has others, for example of the whole campaign in the folder of a shorter form.
    """
    planned = {runs: plan.read(runs) for runs in {place.runs(each.arm.group) for each in trials}}
    for trial in trials:
        runs = place.runs(trial.arm.group)
        found = planned[runs].get(trial.name)
        if found is not None and place.run(trial).exists():
            plan.same(found, trial.experiment(), runs)


def _end_untrusted(rounds: Rounds) -> None:
    """End the rounds of untrusted and failed runs, if the campaign was killed before it did so."""
    for trial in rounds.trials:
        if rounds.place.run(trial).exists():
            ended = not _trusted(rounds.place, trial)
        else:
            ended = rounds.attempt(trial).exists()
        if ended:
            _end(rounds, trial)


def _heads(batch: Sequence[Trial], done: int, waiting: int) -> list[str]:
    """Return how the lines about runs begin: with their number of all, and their name."""
    all_runs = done + len(batch) + waiting
    return [f"{done + k}/{all_runs}  {trial.name}" for k, trial in enumerate(batch, 1)]


def _attempts(
    rounds: Rounds, batch: Sequence[Trial], heads: Sequence[str], on_step: OnStep
) -> Generator[str, None, list[tuple[Trial, str, int]]]:
    """Run trials, and return those that cannot be trusted, each with the round of its seed."""
    place, bad = rounds.place, []
    for trial in batch:
        plan.join(place.runs(trial.arm.group), {trial.name: trial.experiment()})
    begun = time.monotonic()
    lines = _made(place, batch, heads, on_step)
    for trial, head, line in zip(batch, heads, lines, strict=True):
        _log(place, trial, time.monotonic() - begun, line.removeprefix(head).strip())
        yield line
        failed = isinstance(line, Failed)
        if failed:
            _note_failure(rounds, trial, line)
        plan.join(place.runs(trial.arm.group), {})
        if failed or not _trusted(place, trial):
            bad.append((trial, head, rounds.of(trial)))
    return bad


def _made(place: Place, batch: Sequence[Trial], heads: Sequence[str], on_step: OnStep) -> list[str]:
    """Make the runs of trials, side by side if there are several; return a line about each."""
    experiments = [trial.experiment() for trial in batch]
    folders = [place.runs(trial.arm.group) for trial in batch]
    if len(batch) == 1:
        return [campaign.one(experiments[0], folders[0], heads[0], on_step)]
    on_step(f"{len(batch)} runs side by side")
    lines = beside.made(experiments, folders)
    return [
        Failed(f"{head}  {line}") if isinstance(line, Failed) else f"{head}  {line}"
        for head, line in zip(heads, lines, strict=True)
    ]


def _repeated(
    rounds: Rounds, trial: Trial, head: str, queue: list[Trial]
) -> Generator[str, None, list[Trial]]:
    """End the round of a trial that cannot be trusted, and return what is still to be run."""
    if not _end(rounds, trial):
        yield f"{head}  left out after {ATTEMPTS} attempts"
        return queue
    plan.join(rounds.place.runs(trial.arm.group), {})
    again = rounds.together(trial)
    if len(again) > 1:
        names = ", ".join(each.name for each in again)
        yield f"{head}  all arms of seed {trial.seed} are run again: {names}"
    return [*again, *(each for each in queue if each.block != trial.block)]


def _end(rounds: Rounds, trial: Trial) -> bool:
    """End the round of an untrusted trial, and return whether its seed is run again."""
    if rounds.again(trial):
        return True
    if rounds.place.run(trial).exists():
        rounds.aside(trial)
    return False


def _note_failure(rounds: Rounds, trial: Trial, line: str) -> None:
    """Write why a run failed, where a run that cannot be trusted would be moved to."""
    aside = rounds.attempt(trial)
    aside.mkdir(parents=True, exist_ok=True)
    (aside / WHY).write_text(line + "\n")


def _log(place: Place, trial: Trial, took_s: float, state: str) -> None:
    ended = datetime.now(UTC).isoformat(timespec="seconds")
    with (place.out / LOG).open("a", newline="") as file:
        csv.writer(file).writerow([trial.name, ended, f"{took_s:.1f}", " ".join(state.split())])


def _trusted(place: Place, trial: Trial) -> bool:
    """Return whether a finished run can be trusted."""
    return bool(outcome.manifest_of(place.run(trial)).get("trustworthy", True))


def _with_time_left(head: str, clock: Clock, on_step: OnStep) -> Callable[[str], None]:
    return lambda step: on_step(f"{head}  {step}  {clock.left()}")
