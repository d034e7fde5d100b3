"""Runs over a real interface: their settings, and a run over a veth pair."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from airmile import OutputError, UsageError
from airmile.testbed import Experiment
from airmile.testbed.experiment.toml_file import parse

SERVER = {"address": "198.51.100.1"}

root = pytest.mark.skipif(
    "AIRMILE_TESTBED" not in os.environ,
    reason="makes network namespaces: make testbed-test, as root",
)

UPLOAD = {"name": "paced_upload", "bytes": 1_000_000, "bps": 8e6}
"""An upload at a rate; otherwise a veth pair would carry it between two samples of the senders."""

FRAME_BYTES = 1_514

Run = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"server": SERVER}, "server belongs to a real interface"),
        ({"interface": "wwan0"}, "server.address = None"),
        ({"interface": "wwan0", "server": {"address": "2001:db8::1"}}, "server.address = '2001"),
        ({"interface": "wwan0", "server": {**SERVER, "port": 0}}, "server.port = 0"),
        ({"interface": "wwan0", "server": {**SERVER, "prot": 1}}, "server.prot is not known"),
        ({"interface": "wwan 0", "server": SERVER}, "interface = 'wwan 0'"),
        ({"interface": "wwan0", "server": SERVER, "link": {}}, "link belongs to the emulated link"),
        (
            {"interface": "wwan0", "server": SERVER, "proxy": {}},
            "proxy belongs to the emulated link",
        ),
        ({"interface": "wwan0", "server": SERVER, "offloads": False}, "offloads = False"),
        ({"interface": "wwan0", "server": SERVER, "monitor": "eth1"}, "monitor is not a table"),
    ],
)
def test_what_is_wrong_is_named(table: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse("x", table)
    assert raised.value.message.startswith(message)
    assert raised.value.hint


def test_an_experiment_comes_back_from_its_plain_values() -> None:
    table = {
        "interface": "wwan0",
        "server": SERVER,
        "monitor": {"interface": "eth1"},
        "background": [{"name": "ping", "start_s": 2}],
    }
    experiment = parse("x", table)
    assert Experiment.of(json.loads(json.dumps(asdict(experiment)))) == experiment
    assert experiment.interface is not None
    assert experiment.interface.devices() == {"ue": "wwan0", "monitor": "eth1"}


@pytest.fixture
def over_veth(tmp_path: Path) -> Iterator[Run]:
    """Return a function that runs an experiment over a veth pair to a server."""
    from pyroute2 import IPRoute, netns

    near, far = (f"airmile-{os.getpid()}-veth-{end}" for end in ("near", "far"))
    for name in (near, far):
        netns.create(name)
    server = None
    try:
        with IPRoute() as net:
            net.link("add", ifname="veth0", kind="veth", net_ns_fd=near, peer=_peer(far))
        for name, device, address in ((near, "veth0", 2), (far, "veth1", 1)):
            _up(name, device, f"198.51.100.{address}")
        words = [sys.executable, "-m", "airmile.testbed.server", "8000"]
        server = subprocess.Popen(words, preexec_fn=lambda: netns.setns(far))
        _wait_for_server(near)

        def run(**more: Any) -> dict[str, Any]:
            from airmile.testbed.run.emulated_run import run as run_it

            table = {"interface": "veth0", "server": {**SERVER, "port": 8000}, **more}
            netns.pushns(near)
            try:
                return run_it(parse("x", table), tmp_path / "x.airmile")
            finally:
                netns.popns()

        yield run
    finally:
        if server:
            server.send_signal(signal.SIGKILL)
            server.wait()
        for name in (near, far):
            netns.remove(name)


@root
def test_a_run_over_a_veth_pair_without_offloads(tmp_path: Path, over_veth: Run) -> None:
    import airmile
    from airmile.testbed.scoring import scores

    before = _features(f"airmile-{os.getpid()}-veth-near")
    facts = over_veth(workload=UPLOAD, offloads="off")
    assert facts["workload_ended"] == "complete"
    assert facts["truth"] is None and "real link" in facts["truth_reason"]
    assert facts["offloads"]["veth0"]["tso"] is False
    assert facts["warnings"] == []
    # The run has turned the offloads on again.
    assert _features(f"airmile-{os.getpid()}-veth-near") == before
    assert _longest(tmp_path / "x.airmile" / "ue.pcap") <= FRAME_BYTES
    dataset = airmile.open(tmp_path / "x.airmile")
    flows = dataset.sql("SELECT server, server_port, ul_unique_bytes AS bytes FROM flows")
    (flow,) = flows.to_pylist()
    assert (flow["server"], flow["server_port"]) == ("198.51.100.1", 8000)
    assert flow["bytes"] > 1_000_000
    assert "truth_labels" not in dataset.tables
    assert {row["peer_port"] for row in dataset.sql("FROM truth_tcp").to_pylist()} == {8000}
    with pytest.raises(airmile.InputError, match="no truth to score against"):
        list(scores.of(tmp_path / "x.airmile"))


@root
def test_offloads_that_stay_are_warned_of_and_come_back_after_a_failure(
    tmp_path: Path, over_veth: Run
) -> None:
    before = _features(f"airmile-{os.getpid()}-veth-near")
    # No server listens on this port.
    with pytest.raises(OutputError, match="the workload bulk_download failed"):
        over_veth(server={**SERVER, "port": 8001}, offloads="off")
    assert _features(f"airmile-{os.getpid()}-veth-near") == before
    facts = over_veth(workload=UPLOAD)
    assert facts["offloads"]["veth0"]["tso"] is True
    assert facts["warnings"][0].startswith("veth0: tso")
    assert _longest(tmp_path / "x.airmile" / "ue.pcap") > FRAME_BYTES


@root
def test_ping_keeps_its_capability_over_a_real_interface(tmp_path: Path, over_veth: Run) -> None:
    # In a new namespace this is "1 0": echo requests need CAP_NET_RAW.
    steps = [{"name": "ping", "count": 3, "gap_s": 0.1}]
    facts = over_veth(workload={"name": "sequence", "steps": steps})
    assert facts["workload_ended"] == "complete"
    said = (tmp_path / "x.airmile" / "workload.jsonl").read_text().splitlines()
    assert [each["answered"] for each in map(json.loads, said) if each["event"] == "pings"] == [3]


@root
def test_a_server_that_is_reached_otherwise_is_refused(over_veth: Run) -> None:
    with pytest.raises(OutputError, match="veth7: no such interface"):
        over_veth(interface="veth7")
    with pytest.raises(OutputError, match=r"packets to 198\.51\.100\.1 leave by veth0, not by lo"):
        over_veth(interface="lo")
    with pytest.raises(OutputError, match=r"there is no route to 203\.0\.113\.1"):
        over_veth(server={"address": "203.0.113.1"})


def _longest(capture: Path) -> int:
    """Give the length on the wire of the longest packet of a classic capture."""
    data, at, longest = capture.read_bytes(), 24, 0
    while at + 16 <= len(data):
        kept, length = struct.unpack_from("<II", data, at + 8)
        longest = max(longest, length)
        at += 16 + kept
    return longest


def _peer(namespace: str) -> dict[str, str]:
    return {"ifname": "veth1", "net_ns_fd": namespace}


def _up(namespace: str, device: str, address: str) -> None:
    from pyroute2 import IPRoute, netns

    netns.pushns(namespace)
    try:
        with IPRoute() as net:
            index = net.link_lookup(ifname=device)[0]
            net.addr("add", index=index, address=address, prefixlen=24)
            for each in (index, net.link_lookup(ifname="lo")[0]):
                net.link("set", index=each, state="up")
    finally:
        netns.popns()


def _features(namespace: str) -> list[int]:
    from pyroute2 import netns

    from airmile.testbed.hosts import offloads

    netns.pushns(namespace)
    try:
        return offloads.features("veth0")
    finally:
        netns.popns()


def _wait_for_server(namespace: str) -> None:
    import socket

    from pyroute2 import netns

    netns.pushns(namespace)
    try:
        until = time.monotonic() + 20
        while True:
            try:
                socket.create_connection((SERVER["address"], 8000)).close()
                return
            except OSError:
                assert time.monotonic() < until, "the server does not answer"
                time.sleep(0.1)
    finally:
        netns.popns()
