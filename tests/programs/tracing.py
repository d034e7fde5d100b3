"""Reads the system calls of a traced program: the bytes that it wrote to each connection and read.

The tracer is ``strace -ff -ttt -T -yy``: a file for each thread, a line for each finished call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from airmile.testbed.hosts.namespaces import PHONE

CALLS = (
    "read,readv,recvfrom,recvmsg,recvmmsg,write,writev,sendto,sendmsg,sendmmsg,sendfile,splice,"
    "connect,accept,accept4,shutdown"
)

_READS = frozenset({"read", "readv", "recvfrom", "recvmsg"})
_WRITES = frozenset({"write", "writev", "sendto", "sendmsg", "sendfile"})

_LINE = re.compile(r"^(\d+)\.(\d{6}) (\w+)\((\d+)<(.*)\) += (-?\d+).* <(\d+)\.(\d{6})>$")
_CONNECTION = re.compile(r"^TCP(?:v6)?:\[(.+?)->(.+?)\]>")


@dataclass(frozen=True)
class Io:
    """A system call that moved bytes between an application and a connection.

    Attributes
    ----------
    port : int
        The phone's port.
    wrote : bool
        Whether the application wrote.
    start_ns, end_ns : int
        When the call began and ended.
    size : int
        The number of bytes.
    """

    port: int
    wrote: bool
    start_ns: int
    end_ns: int
    size: int


def command(words: Iterable[str], prefix: Path, user: str = "") -> list[str]:
    """Give the command that runs a program under the tracer."""
    tracer = ["strace", "-ff", "-ttt", "-T", "-yy", "-qq", "-s", "0", "-e", f"trace={CALLS}"]
    return [
        *tracer,
        "-e",
        "signal=none",
        *(["-u", user] if user else []),
        "-o",
        str(prefix),
        *words,
    ]


def read(folder: Path, name: str) -> list[Io]:
    """Read the calls of all threads of a program, in the order of their ends."""
    every = (each for file in sorted(folder.glob(f"{name}.*")) for each in _of_thread(file))
    return sorted(every, key=lambda each: each.start_ns if each.wrote else each.end_ns)


def _of_thread(file: Path) -> Iterator[Io]:
    with file.open(errors="replace") as lines:
        for line in lines:
            if found := io_of(line.rstrip("\n")):
                yield found


def io_of(line: str, phone: str = PHONE) -> Io | None:
    """Give what a line of the trace says of a connection of the phone, if anything."""
    match = _LINE.match(line)
    if not match or "MSG_PEEK" in line:
        return None
    seconds, micros, call, _, rest, result, took_s, took_us = match.groups()
    moved = int(result)
    connection = _CONNECTION.match(rest)
    if not connection or moved <= 0 or call not in _READS | _WRITES:
        return None
    ends = [_end(each) for each in connection.groups()]
    port = next((port for address, port in ends if address == phone), None)
    if port is None:
        return None
    start_ns = int(seconds) * 10**9 + int(micros) * 1000
    took_ns = int(took_s) * 10**9 + int(took_us) * 1000
    return Io(port, call in _WRITES, start_ns, start_ns + took_ns, moved)


def _end(text: str) -> tuple[str, int]:
    """Split an address and its port; an IPv4 address may be written as one of IPv6."""
    address, _, port = text.rpartition(":")
    return address.strip("[]").removeprefix("::ffff:"), int(port)
