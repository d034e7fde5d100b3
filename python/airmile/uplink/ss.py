r"""Reads the repeated output of `ss -ti`: the sender's round trip without a testbed.

``ss`` prints no time, so the loop that calls ``ss`` prints it::

    while sleep 0.1; do date +%s.%N; ss -tin; done > upload.ss

A time is alone on its line, in seconds since 1970 or as ISO 8601 with an offset, and applies to
the lines after it. Both the indented form and one line per socket (`ss -O`) are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airmile._errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

_EPOCH = re.compile(r"^\d{9,11}(\.\d{1,9})?$")
_SOCKET = re.compile(
    r"^(?:tcp\s+)?(?P<state>[A-Z][A-Z0-9-]+)\s+\d+\s+\d+\s+(?P<local>\S+)\s+(?P<peer>\S+)"
)
_RTT = re.compile(r"(?<![\w-])rtt:(\d+(?:\.\d+)?)/")
_NUMBER = r"(?<![\w-]){name}:(\d+)"
COUNTERS = ("bytes_sent", "bytes_acked", "unacked", "mss", "cwnd")

HOW = "write it with: while sleep 0.1; do date +%s.%N; ss -tin; done > upload.ss"


def read(path: Path) -> pa.Table:
    """Read a file of `ss -ti` output.

    Parameters
    ----------
    path : Path
        The text; each output of ``ss`` follows the line with its time.

    Returns
    -------
    pyarrow.Table
        One row per socket and output: `time_ns, local_port, peer_port, rtt_us, bytes_sent,
        bytes_acked, unacked, snd_mss, cwnd`; a value that a line lacks is null.

    Raises
    ------
    InputError
        The file cannot be read, or contains no socket after a time.
    """
    import pyarrow as pa

    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}", HOW) from None
    rows = list(parse(text.splitlines()))
    if not rows:
        raise InputError(f"{path}: no socket with a round trip follows a line with a time", HOW)
    return pa.Table.from_pylist(rows, schema=pa.schema([(name, pa.int64()) for name in rows[0]]))


def parse(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each socket that reports a round trip.

    Examples
    --------
    >>> said = ["1700000000.25", "ESTAB 0 0 10.0.0.1:4000 192.0.2.1:443", "  cubic rtt:43.5/2 mss:1400"]
    >>> row = next(parse(said))
    >>> row["time_ns"], row["local_port"], row["peer_port"], row["rtt_us"], row["snd_mss"]
    (1700000000250000000, 4000, 443, 43500, 1400)
    """  # noqa: E501
    time_ns: int | None = None
    ports: tuple[int, int] | None = None
    for line in lines:
        stamp = _time(line.strip())
        if stamp is not None:
            time_ns, ports = stamp, None
            continue
        if socket := _SOCKET.match(line):
            ports = _ports(socket)
        found = _RTT.search(line)
        if found and ports and time_ns is not None:
            yield _row(time_ns, ports, found[1], line)
            ports = None


def _time(line: str) -> int | None:
    """Return the time on a line that contains nothing else, in ns since 1970, or None."""
    if _EPOCH.match(line):
        return int(Decimal(line) * 1_000_000_000)
    if len(line) < 19 or line[4] != "-" or " " in line[11:]:
        return None
    try:
        moment = datetime.fromisoformat(line)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    whole = int(moment.replace(microsecond=0).timestamp())
    return whole * 1_000_000_000 + moment.microsecond * 1000


def _ports(socket: re.Match[str]) -> tuple[int, int] | None:
    """Return both ports; None if `ss` wrote names because it ran without -n."""
    local, peer = (socket[end].rsplit(":", 1)[-1] for end in ("local", "peer"))
    return (int(local), int(peer)) if local.isdigit() and peer.isdigit() else None


def _row(time_ns: int, ports: tuple[int, int], rtt_ms: str, line: str) -> dict[str, Any]:
    counters = {name: re.search(_NUMBER.format(name=name), line) for name in COUNTERS}
    values = {name: int(found[1]) if found else None for name, found in counters.items()}
    return {
        **{"time_ns": time_ns, "local_port": ports[0], "peer_port": ports[1]},
        **{"rtt_us": int(Decimal(rtt_ms) * 1000), "snd_mss": values.pop("mss"), **values},
    }
