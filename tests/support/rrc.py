"""RRC messages that pycrate encodes by the published grammars (TS 36.331, TS 38.331)."""

from __future__ import annotations

from typing import Any

import pytest

lte = pytest.importorskip("pycrate_asn1dir.RRCLTE").EUTRA_RRC_Definitions
nr = pytest.importorskip("pycrate_asn1dir.RRCNR").NR_RRC_Definitions

_UPLINK_COMMON = {
    "pusch-ConfigBasic": {
        **{"n-SB": 1, "hoppingMode": "interSubFrame", "pusch-HoppingOffset": 0},
        "enable64QAM": False,
    },
    "ul-ReferenceSignalsPUSCH": {
        **{"groupHoppingEnabled": False, "groupAssignmentPUSCH": 0},
        **{"sequenceHoppingEnabled": False, "cyclicShift": 0},
    },
}


def lte_order(
    cell: int, earfcn: int | None = None, extended: int | None = None, *, measures: bool = False
) -> bytes:
    """Return a handover command; `measures` puts a measurement configuration before the target.

    An EARFCN above 65535 is written as 65535, with the value in the extension.
    """
    common = {
        **{"prach-Config": {"rootSequenceIndex": 22}, "pusch-ConfigCommon": _UPLINK_COMMON},
        "ul-CyclicPrefixLength": "len1",
    }
    frequency: dict[str, Any] = {}
    if earfcn is not None:
        frequency["carrierFreq"] = {"dl-CarrierFreq": earfcn}
    if extended is not None:
        frequency["carrierFreq-v9e0"] = {"dl-CarrierFreq-v9e0": extended}
    mobility = {
        **{"targetPhysCellId": cell, "t304": "ms100", "newUE-Identity": (0, 16)},
        **{"radioResourceConfigCommon": common, **frequency},
    }
    first = {"measConfig": {"measObjectToRemoveList": [1, 2]}} if measures else {}
    return lte_reconfiguration(**first, mobilityControlInfo=mobility)


def lte_reconfiguration(**parts: Any) -> bytes:
    """Return a message that reconfigures an LTE phone."""
    release = ("c1", ("rrcConnectionReconfiguration-r8", parts))
    content = {"rrc-TransactionIdentifier": 1, "criticalExtensions": release}
    return _encoded(lte.DL_DCCH_Message, "rrcConnectionReconfiguration", content)


def lte_complete() -> bytes:
    """Return the message with which an LTE phone completes a reconfiguration."""
    name = "rrcConnectionReconfigurationComplete"
    content = {"rrc-TransactionIdentifier": 1, "criticalExtensions": (f"{name}-r8", {})}
    return _encoded(lte.UL_DCCH_Message, name, content)


def nr_order(cell: int, arfcn: int) -> bytes:
    """Return a command that tells a 5G phone to change its primary cell."""
    frequency = {
        **{"absoluteFrequencySSB": arfcn, "frequencyBandList": [41]},
        "absoluteFrequencyPointA": arfcn - 2000,
        "scs-SpecificCarrierList": [
            {"offsetToCarrier": 0, "subcarrierSpacing": "kHz30", "carrierBandwidth": 273}
        ],
    }
    common = {
        **{"physCellId": cell, "dmrs-TypeA-Position": "pos2", "ss-PBCH-BlockPower": 0},
        "downlinkConfigCommon": {"frequencyInfoDL": frequency},
    }
    sync = {"spCellConfigCommon": common, "newUE-Identity": 0, "t304": "ms1000"}
    group = {"cellGroupId": 0, "spCellConfig": {"reconfigurationWithSync": sync}}
    contained = ("CellGroupConfig", group)
    return nr_reconfiguration(nonCriticalExtension={"masterCellGroup": contained})


def nr_reconfiguration(**parts: Any) -> bytes:
    """Return a message that reconfigures a 5G phone."""
    name = "rrcReconfiguration"
    content = {"rrc-TransactionIdentifier": 0, "criticalExtensions": (name, parts)}
    return _encoded(nr.DL_DCCH_Message, name, content)


def nr_complete() -> bytes:
    """Return the message with which a 5G phone completes a reconfiguration."""
    name = "rrcReconfigurationComplete"
    content = {"rrc-TransactionIdentifier": 0, "criticalExtensions": (name, {})}
    return _encoded(nr.UL_DCCH_Message, name, content)


def _encoded(grammar: Any, name: str, content: dict[str, Any]) -> bytes:
    grammar.set_val({"message": ("c1", (name, content))})
    message: bytes = grammar.to_uper()
    return message
