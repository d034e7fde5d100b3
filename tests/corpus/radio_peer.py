"""What MobileInsight's dumps are known to have wrong, put right by its rule.

A dump's ``norm`` holds what its maker put right already.
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
    """Give a dump without the faults that are known."""
    change = _CHANGES.get(dump["code"])
    return change(dump) if change else dump


def _serving_cells(dump: Dump) -> Dump:
    """Put the combined RSRQ of ``norm`` in place: the decoder read the word before it."""
    combined = dump["norm"]["rsrq"]
    cells = [
        {**cell, "RSRQ": rsrq} for cell, rsrq in zip(dump["Subpackets"], combined, strict=True)
    ]
    rest = {name: value for name, value in dump.items() if name != "norm"}
    return {**rest, "Subpackets": cells}


def _uplink_shared(dump: Dump) -> Dump:
    """Undo what the decoder took from the transmit power of version 102, which is plain dBm."""
    if dump["ver"] != 102:
        return dump
    power = "PUSCH Tx Power (dBm)"
    return {**dump, "Records": [{**one, power: one[power] + 128} for one in dump["Records"]]}


def _rrc(dump: Dump) -> Dump:
    """Take header fields from ``norm``, and of the message what step it is."""
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
