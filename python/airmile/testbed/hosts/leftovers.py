"""Removes what a run made, at its end, or later by :func:`clean` if the run was killed.

Both cases call :func:`remove`, which finds things by the mark of the run. It ends the processes,
removes the namespaces with their devices and routes, and calls the functions that modules have
passed to :func:`register`. What cannot be found by the mark, a run notes in its state folder before
it makes it.

:func:`clean` removes only what belongs to a run that is proven to have ended
(:mod:`airmile.testbed.hosts.owner`), and names what may belong to a running one.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from airmile._errors import OutputError
from airmile.testbed.hosts import owner as owners
from airmile.testbed.hosts import proc, rights, strays
from airmile.testbed.hosts.attempts import Attempts
from airmile.testbed.hosts.owner import Owner, RunningError, UnprovenError
from airmile.testbed.hosts.signals import undisturbed

STATE = Path("/run/airmile-testbed")
"""The folder with a state folder for each running run, named by its mark."""

Remover = Callable[[Owner], Iterable[str]]
"""A function that removes what a run has made, and returns the names."""

Finder = Callable[[], Iterable[tuple[str, str]]]
"""A function that returns the mark and the name of each thing of a run on this machine."""

_removers: list[Remover] = []
_finders: list[Finder] = []


def register(remover: Remover) -> Remover:
    """Have `remover` called at the end of every run and by :func:`clean`, after its processes.

    The module that registers must be one that :mod:`airmile.testbed.run.emulated_run` imports.
    """
    _removers.append(remover)
    return remover


def register_finder(finder: Finder) -> Finder:
    """Have `finder` called by :func:`clean`, which names what it does not remove."""
    _finders.append(finder)
    return finder


@dataclass
class Removal:
    """The result of clearing up after runs.

    Attributes
    ----------
    removed : list of str
        What was removed.
    left : list of str
        What could not be removed, and why; the next :func:`clean` tries again.
    unproven : list of str
        What was not touched, because nothing proves that its run has ended, and why.
    """

    removed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    unproven: list[str] = field(default_factory=list)

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
        This process lacks a capability that removing needs, or other users can write to the state
        folder.
    """
    found = _found()
    if found:
        rights.require("removing what runs have left")
        proc.check()
        _check_state()
    every = Removal()
    for mark, names in sorted(found.items()):
        try:
            with owners.after_end(STATE / mark) as ended:
                one = _remove_of(ended, mark)
        except RunningError:
            continue
        except UnprovenError as why:
            if _found_again(mark):
                every.unproven.append(f"run {mark} ({_shortened(names)}): {why}")
            continue
        every.removed += one.removed
        every.left += one.left
    return every


def remove(owner: Owner) -> Removal:
    """Remove what a run has made, which must have ended or be the caller's.

    If one thing cannot be removed, the others are removed all the same. The notes about it stay, so
    that another call can try again.
    """
    removed: list[str] = []
    attempts = Attempts()
    with undisturbed():
        for remover in (strays.end_processes, strays.remove_namespaces, *_removers):
            with attempts.at(f"{remover.__module__.rpartition('.')[2]}.{remover.__name__}"):
                for name in remover(owner):
                    removed.append(name)
        if not attempts.errors:
            shutil.rmtree(STATE / owner.mark, ignore_errors=True)
    return Removal(removed, attempts.errors)


@contextmanager
def begun() -> Iterator[Owner]:
    """Begin a run: yield its owner, and remove what the run has made when the block ends.

    Raises
    ------
    OutputError
        This process lacks a capability; or something could not be removed. If the block itself has
        raised an error, that error is raised instead, with what is left as a note.
    """
    owner = Owner.new()
    lock = _made(owner)
    try:
        yield owner
    except BaseException as error:
        for each in remove(owner).left:
            error.add_note(f"could not be removed: {each}")
        raise
    else:
        remove(owner).check()
    finally:
        os.close(lock)


def _made(owner: Owner) -> int:
    """Make the state folder of a run, and return the handle of its lock."""
    rights.require("a run")
    try:
        STATE.mkdir(mode=0o711, parents=True, exist_ok=True)
    except PermissionError:
        raise OutputError(
            f"{STATE} cannot be written to", "run it with sudo, or as root in a container"
        ) from None
    _check_state()
    # No other run sees the folder before it has its lock.
    folder = Path(tempfile.mkdtemp(prefix=".", dir=STATE))
    lock = owners.hold(folder, owner)
    folder.rename(STATE / owner.mark)
    return lock


def _check_state() -> None:
    """Check that only this user can write to the state folder, whose notes name what is removed."""
    if not os.path.lexists(STATE):
        return
    status = STATE.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise OutputError(
            f"{STATE} is not a folder that only this user can write to",
            "remove it, or give a container a /run of its own",
        )


def note(mark: str, name: str, text: str) -> None:
    """Write down what a remover needs to know about a thing, before the run makes the thing."""
    (STATE / mark).mkdir(parents=True, exist_ok=True)
    # The note is written whole or not at all: a remover could not use half of it.
    (STATE / mark / f"{name}.part").write_text(text)
    (STATE / mark / f"{name}.part").replace(STATE / mark / name)


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


def _found() -> dict[str, list[str]]:
    """Return the names of what runs have made on this machine, by the marks of the runs."""
    states = sorted(STATE.iterdir()) if STATE.is_dir() else []
    every = [(state.name, str(state)) for state in states]
    for finder in (strays.found, *_finders):
        every += finder()
    return {mark: [name for its, name in every if its == mark] for mark, _ in every}


def _found_again(mark: str) -> bool:
    """Return whether something of a run is still there; a run may have ended since."""
    return mark in _found()


_MOST_NAMES = 4


def _shortened(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _remove_of(ended: Owner, mark: str) -> Removal:
    """Remove what an ended run has left, if the run is the one that a state folder is named after.

    A run that was killed before its state folder had its name has left only this folder.

    Raises
    ------
    UnprovenError
        The record is that of another run.
    """
    if mark.startswith("."):
        shutil.rmtree(STATE / mark, ignore_errors=True)
        return Removal([f"state folder {STATE / mark}"])
    if ended.mark != mark:
        raise UnprovenError("its record is that of another run")
    return remove(ended)
