"""Several runs, one after the other: a dataset of datasets that can be gone on with."""

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

Tell = Callable[[str], None]


class Failed(str):
    """The line about a run that failed."""


def run_all(
    experiments: Sequence[Experiment], out: Path, tell: Tell = lambda _: None
) -> Iterator[str]:
    """Run what is missing in `out`, and tell about each.

    Parameters
    ----------
    experiments : sequence of Experiment
        In this order; the folder of each is its name. They join those that `out` has already.
    out : Path
        Where the folders are; a dataset itself.
    tell : callable
        Told what is going on in the meantime, with the time that is left.

    Yields
    ------
    str
        A line for each thing that a killed run had left, which is gone now, and one per run,
        :class:`Failed` where it failed; the others are run all the same.

    Raises
    ------
    UsageError
        A run of this name is there, or planned, with other settings, or `out` is another dataset.
    InputError
        The manifest in `out` cannot be read.
    """
    wanted: plan.Planned = {}
    for experiment in experiments:
        plan.same(wanted.setdefault(experiment.name, experiment), experiment, out)
    yield from _cleared()
    plan.join(out, wanted)
    missing = [each for each in wanted.values() if not plan.folder(out, each).exists()]
    if kept := len(wanted) - len(missing):
        yield f"{kept} of {len(wanted)} are there already"
    clock = Clock([experiment.longest_s for experiment in missing])
    for number, experiment in enumerate(missing, 1):
        head = f"{number}/{len(missing)}  {experiment.name}"
        line = _one(experiment, out, head, _teller(head, clock, tell))
        clock.over()
        plan.join(out, {experiment.name: experiment})
        yield line


def _cleared() -> Iterator[str]:
    """Remove what killed runs have left; without the rights no run begins either."""
    if os.geteuid() == 0:
        cleaned = leftovers.clean()
        yield from (f"removed {each}, which a killed run had left" for each in cleaned.removed)
        yield from (f"a killed run has left behind: {each}" for each in cleaned.left)


def resume(out: Path, tell: Tell = lambda _: None) -> Iterator[str]:
    """Run what was planned in `out` and is missing.

    Raises
    ------
    InputError
        Nothing was planned there.
    """
    planned = plan.read(out)
    if not planned:
        raise InputError(f"{out}: no campaign in it", "airmile testbed run bulk_download")
    yield from run_all(list(planned.values()), out, tell)


def runs(folder: Path) -> list[Path]:
    """Find the finished runs in a folder, or the one that it is.

    Raises
    ------
    InputError
        There is none, or a link stands in the place of one.
    """
    if outcome.is_run(folder):
        return [folder]
    # What begins with a dot is being written.
    folders = [path for path in sorted(folder.glob("*/")) if not path.name.startswith(".")]
    for path in folders:
        _parts.refuse_link(path)
    found = [path for path in folders if outcome.is_run(path)]
    if not found:
        raise InputError(f"{folder}: no run in it", "airmile testbed run bulk_download")
    return found


def _one(experiment: Experiment, out: Path, head: str, tell: Tell) -> str:
    """Run one, and say how it went."""
    folder = plan.folder(out, experiment)
    if folder.exists():
        return f"{head}  another campaign has run it"
    try:
        return f"{head}  {_summary(run(experiment, folder, tell))}"
    except AirmileError as error:
        # What could not be removed afterwards is a note of the error.
        more = [*filter(None, [error.hint]), *getattr(error, "__notes__", ())]
        return Failed("\n  ".join(map(printable, [f"{head}  FAILED: {error.message}", *more])))


def _teller(head: str, clock: Clock, tell: Tell) -> Tell:
    """Give a function that tells a step of a run and the time left."""
    return lambda step: tell(f"{head}  {step}  {clock.left()}")


def _summary(facts: dict[str, Any]) -> str:
    if facts["link"] is None:
        warned = "".join(f"\n  {warning}" for warning in facts["warnings"])
        return f"{facts['workload_ended']}, no labels: {facts['truth_reason']}{warned}"
    late = facts["link"]["late_us"]["p99"] / 1e3
    why = "; ".join(facts.get("untrustworthy_because", [])) or "see its manifest.json"
    trust = "" if facts["trustworthy"] else f"\n  NOT to be trusted: {why}"
    return f"{facts['workload_ended']}, late {late:.2f} ms (p99){trust}"
