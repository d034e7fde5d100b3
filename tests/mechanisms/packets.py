"""Captures of a few connections that are written packet by packet, for the rules end to end."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import airmile
from airmile import mechanisms
from airmile.dataset import Dataset
from tests.support import wire

START = 1_700_000_000 * 10**9
MS = 10**6
PHONE, SERVER, OTHER = (bytes([10, 0, 0, 5]), bytes([203, 0, 113, 9]), bytes([203, 0, 113, 10]))
PHONE_6, SERVER_6 = (bytes.fromhex(f"20010db8{net:04x}{'00' * 9}05") for net in (1, 2))
FLAGS = {"F": 1, "S": 2, "R": 4, "P": 8, ".": 16, "E": 64, "W": 128}
MSS = 1400

Vantage = Literal["auto", "ue", "monitor", "server"]


@dataclass
class Connection:
    """A connection whose packets are appended to a list; sequence numbers count from 1000 and 5000.

    Attributes
    ----------
    packets : list
        The packets of all connections of a capture.
    phone, server : bytes
        The addresses.
    port, server_port : int
        The ports.
    near_ms : float
        The time from the capture point to the phone and back.
    stamps : bool
        Whether both sides send timestamps, whose ticks are milliseconds.
    sent : dict
        The next sequence number of each side.
    """

    packets: list[wire.Packet]
    phone: bytes = PHONE
    server: bytes = SERVER
    port: int = 4000
    server_port: int = 80
    near_ms: float = 1
    stamps: bool = True
    sent: dict[str, int] = field(default_factory=lambda: {"up": 1000, "down": 5000})

    def put(
        self,
        way: str,
        ms: float,
        flags: str = ".",
        size: int = 0,
        *,
        seq: int | None = None,
        ack: int | None = None,
        echo: int | None = None,
        ecn: int = 0,
        data: bytes = b"",
    ) -> None:
        """Append a segment; without numbers it is the next one, and acknowledges everything."""
        ends = (self.phone, self.server) if way == "up" else (self.server, self.phone)
        ports = (self.port, self.server_port)[:: 1 if way == "up" else -1]
        back = "down" if way == "up" else "up"
        payload = data or bytes(size)
        first = self.sent[way] if seq is None else seq
        after = (self.sent[back] if ack is None else ack) if "." in flags else 0
        bits = sum(FLAGS[each] for each in flags)
        options = self._options(ms, flags, echo)
        head = struct.pack(
            ">HHIIBBHHH", *ports, first, after, (20 + len(options)) // 4 << 4, bits, 65_000, 0, 0
        )
        packet = self._ip(ends, head + options + payload, ecn)
        self.packets.append((START + round(ms * MS), packet))
        length = len(payload) + sum(each in "SF" for each in flags)
        self.sent[way] = max(self.sent[way], first + length)

    def _options(self, ms: float, flags: str, echo: int | None) -> bytes:
        options = b""
        if "S" in flags:
            options += struct.pack(">BBHBBBB", 2, 4, MSS, 1, 3, 3, 7)
        if self.stamps:
            echoed = (10_000 + int(ms) if echo is None else echo) if "." in flags else 0
            options += struct.pack(">BBBBII", 1, 1, 8, 10, 10_000 + int(ms), echoed)
        return options

    def _ip(self, ends: tuple[bytes, bytes], segment: bytes, ecn: int) -> bytes:
        if len(ends[0]) == 16:
            label = 6 << 28 | ecn << 20
            return struct.pack(">IHBB", label, len(segment), 6, 64) + ends[0] + ends[1] + segment
        number = (len(self.packets) + 1) % 65_536
        length = 20 + len(segment)
        head = struct.pack(">BBHHHBBH", 0x45, ecn, length, number, 0x4000, 64, 6, 0)
        return head + ends[0] + ends[1] + segment

    def up(self, ms: float, flags: str = ".", size: int = 0, **more: Any) -> None:
        """Append a segment of the phone."""
        self.put("up", ms, flags, size, **more)

    def down(self, ms: float, flags: str = ".", size: int = 0, **more: Any) -> None:
        """Append a segment of the server."""
        self.put("down", ms, flags, size, **more)

    def open(self, ms: float, loop_ms: float = 40) -> float:
        """Append a handshake; return when it is done."""
        self.up(ms, "S")
        self.down(ms + loop_ms, "S.", echo=10_000 + int(ms))
        self.up(ms + loop_ms + self.near_ms)
        return ms + loop_ms + self.near_ms + 1

    def exchange(self, ms: float, size: int = 4200, loop_ms: float = 40) -> float:
        """Append a request and its answer in full segments; return when it is done."""
        self.up(ms, "P.", 300)
        for number in range(size // MSS):
            self.down(ms + loop_ms + number * 0.1, "P.", MSS - 12 * self.stamps)
        done = ms + loop_ms + size // MSS * 0.1 + self.near_ms
        self.up(done)
        return done + 1

    def close(self, ms: float, loop_ms: float = 40) -> None:
        """Append the FINs of both sides."""
        self.up(ms, "F.")
        self.down(ms + loop_ms, "F.")
        self.up(ms + loop_ms + 1)


def look_up(packets: list[wire.Packet], ms: float, name: bytes, *addresses: bytes) -> None:
    """Append a look-up of a name of one label, and its response with addresses of one family."""
    kind = 1 if len(addresses[0]) == 4 else 28
    question = bytes([len(name)]) + name + b"\x00" + struct.pack(">HH", kind, 1)
    answers = [
        b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 60, len(each)) + each for each in addresses
    ]
    number = len(packets)
    for count, ends, ports, late in (
        (0, (PHONE, wire.RESOLVER), (5300, 53), 0),
        (len(answers), (wire.RESOLVER, PHONE), (53, 5300), 20),
    ):
        flags = 0x8180 if late else 0x100
        head = struct.pack(">HHHHHH", number, flags, 1, count, 0, 0)
        datagram = wire.udp(*ports, head + question + b"".join(answers[:count]))
        packets.append((START + round((ms + late) * MS), wire.ip(*ends, 17, datagram)))


def analysed(path: Path, packets: Iterable[wire.Packet], vantage: Vantage = "auto") -> Dataset:
    """Write packets in the order of their time, and analyse them as those of the phone."""
    capture = wire.write(path / "script.pcap", sorted(packets, key=lambda each: each[0]))
    nets = ["10.0.0.0/8", "2001:db8:1::/48"]
    return airmile.analyze(capture, out=path / "s.airmile", ue_net=nets, vantage=vantage)


def of_rule(dataset: Dataset, name: str) -> list[mechanisms.Finding]:
    """Return what a rule finds in a dataset."""
    return list(mechanisms.mechanism(name).find(dataset))


def found(path: Path, packets: Iterable[wire.Packet], name: str) -> list[mechanisms.Finding]:
    """Return what a rule finds in packets."""
    return of_rule(analysed(path, packets), name)
