"""Access to scipy, which the extra `study` installs."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from airmile._errors import OutputError


def special() -> ModuleType:
    """Return scipy.special.

    Raises
    ------
    OutputError
        scipy is not installed.
    """
    return _part("special")


def stats() -> ModuleType:
    """Return scipy.stats.

    Raises
    ------
    OutputError
        scipy is not installed.
    """
    return _part("stats")


def _part(name: str) -> ModuleType:
    try:
        return import_module(f"scipy.{name}")
    except ImportError:
        raise OutputError(
            "this statistic needs scipy, which is not installed", "pip install 'airmile[study]'"
        ) from None
