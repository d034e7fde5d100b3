"""Datasets of several runs: their common manifest, and the SQL of their rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from airmile._errors import InputError, UsageError
from airmile._words import quoted
from airmile.store import _parts, _sql

FIELD = {"unit": "", "doc": "Name of the run."}
"""The metadata of the column `run`."""


POINTS = ("ue", "monitor", "server")
"""The capture points of a run.

The tables in the folder of a run are those of one point. `POINT.airmile` in this folder has those
of another point.
"""

SUFFIX = ".airmile"
"""What the name of a run's folder may have behind the name of the run."""

_NESTED = "|".join(rf"/{point}\.airmile" for point in POINTS)

FOLDERS = "its runs are folders in it: airmile testbed run NAME -o FOLDER writes such a dataset"


def names(path: Path, runs: object) -> list[str]:
    """Return the names of the runs in a manifest after checking them.

    Raises
    ------
    InputError
        A name is not that of a folder in the dataset, or the folder is a link.
    """
    file = path / "manifest.json"
    if not isinstance(runs, list):
        raise InputError(f"{file}: runs is not a list", FOLDERS)
    for run in runs:
        if not isinstance(run, str) or run in ("", ".", "..") or set(run) & set("/\\\0"):
            raise InputError(f"{file}: the run {run!r} is not a name of a folder in it", FOLDERS)
        _parts.refuse_link(path / run)
    return runs


def only(path: Path, manifest: dict[str, Any], chosen: Collection[str]) -> dict[str, Any]:
    """Return the manifest of a folder of runs as if it held the chosen ones alone.

    Parameters
    ----------
    path : Path
        The folder.
    manifest : dict
        Its manifest.
    chosen : collection of str
        The names of runs, as in the column `run`.

    Raises
    ------
    InputError
        It is no folder of runs, or lacks one of them.
    UsageError
        No run was chosen: a dataset without runs has no tables.
    """
    there = {run.removesuffix(SUFFIX): run for run in names(path, manifest.get("runs"))}
    if not chosen:
        raise UsageError(f"{path}: no run was chosen", "name one or more runs, or None for all")
    if lacking := sorted(set(chosen) - set(there)):
        raise InputError(f"{path}: no run {lacking[0]!r} in it", FOLDERS)
    return {**manifest, "runs": [run for name, run in there.items() if name in set(chosen)]}


def folders(path: Path, manifest: Mapping[str, Any]) -> dict[str, Path]:
    """Return the folder of each run, by its name in the column `run`.

    A dataset without runs is its own only folder, with an empty name.
    """
    runs = manifest.get("runs")
    if runs is None:
        return {"": path}
    # A dataset of another capture point names `RUN/POINT`.
    return {run.partition("/")[0].removesuffix(SUFFIX): path / run for run in runs}


def none_finished(path: Path) -> str:
    """Return what to do about a folder of runs without a finished run."""
    return f"none of its runs is finished yet: airmile testbed resume {quoted(path)}"


def source(files: Sequence[Path]) -> str:
    """Return the SQL that reads a table's rows, each with the name of its run."""
    return (
        rf"(SELECT regexp_extract(filename, '([^/]+?)(\.airmile)?({_NESTED})?/[^/]+/[^/]+$', 1) "
        "AS run, "
        "* EXCLUDE (filename) "
        f"FROM {_sql.parquet(files, ', filename = true, union_by_name = true')})"
    )


def together(manifest: dict[str, Any], runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return one manifest for several runs, as if their captures were inputs of one analysis."""
    if not runs:
        return manifest
    counts: Counter[str] = Counter()
    for run in runs:
        counts.update(run.get("counts", {}))
    return {
        **{key: value for key, value in _example(runs).items() if key not in _OF_ONE},
        **manifest,
        "status": "partial" if any(run.get("status") == "partial" for run in runs) else "ok",
        "interrupted": any(run.get("interrupted") for run in runs),
        "first_ns": min((run["first_ns"] for run in runs if run.get("first_ns")), default=None),
        "last_ns": max((run["last_ns"] for run in runs if run.get("last_ns")), default=None),
        "counts": dict(counts),
        **{key: [each for run in runs for each in run.get(key, [])] for key in _LISTS},
    }


def _example(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the manifest of a run with a capture, if any, for keys that all runs share."""
    return next((run for run in runs if "vantage" in run), runs[0])


_OF_ONE = ("parts", "manifest_xxh3_128")
"""The keys that describe one folder only."""

_LISTS = ("inputs", "warnings", "notes", "reasons")
