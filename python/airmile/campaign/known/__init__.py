"""The campaigns that come with airmile, one module each: `bt19_qoe` is the campaign `bt19-qoe`."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from typing import TYPE_CHECKING

from airmile._errors import UsageError

if TYPE_CHECKING:
    from airmile.campaign.design import Campaign


def names() -> list[str]:
    """Return the names of all campaigns.

    Examples
    --------
    >>> "hwy18" in names(), "bt19-qoe" in names()
    (True, True)
    """
    modules = (each.name for each in pkgutil.iter_modules(__path__))
    return [name.replace("_", "-") for name in sorted(modules) if not name.startswith("_")]


def find(name: str) -> Campaign:
    """Return the campaign of this name.

    Raises
    ------
    UsageError
        No campaign has this name; the hint suggests the nearest one.
    """
    known = names()
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]!r}?" if near else "known: " + ", ".join(known)
        raise UsageError(f"no campaign is called {name!r}", hint)
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    found: Campaign = module.CAMPAIGN
    return found
