"""What a run made is removed: at its end by itself, and after a SIGKILL by :func:`clean`.

Both go the same way (:func:`remove`): by the mark of the run's owner end its processes, remove its
namespaces with their devices and routes, what modules that :func:`register` made, and the folder
that was not finished. What a run would not be found by otherwise it notes in its state folder
before it makes it.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from airmile._errors import OutputError
from airmile.testbed.hosts import rights, strays
from airmile.testbed.hosts.attempts import Attempts
from airmile.testbed.hosts.owner import Owner, undisturbed

STATE = Path("/run/airmile-testbed")
"""A folder per run that goes on, by the mark of its owner."""

OWNER = ".owner"
"""File in an unfinished folder: the mark of its owner."""

Remover = Callable[[str], Iterable[str]]
"""Removes what the run with this mark has made, and tells what it was."""

_removers: list[Remover] = []


def register(remover: Remover) -> Remover:
    """Have `remover` called at the end of every run and by :func:`clean`, when no process is left.

    The module that registers must be one that :mod:`airmile.testbed.run.emulated_run` imports.
    """
    _removers.append(remover)
    return remover


@dataclass
class Removal:
    """What became of what runs had left.

    Attributes
    ----------
    removed : list of str
        What is gone.
    left : list of str
        What could not be removed, and why; :func:`clean` tries it again.
    """

    removed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def check(self) -> None:
        """Raise when something is left.

        Raises
        ------
        OutputError
            It names it.
        """
        if self.left:
            raise OutputError(f"left behind: {'; '.join(self.left)}", "sudo airmile testbed clean")


def clean() -> Removal:
    """Remove what runs have left whose process has ended, and tell what it was.

    Raises
    ------
    OutputError
        The rights are missing.
    """
    found = [mark for mark in sorted(_marks()) if _ended(mark)]
    if found and os.geteuid() != 0:
        raise OutputError("what runs have left is root's", "sudo airmile testbed clean")
    every = Removal()
    for mark in found:
        one = remove(mark)
        every.removed += one.removed
        every.left += one.left
    return every


def remove(mark: str) -> Removal:
    """Remove what the run with this mark has made, and tell what it was.

    What fails does not keep the rest from being removed. The notes stay then, for another try.
    """
    removed: list[str] = []
    attempts = Attempts()
    with undisturbed():
        for remover in (strays.end_processes, strays.remove_namespaces, *_removers, _remove_part):
            with attempts.at(f"{remover.__module__.rpartition('.')[2]}.{remover.__name__}"):
                for name in remover(mark):
                    removed.append(name)
        if not attempts.errors:
            shutil.rmtree(STATE / mark, ignore_errors=True)
    return Removal(removed, attempts.errors)


@contextmanager
def removed_after(mark: str) -> Iterator[None]:
    """Remove what the block has made, however it ends.

    Raises
    ------
    OutputError
        Something is left. An error of the block itself is raised instead, and carries it as a note.
    """
    try:
        yield
    except BaseException as error:
        for each in remove(mark).left:
            error.add_note(f"left behind: {each}")
        raise
    remove(mark).check()


def note(mark: str, name: str, text: str) -> None:
    """Write down what a remover needs to know, before it is made."""
    try:
        (STATE / mark).mkdir(parents=True, exist_ok=True)
        # Whole or not at all: half a note would tell a remover nothing.
        (STATE / mark / f"{name}.part").write_text(text)
        (STATE / mark / f"{name}.part").replace(STATE / mark / name)
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


def shared(mark: str) -> Path:
    """Make a folder of the unprivileged user, wherever the run's own folder is."""
    folder = STATE / mark / "served"
    folder.mkdir(parents=True)
    for each in (STATE, STATE / mark):
        each.chmod(0o711)
    os.chown(folder, rights.USER, rights.USER)
    return folder


def begin_part(part: Path, mark: str) -> None:
    """Make the folder that a run writes until it is finished, in place of an ended run's.

    Raises
    ------
    OutputError
        A run that still goes on writes it; or it is a link, or a folder that no run began, as a
        stranger's campaign may hold.
    """
    if part.is_symlink():
        raise OutputError(f"{part}: a symbolic link, where a run would write", "remove the link")
    if part.exists():
        _take_over(part, mark)
    part.mkdir(parents=True)
    # The folder was not there before: whatever is in it from now on is of this run.
    note(mark, "part", str(part.parent.resolve() / part.name))
    (part / OWNER).write_text(mark)


def _take_over(part: Path, mark: str) -> None:
    """Remove what an ended run has left in the place of another."""
    owner = _owner_of(part)
    if owner is None and any(each.name != OWNER for each in part.iterdir()):
        raise OutputError(f"{part}: no run of the testbed began it", "move it away, or remove it")
    if owner not in (mark, None) and not _ended(str(owner)):
        raise OutputError(f"{part}: another run is writing it", "choose another folder with -o")
    shutil.rmtree(part)


def finish_part(part: Path, out: Path) -> None:
    """Give the folder of a finished run its name."""
    # In this order: whatever lies under the name of an unfinished one has a mark.
    part.rename(out)
    (out / OWNER).unlink()


def _marks() -> set[str]:
    """Give the marks of all runs that have left anything."""
    written = {folder.name for folder in STATE.iterdir()} if STATE.is_dir() else set()
    return written | strays.marks()


def _ended(mark: str) -> bool:
    owner = Owner.of(mark)
    return owner is not None and not owner.alive()


def _remove_part(mark: str) -> Iterator[str]:
    """Remove the folder of a run that was not finished, unless it is another's by now."""
    noted_part = noted(mark, "part")
    part = Path(noted_part) if noted_part else None
    if part and part.is_dir() and not part.is_symlink() and _owner_of(part) == mark:
        shutil.rmtree(part)
        yield f"unfinished run {part}"


def _owner_of(part: Path) -> str | None:
    """Read whose an unfinished folder is; None where that is not said."""
    file = part / OWNER
    try:
        # Neither what a link leads to, nor a pipe that never ends.
        mark = file.read_text() if stat.S_ISREG(file.lstat().st_mode) else ""
    except (OSError, UnicodeDecodeError):
        return None
    return mark if Owner.of(mark) else None
