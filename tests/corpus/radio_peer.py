"""Corrects the known faults of MobileInsight's dumps, each by its rule.

A dump's ``norm`` holds the values that its maker has corrected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Dump = dict[str, Any]

_STEPS = {
    "rrcConnectionReconfigurationComplete": "complete",
    "rrcConnectionReestablishmentComplete": "complete",
    "rrcConnectionReestablishmentRequest": "reestablishment",
    "rrcConnectionRequest": "connection",
    "rrcConnectionSetup": "connection",
    "rrcConnectionSetupComplete": "connection",
    "rrcConnectionRelease": "release",
    "rrcConnectionReject": "release",
    "rrcConnectionReestablishmentReject": "release",
}
_DEDICATED = ("DL-DCCH", "UL-DCCH", "DL-CCCH", "UL-CCCH")


def corrected(dump: Dump) -> Dump:
    """Give a dump without its known faults."""
    change = _CHANGES.get(dump["code"])
    return change(dump) if change else dump


def _serving_cells(dump: Dump) -> Dump:
    """Take the combined RSRQ from ``norm``: the decoder wrongly reads the preceding word."""
    combined = dump["norm"]["rsrq"]
    cells = [
        {**cell, "RSRQ": rsrq} for cell, rsrq in zip(dump["Subpackets"], combined, strict=True)
    ]
    rest = {name: value for name, value in dump.items() if name != "norm"}
    return {**rest, "Subpackets": cells}


def _uplink_shared(dump: Dump) -> Dump:
    """Restore the transmit power of version 102, which is plain dBm."""
    if dump["ver"] != 102:
        return dump
    power = "PUSCH Tx Power (dBm)"
    return {**dump, "Records": [{**one, power: one[power] + 128} for one in dump["Records"]]}


def _rrc(dump: Dump) -> Dump:
    """Take the header fields from ``norm``, and the kind of step from the message."""
    said = dump["rrc"]
    name = _STEPS.get(said["name"], "seen")
    if said.get("handover"):
        name = "command"
    if dump["norm"]["channel"] not in _DEDICATED:
        name = "none"
    return {**dump, "rrc": {**said, "name": name}}


_CHANGES: dict[str, Callable[[Dump], Dump]] = {
    "0xB0C0": _rrc,
    "0xB139": _uplink_shared,
    "0xB193": _serving_cells,
}
