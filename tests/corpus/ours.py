"""Airmile's connections of a capture, in the oracles' terms."""

from __future__ import annotations

import csv
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import airmile
from tests.corpus.connection import OPTIONS, Connection, Value, Way
from tests.corpus.estimator import Fact, Samples, estimate

ROOT = Path(__file__).parents[2]

RESENT_CLASSES = (
    *("retransmissions", "spurious_retransmissions", "tail_probes"),
    *("keep_alives", "window_probes", "capture_duplicates"),
)
"""The classes of packets that tcptrace counts as ``rexmt_data_pkts``."""

Samplings = dict[int, tuple[Samples, Samples]]
"""The RTT samples of each flow, uplink and downlink, by its uid."""


def connections(capture: Path, out: Path) -> list[Connection]:
    """Analyse a capture and return its TCP flows; none when it cannot be read."""
    try:
        flows = airmile.analyze(capture, out=out, overwrite=True).flows
    except airmile.AirmileError:
        return []
    samplings = sample(capture)
    return [_connection(row, samplings) for row in flows.to_pylist() if _is_connection(row)]


def _is_connection(row: dict[str, Any]) -> bool:
    """Leave out packets whose TCP header cannot be read: without ports they have no connection."""
    return row["protocol"] == "tcp" and bool(row["ue_port"] or row["server_port"])


def _connection(row: dict[str, Any], samplings: Samplings | None) -> Connection:
    sampling = (samplings or {}).get(row["uid"])
    ways = {}
    for way, name, index in (("ul", "ue", 0), ("dl", "server", 1)):
        values = _values(row, way, name)
        if sampling is not None:
            values |= _rtt(sampling[index])
        ways[(row[name], row[f"{name}_port"])] = Way(values)
    return Connection(row["start_ns"] / 1e9, ways)


def _values(row: dict[str, Any], way: str, name: str) -> dict[str, Value]:
    counts = ("packets", "payload_bytes", "unique_bytes", "syn", "fin", "rst")
    values: dict[str, Value] = {field: row[f"{way}_{field}"] for field in counts}
    resent = sum(row[f"{way}_{field}"] for field in RESENT_CLASSES)
    # What has no data is no data packet.
    values["resent"] = resent - row[f"{way}_empty_keep_alives"]
    values["wireshark_retransmissions"] = row[f"{way}_wireshark_retransmissions"]
    if row[f"{way}_syn"]:
        options = {"mss": "mss_bytes", **{same: same for same in OPTIONS[1:]}}
        values |= {field: row[f"{name}_{column}"] for field, column in options.items()}
    return values


def _rtt(samples: Samples) -> dict[str, Value]:
    if samples.count == 0:
        return {"rtt_samples": 0, "rtt_min_ms": None, "rtt_mean_ms": None, "rtt_max_ms": None}
    return {
        "rtt_samples": samples.count,
        "rtt_min_ms": samples.least,
        "rtt_mean_ms": samples.total / samples.count,
        "rtt_max_ms": samples.most,
    }


def sample(capture: Path) -> Samplings | None:
    """Estimate the RTTs of every flow as tcptrace does; None where super-segments were captured.

    Several segments in one record hide the boundaries that tcptrace's rule needs.
    """
    flows: dict[int, list[tuple[bool, Fact]]] = defaultdict(list)
    for row in _facts(capture):
        if row[-1] == "1":
            return None
        flows[int(row[0])].append((row[6] == "ul", _fact(row)))
    return {uid: estimate(facts) for uid, facts in flows.items()}


def _facts(capture: Path) -> Iterator[list[str]]:
    """Run the tracker's example that writes the facts of every segment."""
    words = ["cargo", "run", "--quiet", "--locked", "-p", "airmile-track", "--example", "facts"]
    done = subprocess.run(
        [*words, "--", str(capture)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    yield from csv.reader(done.stdout.splitlines(), delimiter="\t")


def _fact(row: list[str]) -> Fact:
    return Fact(
        time_us=int(row[5]) // 1000,
        flags=int(row[7]),
        window=int(row[8]),
        sequence=int(row[9]),
        ack=int(row[10]) if row[10] else None,
        start=int(row[11]),
        end=int(row[12]),
        payload=int(row[13]),
    )
