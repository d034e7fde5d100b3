"""The plan of a campaign: its manifest, which two campaigns may write by turns."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from airmile._errors import InputError, UsageError
from airmile.store import _manifest
from airmile.testbed.experiment.toml_file import Experiment
from airmile.testbed.record import outcome

Planned = dict[str, Experiment]


def folder(out: Path, experiment: Experiment) -> Path:
    """Return the folder of one run of a campaign."""
    return out / f"{experiment.name}{outcome.SUFFIX}"


def read(out: Path) -> Planned:
    """Return the plan in the manifest of a folder; it is empty without a manifest.

    Raises
    ------
    InputError
        The manifest is broken, or another version wrote it with other settings.
    UsageError
        The folder is a dataset of another kind.
    """
    file = out / "manifest.json"
    if not file.is_file():
        return {}
    manifest = outcome.manifest(out)
    if "planned" not in manifest:
        raise UsageError(f"{out} is a dataset, not a folder of runs", "name another folder with -o")
    try:
        return {table["name"]: Experiment.of(table) for table in manifest["planned"]}
    except UsageError as error:
        raise InputError(f"{file}: {error.message}", error.hint) from None
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(
            f"{file}: another version of airmile planned this campaign ({error})",
            "name another folder with -o",
        ) from None


def join(out: Path, wanted: Planned) -> None:
    """Add experiments to the plan in a folder, and return the finished runs among them.

    The plan is read again each time, because another campaign may have changed it.

    Raises
    ------
    UsageError
        The plan has another experiment of the same name.
    """
    with _alone(out):
        planned = read(out)
        for name, experiment in wanted.items():
            same(planned.setdefault(name, experiment), experiment, out)
        _write(out, planned)


def same(planned: Experiment, wanted: Experiment, out: Path) -> None:
    """Raise `UsageError` if the plan has an experiment of this name with other settings.

    Raises
    ------
    UsageError
        The settings differ from the planned ones.
    """
    if _settings(planned) != _settings(wanted):
        raise UsageError(
            f"{out} has another experiment called {wanted.name}",
            "name another folder with -o, or rename the file",
        )


def _settings(experiment: Experiment) -> dict[str, Any]:
    """Return what shapes a run, in the form that it has when read back from a manifest.

    The description is left out: another version of airmile may word it differently.
    """
    plain: dict[str, Any] = json.loads(json.dumps(asdict(experiment)))
    del plain["description"]
    return plain


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Keep other campaigns from writing the manifest while the block runs (flock(2))."""
    out.mkdir(parents=True, exist_ok=True)
    lock = os.open(out, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _write(out: Path, planned: Mapping[str, Experiment]) -> None:
    """Replace the manifest as a whole; an interruption leaves the old one."""
    names = [folder(out, experiment).name for experiment in planned.values()]
    manifest = {
        "schema": _manifest.SCHEMA,
        "tool": "airmile",
        "version": version("airmile"),
        "status": "ok",
        "runs": [name for name in names if (out / name).exists()],
        "planned": [asdict(experiment) for experiment in planned.values()],
    }
    _manifest.put(out, manifest)
