"""The folder in which a run writes until it is finished.

A run holds the folder by a lock on its record (:mod:`airmile.testbed.hosts.owner`).
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from airmile._errors import OutputError
from airmile.testbed.hosts import leftovers
from airmile.testbed.hosts import owner as owners
from airmile.testbed.hosts.owner import RECORD, Owner, RunningError, UnprovenError

_RACES = (errno.EEXIST, errno.ENOENT, errno.ENOTEMPTY)
"""The errors of a run whose folder another run makes, records or replaces at the same time."""


@contextmanager
def begun(part: Path, owner: Owner) -> Iterator[None]:
    """Make the folder in which a run writes until it is finished; replace one of an ended run.

    If the block ends without :func:`finish`, the folder is removed with what else the run has made.

    Raises
    ------
    OutputError
        Another run is, or may be, writing in this folder. Or it is a link, or a folder that no run
        began: a campaign from an untrusted person may contain either.
    """
    lock = _begin(part, owner)
    try:
        yield
    finally:
        os.close(lock)


def finish(part: Path, out: Path) -> None:
    """Rename the folder of a finished run to its final name."""
    # Rename first: a folder with the name of an unfinished run then always has a record.
    part.rename(out)
    (out / RECORD).unlink()


def _begin(part: Path, owner: Owner) -> int:
    if part.is_symlink():
        raise OutputError(
            f"{part} is a symbolic link, through which a run would write", "remove the link"
        )
    try:
        if part.exists():
            _take_over(part)
        part.mkdir(parents=True)
        # The folder is new, so this run has made whatever appears in it from now on.
        leftovers.note(owner.mark, "part", str(part.parent.resolve() / part.name))
        return owners.hold(part, owner)
    except OSError as error:
        if error.errno not in _RACES:
            raise
        raise _written_by_another(part) from None


def _take_over(part: Path) -> None:
    """Remove the folder in which an ended run was writing."""
    if not any(part.iterdir()):
        part.rmdir()
        return
    if not stat.S_ISREG(_mode(part / RECORD)):
        raise OutputError(
            f"{part} was not begun by a run of the testbed", "move it elsewhere, or remove it"
        )
    try:
        with owners.after_end(part):
            shutil.rmtree(part)
    except RunningError:
        raise _written_by_another(part) from None
    except UnprovenError as why:
        raise OutputError(
            f"{part}: a run was writing it, and nothing proves that this run has ended: {why}",
            "remove the folder if no run is writing it",
        ) from None


def _written_by_another(part: Path) -> OutputError:
    return OutputError(
        f"{part}: another run is writing it", "wait for it, or name another folder with -o"
    )


def _mode(file: Path) -> int:
    try:
        return file.lstat().st_mode
    except OSError:
        return 0


@leftovers.register
def remove(owner: Owner) -> Iterator[str]:
    """Remove the unfinished folder of a run, unless another run owns it now; yield its name."""
    noted_part = leftovers.noted(owner.mark, "part")
    part = Path(noted_part) if noted_part else None
    if part is None or part.is_symlink() or not part.is_dir():
        return
    # The run has ended, so the record alone proves whose folder it is, on any file system.
    with suppress(RunningError, UnprovenError), owners.made_by(owner, part) as is_its:
        if is_its:
            shutil.rmtree(part)
            yield f"unfinished run {part}"
