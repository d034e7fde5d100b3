"""Removes what a run made: at the end of the run, or after a SIGKILL by :func:`clean`.

Both call :func:`remove`, which finds things by the mark of the run's owner. It ends the processes,
removes the namespaces with their devices and routes, calls what modules have passed to
:func:`register`, and removes the unfinished folder. A run notes in its state folder, in advance,
whatever cannot be found by the mark.
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
"""The folder of the state folders, one for each running run, named by the mark of its owner."""

OWNER = ".owner"
"""The file in an unfinished folder that holds the mark of its owner."""

Remover = Callable[[str], Iterable[str]]
"""Removes what the run with this mark has made, and gives the names of it."""

_removers: list[Remover] = []


def register(remover: Remover) -> Remover:
    """Have `remover` called at the end of every run and by :func:`clean`, when no process is left.

    The module that registers must be one that :mod:`airmile.testbed.run.emulated_run` imports.
    """
    _removers.append(remover)
    return remover


@dataclass
class Removal:
    """The result of clearing up after runs.

    Attributes
    ----------
    removed : list of str
        What was removed.
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
            Something is left; the message names it.
        """
        if self.left:
            raise OutputError(f"left behind: {'; '.join(self.left)}", "sudo airmile testbed clean")


def clean() -> Removal:
    """Remove what runs have left whose process has ended.

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
    """Remove what the run with this mark has made.

    If one thing cannot be removed, the rest is removed all the same; the notes stay, for another
    try.
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
    """Write down what a remover needs to know about something, before it is made."""
    try:
        (STATE / mark).mkdir(parents=True, exist_ok=True)
        # Written whole or not at all: a remover could not use half a note.
        (STATE / mark / f"{name}.part").write_text(text)
        (STATE / mark / f"{name}.part").replace(STATE / mark / name)
    except PermissionError:
        raise OutputError(
            "a run needs root", "run it with sudo, or as root in a container"
        ) from None


def noted(mark: str, name: str) -> str | None:
    """Read a note; None where there is none."""
    try:
        return (STATE / mark / name).read_text()
    except OSError:
        return None


def shared(mark: str) -> Path:
    """Make a folder in the state folder that the unprivileged user owns."""
    folder = STATE / mark / "served"
    folder.mkdir(parents=True)
    for each in (STATE, STATE / mark):
        each.chmod(0o711)
    os.chown(folder, rights.USER, rights.USER)
    return folder


def begin_part(part: Path, mark: str) -> None:
    """Make the folder that a run writes until it is finished, replacing one of an ended run.

    Raises
    ------
    OutputError
        A running run writes it; or it is a link, or a folder that no run began, which a campaign
        from outside may contain.
    """
    if part.is_symlink():
        raise OutputError(f"{part}: a symbolic link, where a run would write", "remove the link")
    if part.exists():
        _take_over(part, mark)
    part.mkdir(parents=True)
    # The folder is new, so whatever is in it from now on was made by this run.
    note(mark, "part", str(part.parent.resolve() / part.name))
    (part / OWNER).write_text(mark)


def _take_over(part: Path, mark: str) -> None:
    """Remove the folder of an ended run where another is to be made."""
    owner = _owner_of(part)
    if owner is None and any(each.name != OWNER for each in part.iterdir()):
        raise OutputError(f"{part}: no run of the testbed began it", "move it away, or remove it")
    if owner not in (mark, None) and not _ended(str(owner)):
        raise OutputError(f"{part}: another run is writing it", "choose another folder with -o")
    shutil.rmtree(part)


def finish_part(part: Path, out: Path) -> None:
    """Give the folder of a finished run its name."""
    # In this order, so that every folder with the name of an unfinished one has a mark.
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
    """Remove the unfinished folder of a run, unless another run has taken it over."""
    noted_part = noted(mark, "part")
    part = Path(noted_part) if noted_part else None
    if part and part.is_dir() and not part.is_symlink() and _owner_of(part) == mark:
        shutil.rmtree(part)
        yield f"unfinished run {part}"


def _owner_of(part: Path) -> str | None:
    """Read the mark of an unfinished folder; None without one."""
    file = part / OWNER
    try:
        # A symbolic link is not followed, and a pipe is not waited for.
        mark = file.read_text() if stat.S_ISREG(file.lstat().st_mode) else ""
    except (OSError, UnicodeDecodeError):
        return None
    return mark if Owner.of(mark) else None
