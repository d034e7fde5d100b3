"""Datasets on disk: :class:`Tables`, manifest, queries, and what to do without a table or column.

:class:`Tables` is what other packages use: the tables of an analysis, as SQL and Arrow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airmile.store.tables import Tables as Tables

__all__ = ["Tables"]


def __getattr__(name: str) -> Any:
    """Import the class when it is first used, because a subcommand may need only a small module."""
    if name != "Tables":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from airmile.store.tables import Tables

    return Tables
