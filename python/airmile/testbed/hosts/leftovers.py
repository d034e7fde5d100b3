"""Removes what a run made, at its end, or later by :func:`clean` if the run was killed.

Both cases call :func:`remove`, which finds things by the mark: the name of the process that owns
the run. It ends the processes, removes the namespaces with their devices and routes, calls the
functions that modules have passed to :func:`register`, and removes the unfinished folder. What
cannot be found by the mark, a run notes in its state folder before it makes it.
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
"""The folder with a state folder for each running run, named by the mark of its owner."""

OWNER = ".owner"
"""The file in an unfinished folder that holds the mark of its owner."""

Remover = Callable[[str], Iterable[str]]
"""A function that removes what the run with a mark has made, and returns the names."""

_removers: list[Remover] = []


def register(remover: Remover) -> Remover:
    """Have `remover` called at the end of every run and by :func:`clean`, after its processes.

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
        What could not be removed, and why; the next :func:`clean` tries again.
    """

    removed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def check(self) -> None:
        """Raise an error if something could not be removed.

        Raises
        ------
        OutputError
            Something could not be removed; the message names it.
        """
        if self.left:
            raise OutputError(
                f"could not be removed: {'; '.join(self.left)}", "sudo airmile testbed clean"
            )


def clean() -> Removal:
    """Remove what ended runs have left, such as runs that were killed.

    Raises
    ------
    OutputError
        This process lacks a capability that removing needs.
    """
    found = [mark for mark in sorted(_marks()) if _ended(mark)]
    if found:
        rights.require("removing what runs have left")
    every = Removal()
    for mark in found:
        one = remove(mark)
        every.removed += one.removed
        every.left += one.left
    return every


def remove(mark: str) -> Removal:
    """Remove what the run with this mark has made.

    If one thing cannot be removed, the others are removed all the same. The notes about it stay, so
    that another call can try again.
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
    """Remove what the run with this mark has made when the block ends, also after an error.

    Raises
    ------
    OutputError
        Something could not be removed. If the block itself has raised an error, that error is
        raised instead, with what is left as a note.
    """
    try:
        yield
    except BaseException as error:
        for each in remove(mark).left:
            error.add_note(f"could not be removed: {each}")
        raise
    remove(mark).check()


def note(mark: str, name: str, text: str) -> None:
    """Write down what a remover needs to know about a thing, before the run makes the thing."""
    try:
        (STATE / mark).mkdir(parents=True, exist_ok=True)
        # The note is written whole or not at all: a remover could not use half of it.
        (STATE / mark / f"{name}.part").write_text(text)
        (STATE / mark / f"{name}.part").replace(STATE / mark / name)
    except PermissionError:
        raise OutputError(
            f"{STATE} cannot be written to", "run it with sudo, or as root in a container"
        ) from None


def noted(mark: str, name: str) -> str | None:
    """Return a note that was written down; None if there is none."""
    try:
        return (STATE / mark / name).read_text()
    except OSError:
        return None


def shared(mark: str) -> Path:
    """Make a folder in the state folder which the unprivileged user of the workloads owns."""
    folder = STATE / mark / "served"
    folder.mkdir(parents=True)
    for each in (STATE, STATE / mark):
        each.chmod(0o711)
    os.chown(folder, rights.USER, rights.USER)
    return folder


def begin_part(part: Path, mark: str) -> None:
    """Make the folder in which a run writes until it is finished; replace one of an ended run.

    Raises
    ------
    OutputError
        Another run is writing in this folder. Or it is a link, or a folder that no run began: a
        campaign from an untrusted person may contain either.
    """
    if part.is_symlink():
        raise OutputError(
            f"{part} is a symbolic link, through which a run would write", "remove the link"
        )
    if part.exists():
        _take_over(part, mark)
    part.mkdir(parents=True)
    # The folder is new, so this run has made whatever appears in it from now on.
    note(mark, "part", str(part.parent.resolve() / part.name))
    (part / OWNER).write_text(mark)


def _take_over(part: Path, mark: str) -> None:
    """Remove the unfinished folder of an ended run, so that a new run can use its name."""
    owner = _owner_of(part)
    if owner is None and any(each.name != OWNER for each in part.iterdir()):
        raise OutputError(
            f"{part} was not begun by a run of the testbed", "move it away, or remove it"
        )
    if owner not in (mark, None) and not _ended(str(owner)):
        raise OutputError(f"{part}: another run is writing it", "choose another folder with -o")
    shutil.rmtree(part)


def finish_part(part: Path, out: Path) -> None:
    """Rename the folder of a finished run to its final name."""
    # Rename first: a folder with the name of an unfinished run then always has a mark.
    part.rename(out)
    (out / OWNER).unlink()


def _marks() -> set[str]:
    """Return the marks of all runs that have left something on this machine."""
    written = {folder.name for folder in STATE.iterdir()} if STATE.is_dir() else set()
    return written | strays.marks()


def _ended(mark: str) -> bool:
    owner = Owner.of(mark)
    return owner is not None and not owner.alive()


def _remove_part(mark: str) -> Iterator[str]:
    """Remove the unfinished folder of a run, unless another run owns it now; yield its name."""
    noted_part = noted(mark, "part")
    part = Path(noted_part) if noted_part else None
    if part and part.is_dir() and not part.is_symlink() and _owner_of(part) == mark:
        shutil.rmtree(part)
        yield f"unfinished run {part}"


def _owner_of(part: Path) -> str | None:
    """Return the mark in an unfinished folder; None if it has none."""
    file = part / OWNER
    try:
        # Do not follow a symbolic link or wait for a pipe.
        mark = file.read_text() if stat.S_ISREG(file.lstat().st_mode) else ""
    except (OSError, UnicodeDecodeError):
        return None
    return mark if Owner.of(mark) else None
