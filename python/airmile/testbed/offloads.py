"""What a network card does to packets before a capture sees them: asked, turned off, restored.

With segmentation or receive offload on, a capture holds super-packets of up to 64 kB that were
never on the air. By the ioctl SIOCETHTOOL (linux/ethtool.h), so that no program is needed.
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
from airmile.testbed import leftovers

_SIOCETHTOOL = 0x8946

_COMMANDS = {"tso": (0x1E, 0x1F), "gso": (0x23, 0x24), "gro": (0x2B, 0x2C)}
"""ETHTOOL_GTSO and STSO, GGSO and SGSO, GGRO and SGRO."""

_NOTE = "offloads.json"


def read(device: str) -> dict[str, bool | None]:
    """Tell which offloads are on; None: the driver does not say."""
    return {name: _get(device, name) for name in _COMMANDS}


def turn_off(mark: str, devices: Sequence[str]) -> None:
    """Turn off what is on, until the run with this mark is removed.

    Raises
    ------
    OutputError
        A driver refuses.
    """
    were = {device: [name for name, on in read(device).items() if on] for device in devices}
    leftovers.note(mark, _NOTE, json.dumps(were))
    for device, names in were.items():
        for name in names:
            try:
                _set(device, name, False)
            except OSError as error:
                raise OutputError(
                    f"{device}: {name} cannot be turned off: {error.strerror}",
                    'offloads = "keep" captures what the card makes of the packets',
                ) from None


@leftovers.register
def restore(mark: str) -> Iterator[str]:
    """Turn on again what a run turned off; an interface that is gone needs nothing."""
    for device, names in json.loads(leftovers.noted(mark, _NOTE) or "{}").items():
        for name in names:
            try:
                _set(device, name, True)
            except OSError as error:
                if error.errno != errno.ENODEV:
                    raise
            else:
                yield f"turned-off {name} of {device}"


def _get(device: str, name: str) -> bool | None:
    try:
        return bool(_ethtool(device, _COMMANDS[name][0], 0))
    except OSError as error:
        if error.errno == errno.EOPNOTSUPP:
            return None
        raise OutputError(f"{device}: {error.strerror}", "ip link lists the interfaces") from None


def _set(device: str, name: str, on: bool) -> None:
    _ethtool(device, _COMMANDS[name][1], int(on))


def _ethtool(device: str, command: int, data: int) -> int:
    """Pass a struct ethtool_value through a struct ifreq, and give back its data."""
    value = array.array("I", [command, data])
    request = struct.pack("16sP16x", device.encode(), value.buffer_info()[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asks:
        fcntl.ioctl(asks, _SIOCETHTOOL, request)
    return value[1]
