"""Several runs, one after the other: a dataset of datasets that can be gone on with."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from airmile._errors import InputError, UsageError
from airmile.dataset import SCHEMA
from airmile.testbed import outcome
from airmile.testbed.experiment import Experiment
from airmile.testbed.run import run

Tell = Callable[[str], None]


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
        A line per run.

    Raises
    ------
    UsageError
        A run of this name is there, or planned, with other settings.
    """
    planned = _planned(out)
    for experiment in experiments:
        _same(planned.setdefault(experiment.name, experiment), experiment, out)
    out.mkdir(parents=True, exist_ok=True)
    missing = [planned[e.name] for e in experiments if not _folder(out, e).exists()]
    if kept := len(experiments) - len(missing):
        yield f"{kept} of {len(experiments)} are there already"
    _write(out, planned)
    clock = _Clock(missing)
    for number, experiment in enumerate(missing, 1):
        head = f"{number}/{len(missing)}  {experiment.name}"
        facts = run(experiment, _folder(out, experiment), clock.teller(head, tell))
        clock.over()
        _write(out, planned)
        yield f"{head}  {_summary(facts)}"


def resume(out: Path, tell: Tell = lambda _: None) -> Iterator[str]:
    """Run what was planned in `out` and is missing.

    Raises
    ------
    InputError
        Nothing was planned there.
    """
    planned = _planned(out)
    if not planned:
        raise InputError(f"{out}: no campaign in it", "airmile testbed run bulk_download")
    yield from run_all(list(planned.values()), out, tell)


def runs(folder: Path) -> list[Path]:
    """Find the finished runs in a folder, or the one that it is.

    Raises
    ------
    InputError
        There is none.
    """
    if outcome.is_run(folder):
        return [folder]
    found = [path for path in sorted(folder.glob("*/")) if outcome.is_run(path)]
    if not found:
        raise InputError(f"{folder}: no run in it", "airmile testbed run bulk_download")
    return found


class _Clock:
    """Tells how long the rest will take: as long as what is over took, or is allowed to."""

    def __init__(self, missing: Sequence[Experiment]) -> None:
        self._allowed = [experiment.longest_s for experiment in missing]
        self._began = time.monotonic()
        self._taken: list[float] = []

    def over(self) -> None:
        """Note that a run is over."""
        self._taken.append(time.monotonic() - self._began - sum(self._taken))

    def teller(self, head: str, tell: Tell) -> Tell:
        """Give a function that tells a step of a run and the time left."""
        return lambda step: tell(f"{head}  {step}  {self._left()}")

    def _left(self) -> str:
        here = time.monotonic() - self._began - sum(self._taken)
        done = len(self._taken)
        if not done:
            return f"at most {max(sum(self._allowed) - here, 0):.0f} s left"
        mean = sum(self._taken) / done
        return f"about {max(mean * (len(self._allowed) - done) - here, 0):.0f} s left"


def _folder(out: Path, experiment: Experiment) -> Path:
    return out / f"{experiment.name}{outcome.SUFFIX}"


def _planned(out: Path) -> dict[str, Experiment]:
    file = out / "manifest.json"
    if not file.is_file():
        return {}
    manifest = json.loads(file.read_text())
    return {table["name"]: Experiment.of(table) for table in manifest.get("planned", [])}


def _same(planned: Experiment, wanted: Experiment, out: Path) -> None:
    """Refuse to keep a run of other settings under the same name."""
    if _plain(planned) != _plain(wanted):
        raise UsageError(
            f"{out} has another experiment called {wanted.name}",
            "name another folder with --out, or the file otherwise",
        )


def _plain(experiment: Experiment) -> dict[str, Any]:
    """Give the settings as they come back from a file."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(experiment)))
    return plain


def _write(out: Path, planned: dict[str, Experiment]) -> None:
    """Write the manifest of the campaign anew, whole or not at all."""
    names = [f"{name}{outcome.SUFFIX}" for name in planned]
    manifest = {
        "schema": SCHEMA,
        "tool": "airmile",
        "version": version("airmile"),
        "status": "ok",
        "runs": [name for name in names if (out / name).exists()],
        "planned": [asdict(experiment) for experiment in planned.values()],
    }
    part = out / ".manifest.json.part"
    part.write_text(json.dumps(manifest, indent=1) + "\n")
    part.replace(out / "manifest.json")


def _summary(facts: dict[str, Any]) -> str:
    if facts["link"] is None:
        warned = "".join(f"\n  {warning}" for warning in facts["warnings"])
        return f"{facts['workload_ended']}, no labels: {facts['truth_reason']}{warned}"
    late = facts["link"]["late_us"]["p99"] / 1e3
    trust = "" if facts["trustworthy"] else "  NOT to be trusted: see its manifest.json"
    return f"{facts['workload_ended']}, late {late:.2f} ms (p99){trust}"
