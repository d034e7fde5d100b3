"""The formats of modem logs that the engine reads."""

from __future__ import annotations

import json
from functools import cache
from typing import TypedDict, cast

from airmile import _engine


class Format(TypedDict):
    """A format of modem logs: title, endings of file names, and what a log contains."""

    title: str
    endings: list[str]
    holds: dict[str, str]


@cache
def known() -> tuple[Format, ...]:
    """Return the formats, in the order of the engine's list."""
    return tuple(cast("list[Format]", json.loads(_engine.modem_formats())))


def titles() -> str:
    """Return the titles of all formats in one text.

    >>> titles().partition(";")[0]
    'Qualcomm DIAG (qmdl, mi2log, dlf)'
    """
    return "; ".join(each["title"] for each in known())


def endings() -> tuple[str, ...]:
    """Return the endings of the names of modem logs.

    >>> ".qmdl" in endings(), ".pcap" in endings()
    (True, False)
    """
    return tuple(sorted({ending for each in known() for ending in each["endings"]}))
