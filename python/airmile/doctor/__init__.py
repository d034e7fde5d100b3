"""The checks of `airmile doctor`: of this machine, a capture, or a modem log."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

Status = Literal["ok", "note", "warning", "error"]


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
    """

    topic: str
    status: Status
    found: str
    advice: str | None = None

    def to_dict(self) -> dict[str, str | None]:
        """Return the finding as plain values."""
        return asdict(self)
