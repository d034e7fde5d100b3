"""The evidence is not sufficient; the reason of the slices says why."""

from __future__ import annotations

from airmile._colours import GREY
from airmile.causes._declaration import Declaration

DECLARATION = Declaration(colour=GREY, hatch="..")
