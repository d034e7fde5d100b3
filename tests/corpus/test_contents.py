"""HTTP responses, server names and ALPN of every public capture, beside tshark's."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import airmile
from airmile.dataset import Dataset
from tests.corpus.test_captures import CORPUS, captures

TSHARK = shutil.which("tshark")

Response = tuple[int, str | None, int | None]

DECRYPTED = "wireshark-4.0.17__challenge01_ooo_stream.pcapng.gz"
"""It holds the keys of its TLS connection, so that tshark reads the HTTP within."""


NOT_REASSEMBLED: dict[str, Response] = {
    "zeek__206_example_b.pcap": (206, "application/octet-stream", 816_896),
    "zeek__gtp1_gn_normal_incl_fragmentation.pcap": (206, "video/x-flv", 56_320),
}
"""Whole bodies whose segments are out of order or in IP fragments, which tshark does not join."""


@pytest.mark.skipif(CORPUS is None, reason="AIRMILE_CORPUS is not set")
@pytest.mark.skipif(TSHARK is None, reason="tshark is not installed: apt-get install tshark")
@pytest.mark.parametrize("capture", captures(), ids=lambda path: str(path.name))
def test_contents_are_those_of_tshark(capture: Path, tmp_path: Path) -> None:
    try:
        dataset = airmile.analyze(capture, out=tmp_path / "x")
    except airmile.InputError:
        pytest.skip("no capture of packets")
    assert not _names_of_tshark(capture) - _names(dataset)
    if capture.name == DECRYPTED:
        return
    here, there = _responses(dataset), _responses_of_tshark(capture)
    assert not there - here
    # tshark reports a response when the capture has all of its body.
    cut = _responses(dataset, "body_bytes < coalesce(length_bytes, 1e18)")
    assert set((here - there) - cut) <= {NOT_REASSEMBLED.get(capture.name)}


def _responses(dataset: Dataset, condition: str = "true") -> Counter[Response]:
    if not dataset.columns("http"):
        return Counter()
    rows = dataset.arrow(f"""
        SELECT status, content_type, length_bytes FROM http
        WHERE status IS NOT NULL AND {condition}""").to_pylist()
    return Counter((row["status"], row["content_type"], row["length_bytes"]) for row in rows)


def _names(dataset: Dataset) -> set[tuple[str, str]]:
    rows = dataset.arrow("SELECT server_name, alpn_offered FROM flows WHERE protocol = 'tcp'")
    return {(row["server_name"] or "", row["alpn_offered"] or "") for row in rows.to_pylist()}


def _names_of_tshark(capture: Path) -> set[tuple[str, str]]:
    """Return server name and offered protocols of each ClientHello over TCP that names a server."""
    rows = _fields(
        capture, "tls.handshake.type == 1 && tcp && !icmp",
        "tls.handshake.extensions_server_name", "tls.handshake.extensions_alpn_str",
    )  # fmt: skip
    return {(name.lower(), protocols.replace("|", ",")) for name, protocols in rows if name}


def _responses_of_tshark(capture: Path) -> Counter[Response]:
    rows = _fields(
        capture, "http.response && !icmp",
        "http.response.code", "http.content_type", "http.content_length_header",
    )  # fmt: skip
    return Counter(
        (int(code), kind.split(";")[0].strip().lower() or None, int(length) if length else None)
        for code, kind, length in rows
        if code.isdigit() and not code.startswith("1")
    )


def _fields(capture: Path, condition: str, *fields: str) -> list[list[str]]:
    words = [str(TSHARK), "-n", "-r", str(capture), "-Y", condition, "-T", "fields"]
    words += ["-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=|"]
    words += [word for field in fields for word in ("-e", field)]
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    return [line.split("\t") for line in done.stdout.splitlines()]
