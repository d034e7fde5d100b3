"""The causes: what the engine declares of them, and what is said of each in its own module.

Keys, names, sides and order are the engine's. The module ``airmile.causes.KEY`` declares the rest:
evidence and advice in words, colour and hatch, and the labels of the testbed that the cause fits.

Examples
--------
>>> from airmile import causes
>>> causes.cause("receive_window").words, causes.cause("receive_window").side
('receive window', 'receiver')
>>> sorted(causes.links())
['device_queue', 'lte_downlink', 'lte_uplink']
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import MappingProxyType

from airmile.causes._declaration import Case, Declaration, Facts

__all__ = [
    "Case",
    "Cause",
    "Declaration",
    "Facts",
    "cause",
    "every",
    "fitting",
    "is_bottleneck",
    "links",
    "of_links",
]


@dataclass(frozen=True)
class Cause:
    """A cause.

    Attributes
    ----------
    key : str
        The word in tables and documents, which never changes.
    words : str
        Its name in a sentence.
    side : {"link", "receiver", "sender", "path", "nobody"}
        On which side of a transfer it lies.
    is_link : bool
        Whether it makes the access link the bottleneck.
    doc : str
        What it is, in a sentence.
    declared : Declaration
        What its module says.
    """

    key: str
    words: str
    side: str
    is_link: bool
    doc: str
    declared: Declaration


@cache
def every() -> Mapping[str, Cause]:
    """Return all causes by key, in the order of the share columns."""
    from airmile import _engine

    described = json.loads(_engine.schema())["causes"]
    return MappingProxyType(
        {
            row["name"]: Cause(
                row["name"], row["words"], row["side"], row["is_link"], row["doc"],
                _declared(row["name"]),
            )
            for row in described
        }
    )  # fmt: skip


def cause(key: str) -> Cause:
    """Return a cause by its key.

    Raises
    ------
    KeyError
        There is none.
    """
    return every()[key]


def links() -> frozenset[str]:
    """Return the keys of the causes that make the access link the bottleneck."""
    return frozenset(key for key, cause in every().items() if cause.is_link)


def is_bottleneck(limited_by: str | None) -> bool | None:
    """Return whether the access link is the bottleneck where a cause has the largest share.

    None where the evidence does not decide: no cause, or an undetermined one.

    >>> is_bottleneck("lte_downlink"), is_bottleneck("receive_window"), is_bottleneck(None)
    (True, False, None)
    """
    return None if limited_by in (None, "undetermined") else limited_by in links()


def of_links(shares: Mapping[str, float]) -> float:
    """Add up the shares of the causes that make the access link the bottleneck.

    >>> of_links({"lte_downlink": 0.5, "receive_window": 0.25, "device_queue": 0.25})
    0.75
    """
    return sum(share for key, share in shares.items() if key in links())


def fitting(label: str) -> frozenset[str]:
    """Return the keys of the causes that fit a label of the testbed.

    >>> sorted(fitting("rwnd"))
    ['receive_window', 'receiver_app']
    """
    return frozenset(key for key, it in every().items() if label in it.declared.satisfies)


def _declared(key: str) -> Declaration:
    declaration: Declaration = import_module(f"airmile.causes.{key}").DECLARATION
    return declaration


def cause_name(cause: str | None, *, cellular: bool = False) -> str:
    """Return the words for a cause in a sentence; `cellular` where something proves such a link.

    >>> cause_name("receive_window"), cause_name("lte_downlink")
    ('receive window', 'access link, downlink')
    >>> cause_name("lte_downlink", cellular=True)
    'LTE downlink'
    """
    # airmile writes no slice without a cause; a dataset from elsewhere may hold one.
    named = cause or "unknown"
    known = every().get(named)
    if known is None:
        return named.replace("_", " ")
    return known.words if cellular else known.declared.words_unproven or known.words
