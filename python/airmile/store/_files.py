"""Files that are written as a whole: an older file stays until the new one is complete."""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PART = re.compile(r"\.airmile-[0-9a-f]{12}(\.[^.]*)?")
"""The names of files that are not complete: a number, and the suffix of the file."""


@contextmanager
def whole(file: Path) -> Iterator[Path]:
    """Yield a path to write to, beside a file, and put what was written in its place afterwards.

    If the block fails or is interrupted, the older file stays. A device or a pipe is written to
    directly, as is a file in a folder in which no other file may be made.

    Parameters
    ----------
    file : Path
        The file to write or to replace; a link is followed.

    Yields
    ------
    Path
        A path with the same extension.

    Raises
    ------
    OSError
        The folder does not exist, or the file cannot be put in its place.

    Examples
    --------
    >>> file = scratch / "table.csv"
    >>> with whole(file) as part:
    ...     _ = part.write_text("a,b")
    >>> file.read_text()
    'a,b'
    """
    if file.exists() and not file.is_file():
        # A pipe behind /dev/stdout has no path that `resolve` could find.
        yield file
        return
    place = file.resolve()
    # The suffix is that of the given name: it chooses the format of a picture.
    part = place.with_name(f".airmile-{uuid.uuid4().hex[:12]}{file.suffix}")
    if not _begin(part, place):
        yield file
        return
    try:
        yield part
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


def _begin(part: Path, place: Path) -> bool:
    """Make an empty file with the rights of that in the place; return whether that is allowed."""
    try:
        part.open("x").close()
    except PermissionError:
        return False
    with suppress(OSError):
        shutil.copymode(place, part)
    return True
