"""What `airmile doctor` looks at: this machine, a capture, or the log of a modem."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

Status = Literal["ok", "note", "warning", "error"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes
    ----------
    topic : str
        What was looked at, in a word or two.
    status : {"ok", "note", "warning", "error"}
        ``warning``: it bears on the answers; ``error``: no answer can be right.
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
        """Return it as plain values."""
        return asdict(self)
