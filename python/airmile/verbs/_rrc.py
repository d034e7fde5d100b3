"""The target cell of an RRC handover command, from the complete message.

The module needs the extra ``rrc`` (pycrate). The engine reads the type of a message from its first
bits and passes only reconfigurations to this module. They contain identities of the subscriber, so
they are decoded in memory only (pycrate's grammar keeps the newest message until the next one), and
this module returns nothing but the cell and its frequency.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from threading import Lock
from typing import Any

Order = tuple[bool, int | None, int | None]
"""Whether a message is a handover command, the target's cell identity, and a new EARFCN."""

_STAYS: Order = (False, None, None)

_EXTENDED_EARFCN = 65_535
"""The EARFCN that means that an extension has a larger one (TS 36.331 ``ARFCN-ValueEUTRA``)."""


_DECODING = Lock()
"""A lock: pycrate decodes into the grammar itself, which all threads of the program share."""


class Undecoded(Exception):  # noqa: N818  # no fault of the program: the message is damaged
    """A part of a message could not be decoded."""


def decoder() -> Callable[[bool, bytes], Order | None] | None:
    """Return the decoder of reconfigurations; None without pycrate."""
    return order if find_spec("pycrate_asn1dir") else None


def order(nr: bool, message: bytes) -> Order | None:
    """Return the handover command in a reconfiguration; None if it cannot be decoded.

    Parameters
    ----------
    nr : bool
        Whether the message is of 5G (TS 38.331); otherwise it is of LTE (TS 36.331).
    message : bytes
        ``DL-DCCH-Message`` in unaligned PER.
    """
    try:
        with _DECODING:
            return _ordered(nr, message)
    except Exception:
        # A damaged message may raise any exception in pycrate. It is counted as not decoded, and
        # the log is read on.
        return None
    except BaseException as interrupt:
        # An interrupt ends the run. Delete the message, because reports of errors show local
        # variables.
        del message
        interrupt.__context__ = None
        raise interrupt.with_traceback(None) from None


def _ordered(nr: bool, message: bytes) -> Order:
    _, (_, content) = _decode(nr, message)["message"]
    return _nr_order(content) if nr else _lte_order(content)


def _decode(nr: bool, message: bytes) -> dict[str, Any]:
    grammar = _grammar(nr)
    grammar.from_uper(message)
    value: dict[str, Any] = grammar.get_val()
    return value


@cache
def _grammar(nr: bool) -> Any:
    """Load the grammar at the first message of its kind; this takes a second or two."""
    if nr:
        from pycrate_asn1dir.RRCNR import NR_RRC_Definitions as Definitions
    else:
        from pycrate_asn1dir.RRCLTE import EUTRA_RRC_Definitions as Definitions
    return Definitions.DL_DCCH_Message


def _lte_order(reconfiguration: dict[str, Any]) -> Order:
    """Return the target of a handover command (``mobilityControlInfo``)."""
    _, (_, parts) = reconfiguration["criticalExtensions"]
    mobility = parts.get("mobilityControlInfo")
    if mobility is None:
        return _STAYS
    earfcn = mobility.get("carrierFreq", {}).get("dl-CarrierFreq")
    if earfcn == _EXTENDED_EARFCN:
        earfcn = mobility.get("carrierFreq-v9e0", {}).get("dl-CarrierFreq-v9e0")
        if earfcn is None:
            # Without the extension, the cell would appear to be on the same frequency.
            return True, None, None
    return True, mobility["targetPhysCellId"], earfcn


def _nr_order(reconfiguration: dict[str, Any]) -> Order:
    """Return the target of a 5G command (``reconfigurationWithSync`` of the primary cell).

    The command is in the master cell group; an LTE message carries only a secondary cell group.
    """
    _, parts = reconfiguration["criticalExtensions"]
    group = parts.get("nonCriticalExtension", {}).get("masterCellGroup")
    if group is None:
        return _STAYS
    sync = _contained(group).get("spCellConfig", {}).get("reconfigurationWithSync")
    if sync is None:
        return _STAYS
    common = sync.get("spCellConfigCommon", {})
    frequency = common.get("downlinkConfigCommon", {}).get("frequencyInfoDL", {})
    return True, common.get("physCellId"), frequency.get("absoluteFrequencySSB")


def _contained(octets: Any) -> dict[str, Any]:
    """Return the content of an octet string, whether pycrate has decoded it or not."""
    if isinstance(octets, tuple) and isinstance(octets[1], dict):
        return octets[1]
    raise Undecoded
