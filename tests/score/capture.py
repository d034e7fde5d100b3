"""The first and last packet of a classic pcap, which is all that scoring needs of a capture."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

_NANOSECONDS_PER_UNIT = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1}
_FILE_HEADER = 24
_RECORD_HEADER = 16


def span_ns(path: Path) -> tuple[int, int]:
    """Return the times of the first and the last packet of `path` (pcap, plain or gzip)."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    order = "<" if struct.unpack_from("<I", data)[0] in _NANOSECONDS_PER_UNIT else ">"
    unit = _NANOSECONDS_PER_UNIT[struct.unpack_from(order + "I", data)[0]]
    times = []
    offset = _FILE_HEADER
    while offset + _RECORD_HEADER <= len(data):
        seconds, fraction, length, _ = struct.unpack_from(order + "IIII", data, offset)
        times.append(seconds * 10**9 + fraction * unit)
        offset += _RECORD_HEADER + length
    return min(times), max(times)


def file_of(folder: Path, *names: str) -> Path | None:
    """Return the first file of these names, compressed (a set) or not (a run of the testbed)."""
    found = (path for name in names for path in sorted(folder.glob(f"{name}*")) if path.is_file())
    return next(found, None)
