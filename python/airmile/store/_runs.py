"""A dataset that is made of several: the manifest of all of them, and where their rows are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from airmile._errors import InputError
from airmile.store import _parts, _sql

FIELD = {"unit": "", "doc": "Name of the run."}
"""Metadata of the column `run`."""


FOLDERS = "its runs are folders in it: airmile testbed run NAME -o FOLDER writes such a dataset"


def names(path: Path, runs: object) -> list[str]:
    """Check the names that a manifest gives its runs.

    Raises
    ------
    InputError
        One of them is not the name of a folder in the dataset, or a link.
    """
    file = path / "manifest.json"
    if not isinstance(runs, list):
        raise InputError(f"{file}: runs is not a list", FOLDERS)
    for run in runs:
        if not isinstance(run, str) or run in ("", ".", "..") or set(run) & set("/\\\0"):
            raise InputError(f"{file}: the run {run!r} is not a name of a folder in it", FOLDERS)
        _parts.refuse_link(path / run)
    return runs


def source(files: Sequence[Path]) -> str:
    """Give what a table's rows are read from in SQL, each row with the name of its run."""
    return (
        r"(SELECT regexp_extract(filename, '([^/]+?)(\.airmile)?/[^/]+/[^/]+$', 1) AS run, "
        "* EXCLUDE (filename) "
        f"FROM {_sql.parquet(files, ', filename = true, union_by_name = true')})"
    )


def together(manifest: dict[str, Any], runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Give one manifest for several runs, as if their captures were the inputs of one analysis."""
    if not runs:
        return manifest
    counts: Counter[str] = Counter()
    for run in runs:
        counts.update(run.get("counts", {}))
    return {
        **{key: value for key, value in _told(runs).items() if key not in _OF_ONE},
        **manifest,
        "status": "partial" if any(run.get("status") == "partial" for run in runs) else "ok",
        "interrupted": any(run.get("interrupted") for run in runs),
        "first_ns": min((run["first_ns"] for run in runs if run.get("first_ns")), default=None),
        "last_ns": max((run["last_ns"] for run in runs if run.get("last_ns")), default=None),
        "counts": dict(counts),
        **{key: [each for run in runs for each in run.get(key, [])] for key in _LISTS},
    }


def _told(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the manifest that says what one run says: a log alone was captured nowhere."""
    return next((run for run in runs if "vantage" in run), runs[0])


_OF_ONE = ("parts", "manifest_xxh3_128")
"""What a manifest says of one folder."""

_LISTS = ("inputs", "warnings", "notes", "reasons")
