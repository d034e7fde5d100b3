"""Reads, turns off and restores offloads, which change packets before a capture sees them.

With segmentation or receive offload, a capture holds super-packets of up to 64 kB that were never
on the air. The ioctl SIOCETHTOOL (linux/ethtool.h) controls offloads without another program.
"""

from __future__ import annotations

import array
import errno
import fcntl
import json
import socket
import struct
import sys
from collections.abc import Iterator, Sequence

from airmile._errors import OutputError
from airmile.testbed.hosts import leftovers
from airmile.testbed.hosts.attempts import Attempts
from airmile.testbed.hosts.owner import Owner

_SIOCETHTOOL = 0x8946
_SO_NETNS_COOKIE = 71

_COMMANDS = {
    "tso": (0x1E, 0x1F, 1),
    "gso": (0x23, 0x24, 1),
    "gro": (0x2B, 0x2C, 1),
    "lro": (0x25, 0x26, 1 << 15),
}
"""The ethtool commands that read and set each offload, and its bit.

The commands are ETHTOOL_GTSO and STSO, GGSO and SGSO, GGRO and SGRO; for LRO they are GFLAGS and
SFLAGS with the bit ETH_FLAG_LRO.
"""

_GFEATURES, _SFEATURES = 0x3A, 0x3B

_BLOCKS = 4
"""The most blocks of 32 features that are read; the kernel has two."""

_NOTE = "offloads.json"


def read(device: str) -> dict[str, bool | None]:
    """Return which offloads of a device are on; None if the driver does not say."""
    return {name: _get(device, name) for name in _COMMANDS}


def features(device: str) -> list[int]:
    """Return the features requested of a device, as 32-bit words (struct ethtool_gfeatures).

    They are needed to restore each feature: the older command for TSO turns on all kinds of TSO.
    """
    value = array.array("I", [_GFEATURES, _BLOCKS, *[0] * (4 * _BLOCKS)])
    _ask(device, value)
    return [value[3 + 4 * block] for block in range(value[1])]


def turn_off(mark: str, devices: Sequence[str]) -> None:
    """Turn off the offloads that are on; the removal of the run with this mark restores them.

    Raises
    ------
    OutputError
        A driver refuses to turn an offload off.
    """
    before = {device: features(device) for device in devices}
    leftovers.note(mark, _NOTE, json.dumps({"network": _network(), "devices": before}))
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
def restore(owner: Owner) -> Iterator[str]:
    """Turn on again what a run turned off; skip interfaces that no longer exist.

    Raises
    ------
    OutputError
        A driver refuses; all other interfaces have been restored. Or the interfaces are those of
        another network namespace, where other interfaces may have the same names.
    """
    attempts = Attempts()
    noted = json.loads(leftovers.noted(owner.mark, _NOTE) or "{}")
    devices = noted.get("devices", {})
    if devices and noted["network"] != _network():
        raise OutputError(
            f"offloads of {', '.join(devices)} are off in another network namespace, "
            f"or in none any more (remove {leftovers.STATE / owner.mark})"
        )
    for device, before in devices.items():
        with attempts.at(f"offloads of {device}"):
            if _restored(device, before):
                yield f"the ban on offloads of {device}"
    attempts.check()


def _network() -> int | None:
    """Return the number of this network namespace, which no other one gets (socket(7)).

    None if the kernel is older than Linux 5.14 and has no such number.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asks:
        try:
            found = asks.getsockopt(socket.SOL_SOCKET, _SO_NETNS_COOKIE, 8)
        except OSError:
            return None
    return int.from_bytes(found, sys.byteorder)


def _restored(device: str, before: list[int]) -> bool:
    """Request the features that were on before the run; return whether any had changed."""
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
    """Request features of a device (struct ethtool_sfeatures: pairs of a mask and its bits)."""
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
    """Pass a struct ethtool_value to the kernel, and return its data field afterwards."""
    value = array.array("I", [command, data])
    _ask(device, value)
    return value[1]


def _ask(device: str, value: array.array[int]) -> None:
    """Let the kernel read and write the value to which a struct ifreq points."""
    request = struct.pack("16sP16x", device.encode(), value.buffer_info()[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asks:
        fcntl.ioctl(asks, _SIOCETHTOOL, request)
