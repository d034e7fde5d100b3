"""The checks of `airmile doctor`: of this machine, a capture, or a modem log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

Status = Literal["ok", "note", "warning", "error"]
Check = Callable[[dict[str, Any]], "Iterator[Finding]"]


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Attributes
    ----------
    topic : str
        What was checked, in a word or two.
    status : {"ok", "note", "warning", "error"}
        ``ok``, ``note``; ``warning`` if it affects the answers; ``error`` if no answer can be
        right.
    found : str
        What was found.
    advice : str or None
        What to do about it.
    file : str or None
        The file that it is about, if several were checked.
    """

    topic: str
    status: Status
    found: str
    advice: str | None = None
    file: str | None = None

    def to_dict(self) -> dict[str, str | None]:
        """Return the finding as plain values."""
        return asdict(self)


def named(files: list[dict[str, Any]], check: Check) -> Iterator[Finding]:
    """Yield the findings of a check of each file, with the file's name where there are several.

    Parameters
    ----------
    files : list of dict
        The entries of files in a manifest.
    check : callable
        Yields the findings about one of them.
    """
    for file in files:
        name = file["name"] if len(files) > 1 else None
        yield from (replace(finding, file=name) for finding in check(file))
