"""Steps of RRC from a whole decoder, where the first bits of a message do not tell the target.

Needs the extra ``rrc`` (pycrate). Messages hold identities of the subscriber: they are decoded in
memory, and nothing of them is kept but the step, the cell and the frequency.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from airmile._errors import OutputError

Message = tuple[int, int, bool, str, int, int, bytes]
"""Time in ns, user, whether it is 5G, channel, physical cell identity, EARFCN, and the message."""

_EXTENDED_EARFCN = 65_535
"""Stands for an EARFCN above it, told in an extension (TS 36.331, ``ARFCN-ValueEUTRA``)."""

_LTE = {
    "rrcConnectionReconfigurationComplete": "complete",
    "rrcConnectionReestablishmentComplete": "complete",
    "rrcConnectionReestablishmentRequest": "reestablishment",
    "rrcConnectionReestablishmentReject": "release",
    "rrcConnectionRequest": "connection",
    "rrcConnectionSetup": "connection",
    "rrcConnectionSetupComplete": "connection",
    "rrcConnectionResume-r13": "connection",
    "rrcConnectionResumeRequest-r13": "connection",
    "rrcConnectionReject": "release",
    "rrcConnectionRelease": "release",
}

_NR = {
    "rrcReconfigurationComplete": "complete",
    "rrcReestablishmentComplete": "complete",
    "rrcReestablishmentRequest": "reestablishment",
    "rrcSetupRequest": "connection",
    "rrcSetup": "connection",
    "rrcSetupComplete": "connection",
    "rrcResumeRequest": "connection",
    "rrcResume": "connection",
    "rrcResumeComplete": "connection",
    "rrcReject": "release",
    "rrcRelease": "release",
}

_CHANNELS = ("DL-CCCH", "DL-DCCH", "UL-CCCH", "UL-DCCH")


@dataclass(frozen=True)
class Step:
    """A step between cells.

    Attributes
    ----------
    time_ns
        When it was logged.
    user
        Whose phone.
    step
        ``command``, ``complete``, ``reestablishment``, ``connection``, ``release`` or ``seen``.
    cell
        Physical identity of the cell on which the message was.
    earfcn
        Its EARFCN.
    target_cell
        Cell that an order names.
    target_earfcn
        EARFCN that it names; None where it is the same.
    nr
        Whether it is 5G.
    """

    time_ns: int
    user: int
    step: str
    cell: int
    earfcn: int
    target_cell: int | None
    target_earfcn: int | None
    nr: bool


def steps(messages: Iterable[Message]) -> Iterator[Step]:
    """Give the steps of RRC messages, in their order.

    A message that cannot be decoded is a sign of life on its cell, as are those that move nobody.

    Parameters
    ----------
    messages
        Time in ns, user, whether it is 5G, channel, physical cell identity, EARFCN, message.

    Raises
    ------
    OutputError
        pycrate is not installed.

    Examples
    --------
    >>> list(steps([]))
    []
    """
    decoders: dict[tuple[bool, str], Decoder] = {}
    for time_ns, user, nr, channel, cell, earfcn, message in messages:
        if channel in _CHANNELS:
            if (nr, channel) not in decoders:
                decoders[(nr, channel)] = _decoder(nr, channel)
            step, target = _step(nr, decoders[(nr, channel)], message)
            yield Step(time_ns, user, step, cell, earfcn, *target, nr)


Decoder = Callable[[bytes], dict[str, Any]]
Target = tuple[int | None, int | None]
"""Cell and EARFCN that an order names."""

_NO_TARGET: Target = (None, None)


def _decoder(nr: bool, channel: str) -> Decoder:
    """Give what decodes the messages of a channel."""
    try:
        from pycrate_asn1dir import RRCLTE, RRCNR
    except ImportError:
        raise OutputError(
            "decoding RRC messages needs pycrate, which is not installed",
            "pip install 'airmile[rrc]'",
        ) from None
    module = RRCNR.NR_RRC_Definitions if nr else RRCLTE.EUTRA_RRC_Definitions
    grammar = getattr(module, channel.replace("-", "_") + "_Message")

    def decode(message: bytes) -> dict[str, Any]:
        grammar.from_uper(message)
        value: dict[str, Any] = grammar.get_val()
        return value

    return decode


def _step(nr: bool, decode: Decoder, message: bytes) -> tuple[str, Target]:
    try:
        name, content = _alternative(decode(message)["message"])
        if nr:
            target = _nr_target(content) if name == "rrcReconfiguration" else None
        else:
            target = _lte_target(content) if name == "rrcConnectionReconfiguration" else None
    except Exception:
        # Whatever the bytes, the log goes on: pycrate has no one class for all that it raises.
        return "seen", _NO_TARGET
    if target is not None:
        return "command", target
    return (_NR if nr else _LTE).get(name, "seen"), _NO_TARGET


def _alternative(choice: Any) -> tuple[str, Any]:
    """Give the alternative that is chosen within choices that only leave room for later ones."""
    name, content = choice
    while name in ("c1", "c2", "messageClassExtension"):
        name, content = content
    return name, content


def _lte_target(reconfiguration: dict[str, Any]) -> Target | None:
    """Tell where ``mobilityControlInfo`` orders the phone; None where there is none."""
    _, parts = _alternative(reconfiguration["criticalExtensions"])
    mobility = parts.get("mobilityControlInfo")
    if mobility is None:
        return None
    earfcn = mobility.get("carrierFreq", {}).get("dl-CarrierFreq")
    extended = mobility.get("carrierFreq-v9e0", {}).get("dl-CarrierFreq-v9e0")
    if extended is not None or earfcn == _EXTENDED_EARFCN:
        earfcn = extended
    return mobility["targetPhysCellId"], earfcn


def _nr_target(reconfiguration: dict[str, Any]) -> Target | None:
    """Tell where ``reconfigurationWithSync`` of the primary cell orders the phone."""
    _, parts = reconfiguration["criticalExtensions"]
    group = _contained(parts.get("nonCriticalExtension", {}).get("masterCellGroup"))
    sync = group.get("spCellConfig", {}).get("reconfigurationWithSync")
    if sync is None:
        return None
    common = sync.get("spCellConfigCommon", {})
    frequency = common.get("downlinkConfigCommon", {}).get("frequencyInfoDL", {})
    return common.get("physCellId"), frequency.get("absoluteFrequencySSB")


def _contained(value: Any) -> dict[str, Any]:
    """Give what an octet string contains: pycrate names its type, or leaves it undecoded."""
    content = value[1] if isinstance(value, tuple) else value
    return content if isinstance(content, dict) else {}
