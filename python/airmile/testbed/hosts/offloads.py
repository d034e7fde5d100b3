"""Offloads, which change packets before a capture sees them: read, turned off, restored.

With segmentation or receive offload on, a capture holds super-packets of up to 64 kB that were
never on the air. The ioctl SIOCETHTOOL (linux/ethtool.h) controls them, so that no program is
needed.
"""

from __future__ import annotations

import array
import errno
import fcntl
import json
import socket
import struct
from collections.abc import Iterator, Sequence

from airmile._errors import OutputError
from airmile.testbed.hosts import leftovers
from airmile.testbed.hosts.attempts import Attempts

_SIOCETHTOOL = 0x8946

_COMMANDS = {
    "tso": (0x1E, 0x1F, 1),
    "gso": (0x23, 0x24, 1),
    "gro": (0x2B, 0x2C, 1),
    "lro": (0x25, 0x26, 1 << 15),
}
"""The commands to read and to set each offload, and its bit: ETHTOOL_GTSO and STSO, GGSO and SGSO,
GGRO and SGRO; GFLAGS and SFLAGS with ETH_FLAG_LRO."""

_GFEATURES, _SFEATURES = 0x3A, 0x3B

_BLOCKS = 4
"""The most blocks of 32 features; the kernel has two."""

_NOTE = "offloads.json"


def read(device: str) -> dict[str, bool | None]:
    """Give which offloads are on; None where the driver does not say."""
    return {name: _get(device, name) for name in _COMMANDS}


def features(device: str) -> list[int]:
    """Give the features that are requested of a device, 32 bits each (struct ethtool_gfeatures).

    The bits are restored one by one, because the older command for TSO turns on all kinds of it.
    """
    value = array.array("I", [_GFEATURES, _BLOCKS, *[0] * (4 * _BLOCKS)])
    _ask(device, value)
    return [value[3 + 4 * block] for block in range(value[1])]


def turn_off(mark: str, devices: Sequence[str]) -> None:
    """Turn off what is on, until the run with this mark is removed.

    Raises
    ------
    OutputError
        A driver refuses.
    """
    before = {device: features(device) for device in devices}
    leftovers.note(mark, _NOTE, json.dumps(before))
    for device in devices:
        for name in [name for name, on in read(device).items() if on]:
            get, put, bit = _COMMANDS[name]
            try:
                _ethtool(device, put, _ethtool(device, get, 0) & ~bit)
            except OSError as error:
                raise OutputError(
                    f"{device}: {name} cannot be turned off: {error.strerror}",
                    'offloads = "keep" captures what the card makes of the packets',
                ) from None


@leftovers.register
def restore(mark: str) -> Iterator[str]:
    """Turn on again what a run turned off; an interface that is gone needs nothing.

    Raises
    ------
    OutputError
        A driver refuses; the other interfaces are restored first.
    """
    attempts = Attempts()
    for device, before in json.loads(leftovers.noted(mark, _NOTE) or "{}").items():
        with attempts.at(f"offloads of {device}"):
            if _restored(device, before):
                yield f"the ban on offloads of {device}"
    attempts.check()


def _restored(device: str, before: list[int]) -> bool:
    """Request the features that were on before, and say whether any had changed."""
    try:
        changed = [was & ~now for was, now in zip(before, features(device), strict=True)]
        if any(changed):
            _wish(device, changed)
    except OSError as error:
        if error.errno != errno.ENODEV:
            raise
        return False
    return any(changed)


def _wish(device: str, bits: list[int]) -> None:
    """Request further features (struct ethtool_sfeatures: pairs of a mask and its bits)."""
    _ask(
        device,
        array.array("I", [_SFEATURES, len(bits), *(b for each in bits for b in (each, each))]),
    )


def _get(device: str, name: str) -> bool | None:
    ask, _, bit = _COMMANDS[name]
    try:
        return bool(_ethtool(device, ask, 0) & bit)
    except OSError as error:
        if error.errno == errno.EOPNOTSUPP:
            return None
        raise


def _ethtool(device: str, command: int, data: int) -> int:
    """Pass a struct ethtool_value to the kernel, and give its data afterwards."""
    value = array.array("I", [command, data])
    _ask(device, value)
    return value[1]


def _ask(device: str, value: array.array[int]) -> None:
    """Let the kernel read and write the value that a struct ifreq points to."""
    request = struct.pack("16sP16x", device.encode(), value.buffer_info()[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asks:
        fcntl.ioctl(asks, _SIOCETHTOOL, request)
