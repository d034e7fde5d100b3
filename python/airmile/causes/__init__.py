"""The causes: keys, names, sides and order come from the engine, texts from a module for each.

The module ``airmile.causes.KEY`` declares evidence and advice, colour and hatch, and the labels of
the testbed that the cause fits.

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
    "named",
    "of_links",
]


@dataclass(frozen=True)
class Cause:
    """A cause that limits a flow.

    Attributes
    ----------
    key : str
        The word in tables and documents, which never changes.
    words : str
        The name of the cause in a sentence.
    side : {"link", "receiver", "sender", "path", "nobody"}
        The side of a transfer to which the cause belongs.
    is_link : bool
        Whether the cause makes the access link the bottleneck.
    doc : str
        The description of the cause, in a sentence.
    declared : Declaration
        What the module of the cause declares.
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


@cache
def named() -> tuple[str, ...]:
    """Return the causes that a slice may name: its own alone, or with other possible causes.

    >>> "lte_downlink,upstream_path" in named()
    True
    """
    from airmile import _engine

    seconds = json.loads(_engine.schema())["seconds"]
    return (*every(), *(f"{key},{second}" for key in every() for second in seconds))


def cause(key: str) -> Cause:
    """Return a cause by its key.

    Raises
    ------
    KeyError
        There is no such cause.
    """
    return every()[key]


def links() -> frozenset[str]:
    """Return the keys of the causes that make the access link the bottleneck."""
    return frozenset(key for key, cause in every().items() if cause.is_link)


def is_bottleneck(limited_by: str | None) -> bool | None:
    """Return whether the access link is the bottleneck, from the cause with the largest share.

    Return None if there is no cause or it is undetermined.

    >>> is_bottleneck("lte_downlink"), is_bottleneck("receive_window"), is_bottleneck(None)
    (True, False, None)
    """
    return None if limited_by in (None, "undetermined") else limited_by in links()


def of_links(shares: Mapping[str, float]) -> float:
    """Return the sum of the shares of the causes that make the access link the bottleneck.

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
    """Return the name of a cause in a sentence; `cellular` if the link is known to be cellular.

    >>> cause_name("receive_window"), cause_name("lte_downlink")
    ('receive window', 'access link, downlink')
    >>> cause_name("lte_downlink", cellular=True)
    'LTE downlink'
    """
    # airmile writes no slice without a cause; a dataset from outside may contain one.
    named = cause or "unknown"
    known = every().get(named)
    if known is None:
        return named.replace("_", " ")
    return known.words if cellular else known.declared.words_unproven or known.words
