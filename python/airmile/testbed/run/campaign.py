"""A campaign: several runs in one folder, one after the other, which can be resumed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from airmile._errors import AirmileError, InputError
from airmile._words import printable
from airmile.store import _parts
from airmile.testbed.experiment.toml_file import Experiment
from airmile.testbed.hosts import leftovers
from airmile.testbed.record import outcome
from airmile.testbed.run import plan
from airmile.testbed.run.emulated_run import run
from airmile.testbed.run.remaining import Clock

OnStep = Callable[[str], None]


class Failed(str):
    """The line about a run that failed; a run that succeeded has an ordinary string."""


def run_all(
    experiments: Sequence[Experiment], out: Path, on_step: OnStep = lambda _: None
) -> Iterator[str]:
    """Run the experiments whose runs are missing in `out`.

    Parameters
    ----------
    experiments : sequence of Experiment
        The experiments in order. Each has a folder of its name in `out`, beside those already
        there.
    out : Path
        The folder of the runs, which is itself a dataset.
    on_step : callable
        A function that is called with each step of a run and the time left.

    Yields
    ------
    str
        A line for each thing that was removed after a killed run, and one for each run. The line is
        :class:`Failed` if the run failed; the others are run all the same.

    Raises
    ------
    UsageError
        A run of this name exists or is planned with other settings, or `out` is a dataset of
        another kind.
    InputError
        The manifest in `out` cannot be read.
    """
    wanted: plan.Planned = {}
    for experiment in experiments:
        plan.same(wanted.setdefault(experiment.name, experiment), experiment, out)
    yield from cleared()
    plan.join(out, wanted)
    missing = [each for each in wanted.values() if not plan.folder(out, each).exists()]
    if kept := len(wanted) - len(missing):
        yield f"{kept} of {len(wanted)} runs exist already"
    clock = Clock([experiment.longest_s for experiment in missing])
    for number, experiment in enumerate(missing, 1):
        head = f"{number}/{len(missing)}  {experiment.name}"
        line = one(experiment, out, head, _with_time_left(head, clock, on_step))
        clock.over()
        plan.join(out, {experiment.name: experiment})
        yield line


def cleared() -> Iterator[str]:
    """Remove what killed runs have left, and yield a line for each thing."""
    if os.geteuid() == 0:
        cleaned = leftovers.clean()
        yield from (f"removed {each}, which a killed run had left" for each in cleaned.removed)
        yield from (
            f"a killed run has left what cannot be removed: {each}" for each in cleaned.left
        )
        yield from (f"left alone: {each}" for each in cleaned.unproven)


def resume(out: Path, on_step: OnStep = lambda _: None) -> Iterator[str]:
    """Run the experiments that were planned in `out` and whose runs are missing.

    Raises
    ------
    InputError
        No campaign was planned in `out`.
    """
    planned = plan.read(out)
    if not planned:
        raise InputError(f"{out}: contains no campaign", "airmile testbed run bulk_download")
    yield from run_all(list(planned.values()), out, on_step)


def runs(folder: Path) -> list[Path]:
    """Return the finished runs in a folder, or the folder itself if it is a run.

    Raises
    ------
    InputError
        There is no run, or a run is a symbolic link.
    """
    if outcome.is_run(folder):
        return [folder]
    # The name of an unfinished run begins with a dot.
    folders = [path for path in sorted(folder.glob("*/")) if not path.name.startswith(".")]
    for path in folders:
        _parts.refuse_link(path)
    found = [path for path in folders if outcome.is_run(path)]
    if not found:
        raise InputError(f"{folder}: contains no run", "airmile testbed run bulk_download")
    return found


def one(experiment: Experiment, out: Path, head: str, on_step: OnStep) -> str:
    """Run one experiment, and return a line about its result."""
    folder = plan.folder(out, experiment)
    if folder.exists():
        return f"{head}  another campaign has run it"
    try:
        return f"{head}  {_summary(run(experiment, folder, on_step))}"
    except AirmileError as error:
        # The notes of the error name what could not be removed after the run.
        more = [*filter(None, [error.hint]), *getattr(error, "__notes__", ())]
        return Failed("\n  ".join(map(printable, [f"{head}  FAILED: {error.message}", *more])))


def _with_time_left(head: str, clock: Clock, on_step: OnStep) -> OnStep:
    """Return a function that reports a step of a run together with the time left."""
    return lambda step: on_step(f"{head}  {step}  {clock.left()}")


def _summary(facts: dict[str, Any]) -> str:
    if facts["link"] is None:
        warned = "".join(f"\n  {warning}" for warning in facts["warnings"])
        return f"{facts['workload_ended']}, no labels: {facts['truth_reason']}{warned}"
    late = facts["link"]["late_us"]["p99"] / 1e3
    why = "; ".join(facts.get("untrustworthy_because", [])) or "see its manifest.json"
    trust = "" if facts["trustworthy"] else f"\n  NOT to be trusted: {why}"
    return f"{facts['workload_ended']}, late {late:.2f} ms (p99){trust}"
