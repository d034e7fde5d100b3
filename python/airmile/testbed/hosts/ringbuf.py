"""The parts of BPF that a probe needs: pinned objects, raw tracepoints and the ring buffer.

They use the system call bpf(2) directly (linux/bpf.h). The kernel releases what this module opens
when the process ends.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import platform
import struct
from collections.abc import Iterator
from pathlib import Path

_CALL = {"x86_64": 321, "aarch64": 280}
"""The number of the system call bpf(2), by machine (asm/unistd.h)."""

_MAP_LOOKUP, _OBJ_GET, _RAW_TRACEPOINT_OPEN = 1, 7, 17
"""Values of enum bpf_cmd."""

_BUSY, _DISCARD = 1 << 31, 1 << 30
"""Bits in the length of a record that is not written yet, or is to be skipped (linux/bpf.h)."""

_HEADER_BYTES = 8


def pinned(path: Path) -> int:
    """Open a pinned program or map; return its file descriptor."""
    name = ctypes.create_string_buffer(os.fsencode(path))
    return _bpf(_OBJ_GET, struct.pack("=QII", ctypes.addressof(name), 0, 0))


def attach(tracepoint: str, program: int) -> int:
    """Have a program called at a tracepoint until the returned file descriptor is closed."""
    name = ctypes.create_string_buffer(tracepoint.encode())
    return _bpf(_RAW_TRACEPOINT_OPEN, struct.pack("=QI", ctypes.addressof(name), program))


def counter(array: int) -> int:
    """Return the first number of an array map."""
    key, value = ctypes.c_uint32(0), ctypes.c_uint64(0)
    addresses = ctypes.addressof(key), ctypes.addressof(value)
    _bpf(_MAP_LOOKUP, struct.pack("=I4xQQQ", array, *addresses, 0))
    return value.value


def _bpf(command: int, attributes: bytes) -> int:
    number = _CALL.get(platform.machine())
    if number is None:
        raise OSError(f"the number of bpf(2) is not known for {platform.machine()}")
    given = ctypes.create_string_buffer(attributes.ljust(128, b"\0"), 128)
    result = int(_libc.syscall(number, command, given, 128))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


class Ring:
    """The reader of a BPF ring buffer (kernel documentation, bpf/ringbuf).

    Parameters
    ----------
    array : int
        The file descriptor of the open map.
    size : int
        The size of the buffer in bytes, a power of two.
    """

    def __init__(self, array: int, size: int) -> None:
        page = mmap.PAGESIZE
        self._mask = size - 1
        self._consumer = mmap.mmap(array, page)
        # The page of the producer, then the data twice, so that a record at the end is not split.
        self._rest = mmap.mmap(array, page + 2 * size, prot=mmap.PROT_READ, offset=page)

    def records(self) -> Iterator[bytes]:
        """Yield the records that have arrived since the last call."""
        (at,) = struct.unpack_from("=Q", self._consumer)
        (end,) = struct.unpack_from("=Q", self._rest)
        while at < end:
            begin = mmap.PAGESIZE + (at & self._mask)
            (length,) = struct.unpack_from("=I", self._rest, begin)
            if length & _BUSY:
                break
            size = length & ~_DISCARD
            if not length & _DISCARD:
                begin += _HEADER_BYTES
                yield self._rest[begin : begin + size]
            at += _HEADER_BYTES + (size + 7) // 8 * 8
            struct.pack_into("=Q", self._consumer, 0, at)


_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
