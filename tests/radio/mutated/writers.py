"""Writes the rows of a log in the formats that airmile reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.radio.mutated.link import CELL_PRBS
from tests.radio.mutated.rows import Row


@dataclass(frozen=True, slots=True)
class Writer:
    """A format.

    Attributes
    ----------
    name : str
        The name of the format.
    text : callable
        Function that returns the text of a file with these rows.
    counts_frames : bool
        Whether its counter is the frame number of LTE, which wraps after 10,240 ms.
    names_cells : bool
        Whether its rows name their cell.
    has_packets : bool
        Whether it stamps packets of several rows.
    """

    name: str
    text: Callable[[Iterable[Row]], str]
    counts_frames: bool
    names_cells: bool
    has_packets: bool = False

    def write(self, files: Iterable[list[Row]], folder: Path) -> list[Path]:
        """Write the files, and return their paths."""
        paths = []
        for number, rows in enumerate(files):
            # Readers take files beside a log of the emulator for files that belong to it.
            path = folder / f"{number}" / "modem.txt"
            path.parent.mkdir(parents=True)
            path.write_text(self.text(rows))
            paths.append(path)
        return paths


def _emulator(rows: Iterable[Row]) -> str:
    lines = ["t_unix,tti,prb,tbs_bytes,cell,prb_total,padding_bytes"]
    lines += [
        f"{_unix(row)},{row.counter},{row.block.prbs},{row.block.size},{row.cell},{CELL_PRBS},"
        f"{row.block.padding}"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def _plain(rows: Iterable[Row]) -> str:
    """Write the emulator's columns that no log of it lacks."""
    lines = ["t_unix,tti,prb,tbs_bytes"]
    lines += [f"{_unix(row)},{row.counter},{row.block.prbs},{row.block.size}" for row in rows]
    return "\n".join(lines) + "\n"


def _falcon(rows: Iterable[Row]) -> str:
    lines = [
        f"{_unix(row)}\t{row.counter // 10}\t{row.counter % 10}\t4660\t1\t20\t{row.block.prbs}\t"
        f"{row.block.size * 8}\t{row.block.size * 8}\t-1\t3\t1\t-1\t3\t4\t2\t2\t5\t44\t0fab"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def _ngscope(rows: Iterable[Row]) -> str:
    lines = [
        f"{row.counter}\t4660\t{CELL_PRBS}\t{row.block.prbs}\t20\t0\t{row.block.size * 8}\t0\t0\t0"
        f"\t3\t{row.stamp_us}\t1\t0\t"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def _qcat(rows: Iterable[Row]) -> str:
    """Write packets of up to 20 rows that follow each other within 40 ms."""
    text = []
    for packet in _packets(rows):
        stamp = datetime.fromtimestamp(packet[-1].stamp_us / 1e6, UTC)
        text.append(
            f"{stamp:%Y %b %d  %H:%M:%S}.{stamp.microsecond // 1000:03d}  [89]  0xB173  "
            "LTE PDSCH Stat Indication\nVersion = 48\n ---\n"
            " |#|Subframe|Frame|Num|RNTI|TB Size|\n | |Num     |Num  |RBs|Type|(bytes)|\n ---\n"
        )
        text += [
            f" |{at}|{row.counter % 10}|{row.counter // 10}|{row.block.prbs}|C|{row.block.size}|\n"
            for at, row in enumerate(packet)
        ]
    return "".join(text)


def _packets(rows: Iterable[Row]) -> Iterable[list[Row]]:
    packet: list[Row] = []
    for row in rows:
        near = packet and 0 <= row.stamp_us - packet[0].stamp_us <= 40_000
        if packet and (not near or len(packet) == 20 or row.damaged or packet[-1].damaged):
            yield packet
            packet = []
        packet.append(row)
    yield packet


def _unix(row: Row) -> str:
    return f"{row.stamp_us // 10**6}.{row.stamp_us % 10**6:06d}"


EMULATOR = Writer("emulator", _emulator, counts_frames=False, names_cells=True)

WRITERS = (
    EMULATOR,
    EMULATOR,
    Writer("plain", _plain, counts_frames=False, names_cells=False),
    Writer("falcon", _falcon, counts_frames=True, names_cells=False),
    Writer("ngscope", _ngscope, counts_frames=True, names_cells=False),
    Writer("qcat", _qcat, counts_frames=True, names_cells=False, has_packets=True),
)
"""The formats; the first is drawn more often, because it holds most."""
