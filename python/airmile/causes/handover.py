"""The cause `handover`: a handover interrupted the radio."""

from __future__ import annotations

from airmile._colours import PURPLE
from airmile.causes._declaration import Declaration

DECLARATION = Declaration(colour=PURPLE, hatch="//")
