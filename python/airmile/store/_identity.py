"""Whether the analyses that a dataset consisted of when it was opened are still in their folders.

A run with `--overwrite` puts another dataset in the place of one that is open. The manifest that
was read and the tables on disk then belong to different analyses, so whoever reads tables checks
this before and afterwards. Keeping every part open instead would take a file handle for each table
of each run, of which a campaign has thousands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from airmile._errors import InputError
from airmile.store import _json, _manifest

_TRIES = 20
"""How often a dataset that is replaced again and again is opened anew."""

_State = tuple[int, int, int, int] | None
"""Device, number, time and size of a manifest; None if there is none."""


class ReplacedError(InputError):
    """Another analysis has replaced a dataset since it was opened."""


class Identity:
    """The manifests of a dataset's folders, as they were when they were read."""

    def __init__(self) -> None:
        self._states: dict[Path, _State] = {}
        self._seals: dict[Path, object] = {}

    def read(self, folder: Path) -> dict[str, Any]:
        """Return the manifest in a folder after checking its shape, and remember which it was.

        Raises
        ------
        InputError
            There is no manifest that this airmile reads.
        """
        # The current folder may be another one when the manifest is checked.
        place = folder.absolute()
        # First the state: if the manifest is replaced before it is read, its digest decides.
        state = _state(place)
        manifest = _manifest.read(folder)
        self._states[place], self._seals[place] = state, manifest.get(_manifest.SEAL)
        return manifest

    def check(self, *, may_be_again: bool = True) -> None:
        """Raise an error if another analysis is in one of the folders.

        Parameters
        ----------
        may_be_again : bool
            Whether the same analysis, run again, is accepted in its place.

        Raises
        ------
        ReplacedError
            A manifest has changed.
        """
        for folder, known in self._states.items():
            state = _state(folder)
            if state != known and not (may_be_again and self._is_same(folder)):
                what = "another analysis replaced it" if state else "it was moved or removed"
                raise ReplacedError(f"{folder}: {what} after it was opened", "open it again")
            self._states[folder] = state

    @contextmanager
    def held(self) -> Iterator[None]:
        """Check before and after a block; if a dataset was replaced, that is the error to report.

        Raises
        ------
        ReplacedError
            A manifest has changed.
        """
        self.check()
        try:
            yield
        except Exception:
            # What failed may have read two analyses, even if the second is the same as the first:
            # between them the folder may have held another one.
            self.check(may_be_again=False)
            raise
        self.check()

    def _is_same(self, folder: Path) -> bool:
        """Return whether the manifest is that of the same analysis, which may have run again."""
        try:
            _, manifest = _json.read(folder / "manifest.json", "")
        except InputError:
            return False
        seal = self._seals[folder]
        return seal is not None and manifest.get(_manifest.SEAL) == seal


def settled(read: Callable[[Identity], None]) -> Identity:
    """Read a dataset by a function, again if it was replaced meanwhile; return its identity.

    Raises
    ------
    ReplacedError
        The dataset was replaced each time.
    """
    for tries in range(1, _TRIES + 1):
        identity = Identity()
        try:
            with identity.held():
                read(identity)
        except ReplacedError:
            if tries == _TRIES:
                raise
        else:
            break
    return identity


def _state(folder: Path) -> _State:
    try:
        found = (folder / "manifest.json").lstat()
    except (OSError, ValueError):  # A name that this system cannot have is a ValueError.
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size
