"""What proves that the access link is a cellular one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._rows import existing, rows

if TYPE_CHECKING:
    from airmile.dataset import Dataset


def is_cellular(dataset: Dataset) -> bool:
    """Tell whether something proves a cellular link: a modem's log of these packets, or GTP-U."""
    if any(user.get("aligned") for user in dataset.manifest.get("radio", [])):
        return True
    column = existing(dataset, "flows", ("teid",))
    found = rows(dataset, f"SELECT count(teid) AS tunnelled FROM (SELECT {column} FROM flows)")
    return bool(found[0]["tunnelled"])


def link_words(*, cellular: bool) -> str:
    """Return what the link is called.

    >>> link_words(cellular=False)
    'access link'
    """
    return "cellular link" if cellular else "access link"
