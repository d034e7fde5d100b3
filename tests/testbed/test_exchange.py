"""Requests and answers over the loopback interface: the logs of both ends."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from airmile import UsageError
from airmile.testbed.experiment.toml_file import parse
from airmile.testbed.run.listening import Server
from airmile.testbed.workloads import exchange

Lines = list[dict[str, Any]]


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        number: int = free.getsockname()[1]
    flow = {"tls": "1.3"} if shutil.which("openssl") else {}
    options = exchange.Options(flows=[flow], port=number)
    command = exchange.server(options, tmp_path / "served")
    with (tmp_path / "server.jsonl").open("w") as log:
        process = subprocess.Popen(command, text=True, stdout=log, stderr=subprocess.PIPE)
    try:
        Server("the server of exchanges", process, (number,)).wait()
        yield number
    finally:
        process.kill()
        process.communicate()


def play(folder: Path, port: int, **flow: Any) -> tuple[Lines, Lines]:
    """Play a flow, and give the logs of the client and the server."""
    options = asdict(exchange.Options(flows=[flow], port=port))
    done = subprocess.run(
        [sys.executable, "-m", "airmile.testbed.workloads", "exchange", json.dumps(options)],
        env={**os.environ, "AIRMILE_TESTBED_SERVER": "127.0.0.1"},
        capture_output=True,
        text=True,
        check=True,
    )
    there = (folder / "server.jsonl").read_text().splitlines()
    said = [json.loads(line) for line in done.stdout.splitlines()]
    return said, [json.loads(line) for line in there]


def of(lines: Lines, event: str) -> Lines:
    return [line for line in lines if line["event"] == event]


@pytest.mark.parametrize("protocol", ["http1", "h2"])
@pytest.mark.parametrize("tls", ["", "1.2", "1.3"])
@pytest.mark.parametrize("depth", [1, 3])
def test_every_request_has_its_bytes_and_its_wait(
    tmp_path: Path, port: int, protocol: str, tls: str, depth: int
) -> None:
    if tls and not shutil.which("openssl"):
        pytest.skip("makes a certificate: openssl")
    said, there = play(tmp_path, port, protocol=protocol, tls=tls, depth=depth, wait_ms=[5, 20])
    asked = {each["number"]: each for each in of(said, "exchange")}
    answered = {each["number"]: each for each in of(there, "answered")}
    assert sorted(asked) == sorted(answered) == list(range(10))
    (connected,) = of(said, "connected")
    place = connected["handshake_to"]
    assert (place > 0) == bool(tls)
    for number, ask in sorted(asked.items()):
        answer = answered[number]
        assert place <= ask["request_from"] < ask["request_to"]
        place = ask["request_to"]
        assert answer["answer_to"] - answer["answer_from"] > ask["answer_bytes"]
        assert answer["write_ns"] - answer["read_ns"] >= ask["wait_ms"] * 1e6
        assert ask["request_ns"] <= answer["read_ns"] and answer["write_ns"] <= ask["last_ns"]


@pytest.mark.parametrize("protocol", ["http1", "h2"])
def test_a_body_goes_up_and_readers_stop_where_they_should(
    tmp_path: Path, port: int, protocol: str
) -> None:
    size = [200_000, 200_000]
    stop = [[100_000, 0.05]]
    flow = {"count": 1, "request_bytes": size, "answer_bytes": size, "stalls": stop}
    if protocol == "http1":
        flow["server_stalls"] = stop
    said, there = play(tmp_path, port, protocol=protocol, **flow)
    (ask,) = of(said, "exchange")
    assert ask["request_to"] - ask["request_from"] > 200_000
    stalls = of(said, "stalled") + of(there, "stalled")
    assert all(each["until_ns"] - each["since_ns"] >= 50_000_000 for each in stalls)
    assert len(stalls) == sum(name in flow for name in ("stalls", "server_stalls"))


def test_a_paced_body_takes_its_time(tmp_path: Path, port: int) -> None:
    flow = {"count": 1, "request_bytes": [50_000, 50_000], "answer_bytes": [10, 10]}
    said, _ = play(tmp_path, port, bps=4e6, **flow)
    (ask,) = of(said, "exchange")
    # 50 kB at 4 Mbit/s are 0.1 s.
    assert ask["written_ns"] - ask["request_ns"] >= 80_000_000


@pytest.mark.parametrize(
    ("flow", "message"),
    [
        ({"protocol": "spdy"}, "workload.flows.1.protocol = 'spdy': write http1 or h2"),
        ({"tls": "1.1"}, "workload.flows.1.tls = '1.1': write 1.2 or 1.3"),
        ({"counts": 1}, "workload.flows.1.counts is not known"),
        ({"count": 0}, "workload.flows.1.count = 0: more than 0, at most 1e6"),
        ({"protocol": "h2", "server_stalls": [[1, 1]]}, "server_stalls: only with http1"),
    ],
)
def test_a_flow_that_cannot_be_is_refused(flow: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message.replace(".", r"\.").replace("[", r"\[")):
        parse("x", {"workload": {"name": "exchange", "flows": [flow]}})


def test_its_direction_is_that_of_more_bytes() -> None:
    flow = {"request_bytes": [1000, 90_000], "answer_bytes": [100, 900]}
    up = parse("x", {"workload": {"name": "exchange", "flows": [flow]}})
    down = parse("x", {"workload": {"name": "exchange"}})
    assert (up.direction, down.direction) == ("uplink", "downlink")
