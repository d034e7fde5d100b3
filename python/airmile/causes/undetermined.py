"""The cause `undetermined`: the evidence is not sufficient; the slices give the reason."""

from __future__ import annotations

from airmile._colours import GREY
from airmile.causes._declaration import Declaration

DECLARATION = Declaration(colour=GREY, hatch="..")
