"""The cause `idle`: no request was open."""

from __future__ import annotations

from airmile._colours import LIGHT
from airmile.causes._declaration import Declaration

DECLARATION = Declaration(colour=LIGHT, satisfies=frozenset({"idle_or_app"}))
