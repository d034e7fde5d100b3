"""The analyses of a testbed run's captures at the phone and at the server."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from airmile._errors import UsageError
from airmile.store import _parts, _runs
from airmile.store._identity import Identity

WITHOUT_CAPTURE = ("ttis", "cells", "handovers", "buffer_status", "bursts")
"""The tables of the modem log, which are the same at every point, as those of the truth are."""


class Elsewhere(NamedTuple):
    """A dataset as seen from another capture point.

    Attributes
    ----------
    path : Path
        The folder of the run, or of the runs.
    manifest : dict
        The manifest of the dataset at this point.
    folders : dict
        The folders with the tables of this point, and their manifests.
    shared : dict
        The parts of the tables that are the same at every point.
    """

    path: Path
    manifest: dict[str, Any]
    folders: dict[Path, dict[str, Any]]
    shared: _parts.Parts


def seen_from(
    point: str, path: Path, folders: Mapping[Path, dict[str, Any]], identity: Identity
) -> Elsewhere:
    """Return the analyses of the captures at a point, for a run or for all runs in a folder.

    Parameters
    ----------
    point : str
        `ue`, `monitor` or `server`.
    path : Path
        The run, or the folder of runs.
    folders : mapping
        The folders with the tables of the runs, and their manifests.
    identity : Identity
        Reads the manifests, and remembers which they were.

    Raises
    ------
    UsageError
        There is no such point, or a run has no analysis of it.
    """
    if point not in _runs.POINTS:
        raise UsageError(f"no capture point is called {point!r}", f"one of {_runs.POINTS}")
    found = {_folder(run, manifest, point): run for run, manifest in folders.items()}
    manifests = {there: identity.read(there) for there in found}
    shared = _shared({run: folders[run] for run in found.values()})
    top = identity.read(path)
    if "runs" not in top:
        [(there, manifest)] = manifests.items()
        return Elsewhere(there, manifest, manifests, shared)
    root = path.resolve()
    names = [there.relative_to(root).as_posix() for there in found]
    both = _runs.together({**top, "runs": names}, list(manifests.values()))
    return Elsewhere(path, both, manifests, shared)


def name(point: str) -> str:
    """Return the name of the folder, within a run, of the analysis of a capture."""
    return f"{point}.airmile"


def _folder(run: Path, manifest: Mapping[str, Any], point: str) -> Path:
    """Return the folder of the analysis at a point, which may be the folder of the run itself."""
    own = (manifest.get("inputs") or [{"name": ""}])[0]["name"]
    if Path(own).name.partition(".")[0] == point:
        return run
    there = run / name(point)
    _parts.refuse_link(there)
    if not (there / "manifest.json").is_file():
        raise UsageError(
            f"{run}: the capture at {point} was not analysed",
            f"an older airmile wrote the run: analyse its {point}.pcap, or run it again",
        )
    return there


def _shared(runs: Mapping[Path, dict[str, Any]]) -> _parts.Parts:
    found = _parts.find(runs)
    return {
        table: files
        for table, files in found.items()
        if table.startswith("truth_") or table in WITHOUT_CAPTURE
    }
