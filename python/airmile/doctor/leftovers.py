"""Checks for folders that killed runs left in the current and the temporary directory."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from airmile._words import quoted
from airmile.doctor import Finding
from airmile.store import _files
from airmile.store._folders import free_locks_prove, is_held, is_marked

TOPIC = "left behind"
"""The topic of all findings of this module."""

_MADE = re.compile(r"\.(?P<name>.+)\.\d+(-\d+)?\.(?P<kind>partial|old)")
"""The names of folders into which the engine writes; older versions also used `old`."""

_SCRATCH = re.compile(r"airmile-(\w+-)?(\w{8}|[0-9a-f]{32})")
"""The names of temporary folders; older versions added a purpose and a longer number."""


def findings(folder: Path) -> Iterator[Finding]:
    """Check a folder and the temporary directory."""
    for path, made in _matching(folder, _MADE):
        if not is_held(path):
            yield _left(path, folder / made["name"])
    for path in sorted(folder.glob(".*")):
        if _files.PART.fullmatch(path.name) and path.is_file() and not path.is_symlink():
            yield _unfinished(path)
    for path, _ in _matching(Path(tempfile.gettempdir()), _SCRATCH):
        if _is_own(path) and _is_ours(path) and not is_held(path):
            yield _scratch(path)


def _unfinished(path: Path) -> Finding:
    return Finding(
        TOPIC, "note",
        f"{path.name} is a picture, table or page that is being written, or whose run was killed",
        f"if no airmile is running here: rm {quoted(path.name)}",
    )  # fmt: skip


def _is_own(path: Path) -> bool:
    try:
        return path.lstat().st_uid == os.getuid()
    except OSError:
        # A run that is still going on may have removed the folder meanwhile.
        return False


def _is_ours(path: Path) -> bool:
    """Return whether a folder has the mark, or holds a dataset of a run that set none.

    Another folder is another program's, whatever it is called.
    """
    return is_marked(path) or any(path.glob("*.airmile"))


def _scratch(path: Path) -> Finding:
    if not is_marked(path):
        return _unproven(str(path))
    if not free_locks_prove(path):
        return _shared(str(path))
    return Finding(
        TOPIC, "note", f"{path} is a temporary folder of a run that was killed",
        "the next run that needs a temporary folder removes it, or do so yourself",
    )  # fmt: skip


def _matching(folder: Path, pattern: re.Pattern[str]) -> Iterator[tuple[Path, re.Match[str]]]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for path in entries:
        found = pattern.fullmatch(path.name)
        if found and path.is_dir() and not path.is_symlink():
            yield path, found


def _left(path: Path, target: Path) -> Finding:
    """Return a warning about a complete dataset, or a note about an incomplete one."""
    if not is_marked(path):
        return _unproven(path.name)
    gone = not target.exists()
    for within, missed in (("old", gone), ("swap", gone), ("new", True)):
        if missed and (path / within / "manifest.json").exists():
            return Finding(
                TOPIC, "warning",
                f"{path.name}/{within} is a complete dataset that was not moved to its place",
                f"mv {quoted(f'{path.name}/{within}')} {quoted(_free(target).name)} keeps it; or "
                f"remove {quoted(path.name)}",
            )  # fmt: skip
    if not free_locks_prove(path):
        return _shared(path.name)
    return Finding(
        TOPIC, "note",
        f"{path.name} is a dataset that was not finished: its run was killed",
        "the next airmile analyze that writes here removes it, or do so yourself",
    )  # fmt: skip


def _shared(name: str) -> Finding:
    """Return a finding about a folder on a file system whose locks this machine may not see."""
    return Finding(
        TOPIC, "note",
        f"{name} was not finished; its run was killed, or is going on at another machine",
        "remove it if no other machine is writing here",
    )  # fmt: skip


def _free(target: Path) -> Path:
    """Return the path, or a numbered one if it exists: `mv` would move into what is there."""
    numbered = (target.with_name(f"{target.stem}-{n}{target.suffix}") for n in range(2, 1000))
    return next((each for each in (target, *numbered) if not each.exists()), target)


def _unproven(name: str) -> Finding:
    """Return a finding about a folder that no run removes, because it may be the user's."""
    return Finding(
        TOPIC, "note",
        f"{name} is named like a folder of airmile, but does not have its mark, so it is kept",
        f"look into {quoted(name)}, and remove it if nobody needs it",
    )  # fmt: skip
