"""What an exhibit takes: the tables of a dataset, or samples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from airmile.model import Inputs
    from airmile.store import Tables

Source: TypeAlias = "Tables | Inputs | str | Path | Sequence[Tables | Inputs | str | Path]"
"""The input of an exhibit: a dataset, or for the exhibits of `eff14` also other samples."""
