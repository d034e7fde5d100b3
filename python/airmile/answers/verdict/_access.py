"""Whether the access link is proven to be cellular."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.answers.verdict import _sums

if TYPE_CHECKING:
    from airmile.store import Tables


def is_cellular(dataset: Tables) -> bool:
    """Return whether a modem log of these packets, or GTP-U, proves a cellular link."""
    if any(user.get("aligned") for user in dataset.manifest.get("radio", [])):
        return True
    return bool(_sums.of(dataset)["totals"]["tunnelled_flows"])


def link_words(*, cellular: bool) -> str:
    """Return the name of the link.

    >>> link_words(cellular=False)
    'access link'
    """
    return "cellular link" if cellular else "access link"
