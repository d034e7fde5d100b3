"""Recorded phones that speak to one server at the same time, in a capture each and in one capture.

Some use the same ports: whatever joined rows without the phone would take one phone's flows for
another's.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import airmile as am
from tests.support import taps
from tests.support.taps import Record

DATA = Path(__file__).parents[1] / "data"
PHONES = ("emu/t22_dash", "emu/t20_parallel", "emu_own/g13_both_ways",
          "everyday/page-40ms-s2-monitor", "emu/c_rwnd")  # fmt: skip
LOG = DATA / PHONES[0] / "modem.csv.gz"
"""The modem log of the first phone."""

NET = ["10.73.9.0/24"]


class Captures:
    """The single phones, and all of them in one capture."""

    def __init__(self, folder: Path) -> None:
        phones = [taps.read(DATA / name / "monitor.pcap.gz") for name in PHONES]
        first_ns = phones[0][0].ns
        moved = [
            [_of_phone(each, number, first_ns - records[0].ns) for each in records]
            for number, records in enumerate(phones)
        ]
        self.single = [
            _analysed(folder / str(number), records, with_log=number == 0)
            for number, records in enumerate(moved)
        ]
        every = sorted((each for records in moved for each in records), key=lambda each: each.ns)
        self.together = _analysed(folder / "all", every, with_log=True)


def _of_phone(record: Record, number: int, later_ns: int) -> Record:
    """Return a packet as that of another phone, at another time."""
    own = bytes([*taps.UE[:3], taps.UE[3] + number])
    ends = (own if end == taps.UE else end for end in (record.data[12:16], record.data[16:20]))
    data = record.data[:12] + b"".join(ends) + record.data[20:]
    return replace(record, ns=record.ns + later_ns, data=data)


def _analysed(path: Path, records: list[Record], *, with_log: bool) -> am.Dataset:
    capture = taps.write(path.with_suffix(".pcap"), records)
    return am.analyze(
        capture, out=path.with_suffix(".airmile"), samples=True, ue_net=NET,
        modem=[LOG] if with_log else [],
    )  # fmt: skip
