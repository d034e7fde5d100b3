"""The output of tcptrace, of its fork that reads GTP, and of tshark about a capture.

The outputs are kept beside the captures; ``README.md`` there says how they were made.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

from tests.corpus.connection import Connection, End, Value, Way, address

Json = dict[str, Any]


def tcptrace(folder: Path, capture: str) -> list[Connection] | None:
    """Read tcptrace's connections, or its fork's where there are more; None without any.

    The fork reads pcapng and packets within GTP.
    """
    rows = json.loads(_text(folder / f"{capture}.tcptrace.json.gz"))["conns"]
    plain = [_tcptrace_connection(row) for row in rows]
    path = folder / f"{capture}.tcptrace_tmo.long.txt.gz"
    fork = _fork(_text(path)) if path.exists() else []
    return max(plain, fork, key=_packets) or None


def _packets(connections: list[Connection]) -> int:
    ways = [way for connection in connections for way in connection.ways.values()]
    return sum(int(way.values["packets"] or 0) for way in ways)


def _text(path: Path) -> str:
    with gzip.open(path, "rt", errors="replace") as file:
        return file.read()


def tshark(folder: Path, capture: str) -> list[Connection] | None:
    """Read tshark's streams; None when it could not read the capture."""
    path = folder / f"{capture}.tshark.json.gz"
    found = json.loads(_text(path)) if path.exists() else []
    return [_tshark_connection(row) for row in found] or None


def _tcptrace_connection(row: Json) -> Connection:
    ends = [(address(row[f"host_{x}"]), int(row[f"port_{x}"])) for x in "ab"]
    ways = {}
    for end, way in zip(ends, ("a2b", "b2a"), strict=True):
        plain = {name[: -len(way) - 1]: text for name, text in row.items() if name.endswith(way)}
        ways[end] = _tcptrace_way(plain)
    return Connection(float(row["first_packet"]), _in_force(ways))


def _in_force(ways: dict[End, Way]) -> dict[End, Way]:
    """Leave a scale out that only one side offered: tcptrace then prints 0 for it."""
    if any(way.values.get("window_scale") is None for way in ways.values()):
        for way in ways.values():
            if way.values.get("window_scale") is not None:
                del way.values["window_scale"]
    return ways


def _tcptrace_way(row: dict[str, str]) -> Way:
    syn, fin = row["SYN/FIN_pkts_sent"].split("/")
    scales, timestamps = row.get("req_1323_ws/ts", "N/N").split("/")
    values: dict[str, Value] = {
        "packets": int(row["total_packets"]),
        "payload_bytes": int(row["actual_data_bytes"]),
        "unique_bytes": int(row["unique_bytes_sent"]),
        "syn": int(syn),
        "fin": int(fin),
        "resent": int(row["rexmt_data_pkts"]),
    }
    if "resets_sent" in row:
        values["rst"] = int(row["resets_sent"])
    if int(syn):
        values["mss"] = int(row["mss_requested"]) or None
        values["sack"] = row["req_sack"] == "Y"
        values["timestamps"] = timestamps == "Y"
        values["window_scale"] = int(row["adv_wind_scale"]) if scales == "Y" else None
    values |= _rtt(row)
    return Way(values)


def _rtt(row: dict[str, str]) -> dict[str, Value]:
    samples = int(row.get("RTT_samples", 0))
    times = {"min": "rtt_min_ms", "avg": "rtt_mean_ms", "max": "rtt_max_ms"}
    found: dict[str, Value] = {"rtt_samples": samples}
    for theirs, ours in times.items():
        found[ours] = float(row[f"RTT_{theirs}"]) if samples else None
    if found["rtt_mean_ms"] is not None:
        # It adds 0.0001 to the count before it divides: a single sample of 10 s has a mean of
        # 9,999.0 ms.
        found["rtt_mean_ms"] *= 1 + 0.0001 / samples
    return found


def _tshark_connection(row: Json) -> Connection:
    ways = {_end(row["a"]): _tshark_way(row["ab"]), _end(row["b"]): _tshark_way(row["ba"])}
    return Connection(row["first"], ways)


def _tshark_way(row: Json | None) -> Way:
    if row is None:
        names = ("packets", "payload_bytes", "unique_bytes", "syn", "fin", "rst")
        return Way(dict.fromkeys((*names, "wireshark_retransmissions"), 0))
    values: dict[str, Value] = {
        "packets": row["packets"],
        "payload_bytes": row["payload"],
        "unique_bytes": row["unique"],
        "syn": row["syn"],
        "fin": row["fin"],
        "rst": row["rst"],
        "wireshark_retransmissions": row["retransmission"],
    }
    if row["syn"]:
        values["mss"] = row["mss"]
        values["window_scale"] = row["wscale"]
        values["sack"] = row["sack_perm"]
        values["timestamps"] = row["ts"] > 0
    return Way(values)


def _end(text: str) -> End:
    host, port = text.rsplit(":", 1)
    # Of IPv4 in IPv6 or the reverse both addresses are given, those of IPv4 first.
    host = host.split("|")[0]
    return address(host), int(port)


# The fork's table has two columns, a to b on the left; the names are tcptrace's with spaces.
_ROW = re.compile(r"^ {5}(\S.*?): +(\S+)(?: \w+)? +\1: +(\S+)(?: \w+)? *$", re.MULTILINE)
_HOST = re.compile(r"host [^:]+: +(\S+):(\d+)$", re.MULTILINE)


def _fork(text: str) -> list[Connection]:
    found: list[Connection] = []
    for block in re.split(r"^TCP connection \d+:$", text, flags=re.MULTILINE)[1:]:
        hosts = _HOST.findall(block)
        ends = [(address(host), int(port)) for host, port in hosts[:2]]
        rows = [(name.replace(" ", "_"), a, b) for name, a, b in _ROW.findall(block)]
        sides = [{name: pair[side] for name, *pair in rows} for side in (0, 1)]
        for side in sides:
            side.setdefault("req_sack", "N")
            side.setdefault("adv_wind_scale", "0")
        ways = {end: _tcptrace_way(side) for end, side in zip(ends, sides, strict=True)}
        # Its times lack a digit of the year: the order of the blocks is that of the connections.
        found.append(Connection(float(len(found)), _in_force(ways)))
    return found
