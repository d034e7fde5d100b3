"""The split-TCP proxy: its settings, how it copies, and how each end sees it."""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
from pathlib import Path
from typing import Any

import pytest

import airmile
from airmile import UsageError
from airmile.testbed.experiment import split
from airmile.testbed.experiment.toml_file import parse
from airmile.testbed.hosts.namespaces import ADDRESSES, PHONE, SERVER
from airmile.testbed.run.proxy import copy


@pytest.mark.parametrize(
    ("table", "message", "hint"),
    [
        (
            {"slow_start_restrat": True},
            "proxy.slow_start_restrat is not known",
            "did you mean proxy.slow_start_restart?",
        ),
        ({"slow_start_restart": 1}, "proxy.slow_start_restart = 1", "true or false"),
        ({"congestion_control": 3}, "proxy.congestion_control = 3", "a name"),
        ({"initial_window": 0}, "proxy.initial_window = 0", "1 to 1000 segments"),
        ({"initial_window": True}, "proxy.initial_window = True", "1 to 1000 segments"),
    ],
)
def test_what_is_wrong_is_named(table: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse("x", {"proxy": table})
    assert (raised.value.message, raised.value.hint) == (message, hint)


def test_the_core_has_the_settings_of_the_proxy_and_the_memory_of_the_server() -> None:
    settings = {"slow_start_restart": False, "congestion_control": "reno", "initial_window": 4}
    experiment = parse("x", {"proxy": settings})
    assert experiment.routes["core"] == {"congestion_control": "reno", "initial_window": 4}
    assert experiment.sysctls["core"]["net.ipv4.tcp_slow_start_after_idle"] == 0
    server = experiment.sysctls["server"]
    assert experiment.sysctls["core"]["net.ipv4.tcp_wmem"] == server["net.ipv4.tcp_wmem"]
    assert "core" not in parse("x", {}).routes


def test_the_end_of_one_way_is_passed_on_and_the_other_stays_open() -> None:
    phone, near = socket.socketpair()
    far, server = socket.socketpair()
    thread = threading.Thread(target=copy, args=(near, far))
    with phone, near, far, server:
        thread.start()
        phone.sendall(b"request")
        phone.shutdown(socket.SHUT_WR)
        with server.makefile("rb") as asked:
            assert asked.read() == b"request"
        thread.join()
        server.sendall(b"answer")
        assert far.recv(100) == b"answer"


@pytest.mark.skipif(
    "AIRMILE_TESTBED" not in os.environ,
    reason="makes network namespaces: make testbed-test, as root",
)
def test_a_download_through_it_is_whole_and_the_server_sees_the_core(tmp_path: Path) -> None:
    from airmile.testbed.run.emulated_run import run

    workload = {"name": "bulk_download", "bytes": 1_500_000}
    settings = {"congestion_control": "reno"}
    server = {"congestion_control": "cubic"}
    table = {"workload": workload, "proxy": settings, "hosts": {"server": server}, "longest_s": 20}
    experiment = parse("x", table)
    out = tmp_path / "x.airmile"
    facts = run(experiment, out)
    assert facts["workload_ended"] == "complete"
    events = (out / "workload.jsonl").read_text().splitlines()
    assert json.loads(events[0])["bytes"] == 1_500_000
    assert _peers(out / "server.pcap") == {ADDRESSES["w0"], SERVER}
    assert _peers(out / "monitor.pcap") == {SERVER, PHONE}
    truth = airmile.open(out)
    proxy = f"place = 'core' AND local_port = {split.PORT}"
    assert truth.sql(f"SELECT DISTINCT cc FROM truth_tcp WHERE {proxy}").to_pylist() == [
        {"cc": "reno"}
    ]
    # Towards the server the proxy uses the server's settings, not this machine's defaults.
    other = f"place = 'core' AND local_port != {split.PORT}"
    assert truth.sql(f"SELECT DISTINCT cc FROM truth_tcp WHERE {other}").to_pylist() == [
        {"cc": "cubic"}
    ]
    # The proxy's connection to the phone shows what limited the download.
    assert "link" in truth.truth_labels["label"].to_pylist()


def _peers(capture: Path) -> set[str]:
    """Give the addresses in a classic capture of bare IP packets."""
    data, at, found = capture.read_bytes(), 24, set()
    while at + 16 <= len(data):
        (kept,) = struct.unpack_from("<I", data, at + 8)
        packet = data[at + 16 : at + 16 + kept]
        found |= {socket.inet_ntoa(packet[12:16]), socket.inet_ntoa(packet[16:20])}
        at += 16 + kept
    return found
