"""Writes the tables of an alignment as a dataset that `airmile query` reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyarrow import parquet

from airmile import _engine
from airmile._errors import InputError, OutputError, UsageError, engine_errors
from airmile.answers.pair.result import AlignmentValues
from airmile.store import _folders, _json, _manifest, _place


def check(target: Path, overwrite: bool, captures: Sequence[str]) -> None:
    """Raise an error if no dataset may be written to a path.

    Raises
    ------
    UsageError
        The path exists and must not be replaced, or is not the dataset of an alignment.
    InputError
        The path exists, and none of the captures can be read.
    """
    if _is_free(target):
        return
    _refuse_others(target)
    if foreign := _folders.foreign(target):
        raise UsageError(
            f"{target}: contains {foreign}, which airmile did not write",
            "move that away, or name another with -o",
        )
    _place.check(target, overwrite=overwrite, captures=captures)


def _is_free(target: Path) -> bool:
    return not target.exists() or (target.is_dir() and not any(target.iterdir()))


def _refuse_others(target: Path) -> None:
    if not _is_alignment(target):
        raise UsageError(
            f"{target} exists and is not the dataset of an alignment", "name another with -o"
        )


def _is_alignment(target: Path) -> bool:
    try:
        _, manifest = _json.read(target / "manifest.json", "")
    except InputError:
        return False
    return bool(manifest.get("tool") == "airmile" and "alignment" in manifest)


def write(
    alignment: AlignmentValues, target: Path, version: str, *, overwrite: bool = False
) -> Path:
    """Write the dataset of an alignment beside its final place, and move it when it is complete.

    What may be replaced is looked at again before the move: it may have appeared meanwhile.

    Returns
    -------
    Path
        Where it is: at `target`, or beside it if it is partial, as that of an analysis.

    Raises
    ------
    InputError
        The captures are empty, and a dataset at `target` is not.
    UsageError
        Meanwhile something else than the dataset of an alignment is at `target`.
    OutputError
        The dataset cannot be written, or meanwhile one exists and must not be replaced.
    """
    try:
        # A link may lead to another file system, to which no folder can be moved.
        with _folders.beside(target.resolve()) as half:
            for name, table in alignment.tables.items():
                (half / name).mkdir()
                part = half / name / "part-0.parquet"
                parquet.write_table(table, part, compression="zstd")
                _folders.sync(part)
            _manifest.write(half, _document(alignment, version))
            if not _is_free(target):
                _refuse_others(target)
            with engine_errors():
                place = _engine.put(str(half.parent), str(target), overwrite)
            return _place.named(target, place)
    except OSError as error:
        raise OutputError(f"{target}: {error.strerror or error}", "name another with -o") from None


def _document(alignment: AlignmentValues, version: str) -> dict[str, Any]:
    return {
        "tool": "airmile",
        "tool_version": version,
        "schema": _manifest.SCHEMA,
        "status": "partial" if alignment.partly_failed else "ok",
        "interrupted": alignment.interrupted,
        "inputs": [*alignment.inputs[0], *alignment.inputs[1]],
        "warnings": list(alignment.warnings),
        "rows": {name: table.num_rows for name, table in alignment.tables.items()},
        "alignment": alignment.to_dict(),
    }
