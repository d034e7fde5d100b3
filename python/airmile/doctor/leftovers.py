"""What killed runs left here and among the temporary files: named, and what to do with each."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from airmile.doctor import Finding
from airmile.store._folders import is_held, is_marked

_MADE = re.compile(r"\.(?P<name>.+)\.\d+(-\d+)?\.(?P<kind>partial|old)")
"""Names of the folders that the engine writes into; `old` is of older versions."""

_SCRATCH = re.compile(r"airmile-(\w+-)?(\w{8}|[0-9a-f]{32})")
"""Names that tempfile makes; older versions added the purpose and a longer number."""


def findings(folder: Path) -> Iterator[Finding]:
    """Look into a folder, and where temporary files go."""
    for path, made in _matching(folder, _MADE):
        if not is_held(path):
            yield _left(path, folder / made["name"])
    for path, _ in _matching(Path(tempfile.gettempdir()), _SCRATCH):
        if _is_own(path) and not is_held(path):
            yield _scratch(path)


def _is_own(path: Path) -> bool:
    try:
        return path.lstat().st_uid == os.getuid()
    except OSError:
        # A run that goes on has removed it meanwhile.
        return False


def _scratch(path: Path) -> Finding:
    if not is_marked(path):
        return _unproven(str(path))
    return Finding(
        "left behind", "note", f"{path} is scratch of a run that was killed",
        "the next run that needs scratch removes it, or do so yourself",
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
    """Return the finding: a dataset that somebody may miss, or a folder that only takes room."""
    if not is_marked(path):
        return _unproven(path.name)
    for within, missed in (("old", not target.exists()), ("new", True)):
        if missed and (path / within / "manifest.json").exists():
            return Finding(
                "left behind", "warning",
                f"{path.name}/{within} is a whole dataset that was not put in place",
                f"mv {path.name}/{within} {target.name}, or remove it",
            )  # fmt: skip
    return Finding(
        "left behind", "note",
        f"{path.name} is a dataset that was not finished: its run was killed",
        "the next airmile analyze that writes here removes it, or do so yourself",
    )  # fmt: skip


def _unproven(name: str) -> Finding:
    """Name what no run removes, for it may be the user's own."""
    return Finding(
        "left behind", "note",
        f"{name} is called like what a killed run leaves, and has no mark of one",
        f"look into {name}, and remove it if nobody needs it",
    )  # fmt: skip
