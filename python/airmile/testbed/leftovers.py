"""What a run made is removed: at its end by itself, and after a SIGKILL by :func:`clean`.

Both go the same way (:func:`remove`): by the mark of the run's owner end its processes, remove its
namespaces with their devices and routes, what modules that :func:`register` made, and the folder
that was not finished. What a run would not be found by otherwise it notes in its state folder
before it makes it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from airmile._errors import OutputError
from airmile.testbed import strays
from airmile.testbed.owner import Owner, undisturbed

STATE = Path("/run/airmile-testbed")
"""A folder per run that goes on, by the mark of its owner."""

OWNER = ".owner"
"""File in an unfinished folder: the mark of its owner."""

Remover = Callable[[str], Iterable[str]]
"""Removes what the run with this mark has made, and tells what it was."""

_removers: list[Remover] = []


def register(remover: Remover) -> Remover:
    """Have `remover` called at the end of every run and by :func:`clean`, when no process is left.

    The module that registers must be one that :mod:`airmile.testbed.run` imports.
    """
    _removers.append(remover)
    return remover


def clean() -> list[str]:
    """Remove what runs have left whose process has ended, and tell what it was.

    Raises
    ------
    OutputError
        The rights are missing.
    """
    return [name for mark in sorted(_marks()) if _ended(mark) for name in remove(mark)]


def remove(mark: str) -> list[str]:
    """Remove what the run with this mark has made, and tell what it was."""
    with undisturbed():
        removed = [f"process {pid} ({name})" for pid, name in strays.end_processes(mark)]
        removed += [f"namespace {name}" for name in strays.remove_namespaces(mark)]
        for remover in _removers:
            removed += remover(mark)
        removed += _remove_part(mark)
        shutil.rmtree(STATE / mark, ignore_errors=True)
    return removed


def note(mark: str, name: str, text: str) -> None:
    """Write down what a remover needs to know, before it is made."""
    try:
        (STATE / mark).mkdir(parents=True, exist_ok=True)
        (STATE / mark / name).write_text(text)
    except PermissionError:
        raise OutputError(
            "a run needs root", "run it with sudo, or as root in a container"
        ) from None


def noted(mark: str, name: str) -> str | None:
    """Read what was written down; None where nothing was."""
    try:
        return (STATE / mark / name).read_text()
    except OSError:
        return None


def begin_part(part: Path, mark: str) -> None:
    """Make the folder that a run writes until it is finished, in place of an ended run's.

    Raises
    ------
    OutputError
        A run that still goes on writes it.
    """
    other = _owner_of(part)
    if other not in (mark, None) and not _ended(str(other)):
        raise OutputError(f"{part}: another run is writing it", "choose another folder with -o")
    note(mark, "part", str(part.resolve()))
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    (part / OWNER).write_text(mark)


def finish_part(part: Path, out: Path) -> None:
    """Give the folder of a finished run its name."""
    (part / OWNER).unlink()
    part.rename(out)


def _marks() -> set[str]:
    """Give the marks of all runs that have left anything."""
    written = {folder.name for folder in STATE.iterdir()} if STATE.is_dir() else set()
    return written | strays.marks()


def _ended(mark: str) -> bool:
    owner = Owner.of(mark)
    return owner is not None and not owner.alive()


def _remove_part(mark: str) -> Iterator[str]:
    """Remove the folder of a run that was not finished, unless another run has taken it over."""
    part = noted(mark, "part")
    if part and Path(part).is_dir() and _owner_of(Path(part)) in (mark, None):
        shutil.rmtree(part, ignore_errors=True)
        yield f"unfinished run {part}"


def _owner_of(part: Path) -> str | None:
    """Read whose an unfinished folder is."""
    try:
        return (part / OWNER).read_text()
    except OSError:
        return None
