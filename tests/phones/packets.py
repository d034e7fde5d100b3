"""The times of the packets of the phone's cellular interface in a capture."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from tests.phones.network import CELLULAR
from tests.phones.truth import NS

_PCAPNG, _NANOSECONDS = 0x0A0D0D0A, 0xA1B23C4D
_SLL2, _ETHERNET, _NO_TYPE, _RAW_IP = 276, 1, 65_534, 519
_HARDWARE = slice(8, 10)


def times(capture: Path) -> list[int]:
    """Give the times in ns, in the order of the file."""
    data = capture.read_bytes()
    if struct.unpack_from("<I", data)[0] == _PCAPNG:
        return list(_of_pcapng(data))
    cooked = struct.unpack_from("<I", data, 20)[0] == _SLL2
    return [
        time
        for time, at, _ in _records(data)
        if not cooked or _hardware(data, at) not in (_ETHERNET, 0)
    ]


def as_of_a_modem(cooked: Path, out: Path) -> Path:
    """Write a capture of all interfaces with the type of hardware that a modem's driver gives.

    The cellular interface is a TUN device here, whose type says nothing (ARPHRD_NONE); that of a
    phone has ARPHRD_RAWIP (if_arp.h).
    """
    data = bytearray(cooked.read_bytes())
    for _, at, _ in list(_records(data)):
        if _hardware(data, at) == _NO_TYPE:
            data[at + _HARDWARE.start : at + _HARDWARE.stop] = struct.pack(">H", _RAW_IP)
    out.write_bytes(data)
    return out


def _hardware(data: bytes | bytearray, at: int) -> int:
    return int.from_bytes(data[at + _HARDWARE.start : at + _HARDWARE.stop])


def _records(data: bytes | bytearray) -> Iterator[tuple[int, int, int]]:
    """Give the time, the place and the length of each packet of a classic capture."""
    at, fraction_ns = 24, 1 if struct.unpack_from("<I", data)[0] == _NANOSECONDS else 1000
    while at + 16 <= len(data):
        seconds, fraction, size, _ = struct.unpack_from("<IIII", data, at)
        yield seconds * NS + fraction * fraction_ns, at + 16, size
        at += 16 + size


def _of_pcapng(data: bytes) -> Iterator[int]:
    """Give the times of the packets of the cellular interface, whose clock counts ns."""
    at, names = 0, list[bool]()
    while at + 12 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 1:
            names.append(_is_cellular(data[at + 16 : at + size - 4]))
        elif kind == 6:
            number, high, low = struct.unpack_from("<III", data, at + 8)
            if names[number]:
                yield high << 32 | low
        at += size


def _is_cellular(options: bytes) -> bool:
    """Whether the first option, the name of the interface, is that of the cellular one."""
    kind, size = struct.unpack_from("<HH", options)
    return kind == 2 and options[4 : 4 + size] == CELLULAR.encode()
