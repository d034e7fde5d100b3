"""A campaign: several runs, one after the other, in a folder that can be resumed."""

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
    """The line about a run that failed."""


def run_all(
    experiments: Sequence[Experiment], out: Path, on_step: OnStep = lambda _: None
) -> Iterator[str]:
    """Run the experiments that are missing in `out`.

    Parameters
    ----------
    experiments : sequence of Experiment
        The experiments in order; each has a folder of its name. They are added to those in `out`.
    out : Path
        The folder of the runs, which is a dataset itself.
    on_step : callable
        Called with each step of a run and the time that is left.

    Yields
    ------
    str
        A line for each thing of a killed run that was removed, and one for each run, which is
        :class:`Failed` where it failed; the others are run all the same.

    Raises
    ------
    UsageError
        A run of this name exists or is planned with other settings, or `out` is another dataset.
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
        yield f"{kept} of {len(wanted)} are there already"
    clock = Clock([experiment.longest_s for experiment in missing])
    for number, experiment in enumerate(missing, 1):
        head = f"{number}/{len(missing)}  {experiment.name}"
        line = one(experiment, out, head, _with_time_left(head, clock, on_step))
        clock.over()
        plan.join(out, {experiment.name: experiment})
        yield line


def cleared() -> Iterator[str]:
    """Remove what killed runs have left."""
    if os.geteuid() == 0:
        cleaned = leftovers.clean()
        yield from (f"removed {each}, which a killed run had left" for each in cleaned.removed)
        yield from (f"a killed run has left behind: {each}" for each in cleaned.left)


def resume(out: Path, on_step: OnStep = lambda _: None) -> Iterator[str]:
    """Run the experiments that were planned in `out` and are missing.

    Raises
    ------
    InputError
        Nothing was planned there.
    """
    planned = plan.read(out)
    if not planned:
        raise InputError(f"{out}: no campaign in it", "airmile testbed run bulk_download")
    yield from run_all(list(planned.values()), out, on_step)


def runs(folder: Path) -> list[Path]:
    """Find the finished runs in a folder, or the folder itself if it is one.

    Raises
    ------
    InputError
        There is none, or one is a symbolic link.
    """
    if outcome.is_run(folder):
        return [folder]
    # A name that begins with a dot is that of an unfinished run.
    folders = [path for path in sorted(folder.glob("*/")) if not path.name.startswith(".")]
    for path in folders:
        _parts.refuse_link(path)
    found = [path for path in folders if outcome.is_run(path)]
    if not found:
        raise InputError(f"{folder}: no run in it", "airmile testbed run bulk_download")
    return found


def one(experiment: Experiment, out: Path, head: str, on_step: OnStep) -> str:
    """Run one experiment, and give a line about its result."""
    folder = plan.folder(out, experiment)
    if folder.exists():
        return f"{head}  another campaign has run it"
    try:
        return f"{head}  {_summary(run(experiment, folder, on_step))}"
    except AirmileError as error:
        # The notes of the error name what could not be removed afterwards.
        more = [*filter(None, [error.hint]), *getattr(error, "__notes__", ())]
        return Failed("\n  ".join(map(printable, [f"{head}  FAILED: {error.message}", *more])))


def _with_time_left(head: str, clock: Clock, on_step: OnStep) -> OnStep:
    """Return a function that reports a step of a run and the time left."""
    return lambda step: on_step(f"{head}  {step}  {clock.left()}")


def _summary(facts: dict[str, Any]) -> str:
    if facts["link"] is None:
        warned = "".join(f"\n  {warning}" for warning in facts["warnings"])
        return f"{facts['workload_ended']}, no labels: {facts['truth_reason']}{warned}"
    late = facts["link"]["late_us"]["p99"] / 1e3
    why = "; ".join(facts.get("untrustworthy_because", [])) or "see its manifest.json"
    trust = "" if facts["trustworthy"] else f"\n  NOT to be trusted: {why}"
    return f"{facts['workload_ended']}, late {late:.2f} ms (p99){trust}"
