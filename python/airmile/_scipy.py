"""scipy, which the extra `study` brings."""

from __future__ import annotations

from types import ModuleType

from airmile._errors import OutputError


def special() -> ModuleType:
    """Return scipy.special.

    Raises
    ------
    OutputError
        scipy is not installed.
    """
    try:
        import scipy.special
    except ImportError:
        raise _absent() from None
    return scipy.special  # type: ignore[no-any-return]


def stats() -> ModuleType:
    """Return scipy.stats.

    Raises
    ------
    OutputError
        scipy is not installed.
    """
    try:
        import scipy.stats
    except ImportError:
        raise _absent() from None
    return scipy.stats  # type: ignore[no-any-return]


def _absent() -> OutputError:
    return OutputError(
        "an interval needs scipy, which is not installed", "pip install 'airmile[study]'"
    )
