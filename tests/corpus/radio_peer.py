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


def _broadcast_rnti(dump: Dump) -> Dump:
    """Count RNTIs that no data are addressed to as one kind, as records do."""
    data = ("C-RNTI", "SPS-RNTI")
    records = [
        {
            **record,
            "Transport Blocks": [
                block if block["RNTI Type"] in data else {**block, "RNTI Type": 2}
                for block in record["Transport Blocks"]
            ],
        }
        for record in dump["Records"]
    ]
    return {**dump, "Records": records}


def _demapped(dump: Dump) -> Dump:
    """Count the PRBs of the bitmaps of both slots, as records do, and the RNTIs of no data."""
    names = [name for name in dump if name.startswith("RB Allocation Slot")]
    slots = {0: 0, 1: 0}
    for name in names:
        slots[int(name.split()[3].partition("[")[0])] += int(dump[name], 16).bit_count()
    rnti = "PDSCH RNTI Type"
    kind = dump[rnti] if dump[rnti] in ("C-RNTI", "SPS-RNTI") else 2
    rest = {name: value for name, value in dump.items() if name not in names}
    return {**rest, "PRBs": max(slots.values()), rnti: kind}


_CHANGES: dict[str, Callable[[Dump], Dump]] = {
    "0xB0C0": _rrc,
    "0xB126": _demapped,
    "0xB139": _uplink_shared,
    "0xB173": _broadcast_rnti,
    "0xB193": _serving_cells,
}
