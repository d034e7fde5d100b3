"""The plan of a campaign: its manifest, which two campaigns may write in turn."""

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
    """Give the folder of a run of a campaign."""
    return out / f"{experiment.name}{outcome.SUFFIX}"


def read(out: Path) -> Planned:
    """Read the plan in a folder; it is empty without a manifest.

    Raises
    ------
    InputError
        The manifest is broken, or was written by a version with other settings.
    UsageError
        The folder is another kind of dataset.
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
            f"{file}: what was planned is not as this version of airmile plans ({error})",
            "name another folder with -o",
        ) from None


def join(out: Path, wanted: Planned) -> None:
    """Add experiments to the plan in a folder, and give its finished runs.

    The plan is read again each time, because another campaign may have changed it.

    Raises
    ------
    UsageError
        Another experiment has the name of one of them.
    """
    with _alone(out):
        planned = read(out)
        for name, experiment in wanted.items():
            same(planned.setdefault(name, experiment), experiment, out)
        _write(out, planned)


def same(planned: Experiment, wanted: Experiment, out: Path) -> None:
    """Refuse an experiment whose name is taken by one with other settings.

    Raises
    ------
    UsageError
        The settings differ.
    """
    if _plain(planned) != _plain(wanted):
        raise UsageError(
            f"{out} has another experiment called {wanted.name}",
            "name another folder with -o, or the file otherwise",
        )


def _plain(experiment: Experiment) -> dict[str, Any]:
    """Give the settings as they are when read back from a file."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(experiment)))
    return plain


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Keep other campaigns from writing the manifest during the block (flock(2))."""
    out.mkdir(parents=True, exist_ok=True)
    lock = os.open(out, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _write(out: Path, planned: Mapping[str, Experiment]) -> None:
    """Replace the manifest, whole or not at all."""
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
