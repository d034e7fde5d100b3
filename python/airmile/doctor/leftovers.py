"""What killed runs left here and among the temporary files: named, and what to do with each."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from airmile._folders import is_held
from airmile.doctor import Finding

_MADE = re.compile(r"\.(?P<name>.+)\.\d+(-\d+)?\.(?P<kind>partial|old)")
"""As the engine calls a dataset in the making, and one that is being replaced."""

_SCRATCH = re.compile(r"airmile-(\w+-)?(\w{8}|[0-9a-f]{32})")
"""As tempfile ends names, and the folder of queries."""


def findings(folder: Path) -> Iterator[Finding]:
    """Look into a folder, and where temporary files go."""
    for path, made in _matching(folder, _MADE):
        if not is_held(path):
            yield _left(path, folder / made["name"], made["kind"])
    for path, _ in _matching(Path(tempfile.gettempdir()), _SCRATCH):
        if path.stat().st_uid == os.getuid():
            yield Finding(
                "left behind", "note", f"{path} is scratch of a run that goes on, or was killed",
                "if no airmile runs, remove it",
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


def _left(path: Path, target: Path, kind: str) -> Finding:
    """Tell a dataset that somebody may miss from what only takes room."""
    whole = (path / "manifest.json").exists()
    if whole and (kind == "partial" or not target.exists()):
        return Finding(
            "left behind", "warning", f"{path.name} is a whole dataset that was not put in place",
            f"mv {path.name} {target.name}, or remove it",
        )  # fmt: skip
    kinds = {"partial": "a dataset that was not finished", "old": "a dataset that was replaced"}
    return Finding(
        "left behind", "note", f"{path.name} is {kinds[kind]}: its run was killed",
        "the next airmile analyze that writes here removes it, or do so yourself",
    )  # fmt: skip
