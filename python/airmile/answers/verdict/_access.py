"""What proves that the access link is a cellular one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airmile.dataset import Dataset


def is_cellular(dataset: Dataset) -> bool:
    """Return whether something proves a cellular link: a modem's log of these packets, or GTP-U."""
    if any(user.get("aligned") for user in dataset.manifest.get("radio", [])):
        return True
    return bool(dataset._sums["totals"]["tunnelled_flows"])


def link_words(*, cellular: bool) -> str:
    """Return what the link is called.

    >>> link_words(cellular=False)
    'access link'
    """
    return "cellular link" if cellular else "access link"
