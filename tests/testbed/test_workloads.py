"""Workloads with the testbed's server over the loopback interface, without a link."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from airmile import UsageError
from airmile.testbed import server
from airmile.testbed.experiment.split import Settings
from airmile.testbed.experiment.toml_file import parse
from airmile.testbed.workloads import http_files


class Counting:
    """The testbed's server on a port of the loopback, with a count of its connections."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.connections = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=server._session, args=(connection,), daemon=True).start()

    def run(self, name: str, **options: Any) -> list[dict[str, Any]]:
        """Run a workload and give its events."""
        places = {"AIRMILE_TESTBED_SERVER": "127.0.0.1", "AIRMILE_TESTBED_PORT": str(self.port)}
        done = subprocess.run(
            [sys.executable, "-m", "airmile.testbed.workloads", name, json.dumps(options)],
            env={**os.environ, **places},
            capture_output=True,
            text=True,
            check=True,
        )
        return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def ours() -> Iterator[Counting]:
    counting = Counting()
    yield counting
    counting.listener.close()


def test_periodic_requests_share_connections_two_by_two(ours: Counting) -> None:
    said = ours.run("periodic", count=5, period_s=0.01, least_bytes=10, most_bytes=99)
    sizes = [line["bytes"] for line in said if line["event"] == "download"]
    assert len(sizes) == 5 and all(10 <= size <= 99 for size in sizes)
    assert ours.connections == 3


def test_a_slow_reader_stops_where_it_says_and_reads_all(ours: Counting) -> None:
    said = ours.run("slow_reader", bytes=300_000, stalls=[[100_000, 0.01], [200_000, 0.01]])
    stops = [line["at_bytes"] for line in said if line["event"] == "stops_reading"]
    assert len(stops) == 2
    assert all(at <= stop < at + 16_384 for at, stop in zip((100_000, 200_000), stops, strict=True))
    assert [line["bytes"] for line in said if line["event"] == "download"] == [300_000]


def test_a_slow_reader_is_as_slow_as_it_says(ours: Counting) -> None:
    # 100 kB at 2 Mbit/s take at least 0.4 s, however late the machine is.
    said = ours.run("slow_reader", bytes=200_000, stalls=[], fast_bytes=100_000, slow_bps=2e6)
    (download,) = (line for line in said if line["event"] == "download")
    assert download["bytes"] == 200_000
    assert download["end_unix"] - download["first_unix"] > 0.35


def test_a_slow_reader_leaves_the_rest_in_its_buffer(ours: Counting) -> None:
    said = ours.run("slow_reader", bytes=200_000, stalls=[], rest_bytes=50_000, rest_at_s=0.3)
    (stop,) = (line for line in said if line["event"] == "stops_reading")
    (download,) = (line for line in said if line["event"] == "download")
    assert 150_000 <= stop["at_bytes"] < 150_000 + 16_384
    assert download["bytes"] == 200_000
    assert download["end_unix"] - download["request_unix"] > 0.25


def test_a_late_fin_comes_after_the_last_byte(ours: Counting) -> None:
    said = ours.run("delayed_fin", bytes=1000, fin_s=0.2)
    assert [line["event"] for line in said] == ["download", "closed", "over"]
    assert said[1]["t_unix"] - said[0]["t_unix"] > 0.15


def test_a_page_has_its_objects_on_its_connections(ours: Counting) -> None:
    said = ours.run("page", pages=1, objects=8, connections=3, think_s=0)
    assert len([line for line in said if line["event"] == "download"]) == 9
    assert ours.connections == 4


def test_steps_follow_each_other_and_are_numbered(ours: Counting) -> None:
    steps = [
        {"name": "bulk_download", "bytes": 10, "pause_s": 0.01},
        {"name": "dash", "clip_s": 8, "rates_mbps": [0.01]},
    ]
    said = ours.run("sequence", steps=steps, repeat=2)
    numbers = [(line["turn"], line["step"]) for line in said if line["event"] == "step"]
    assert numbers == [(0, 1), (0, 2), (1, 1), (1, 2)]
    videos = [(line["turn"], line["step"]) for line in said if line["event"] == "video"]
    assert videos == [(0, 2), (1, 2)]


def test_an_answer_is_sent_under_the_requested_control(ours: Counting) -> None:
    (download, _) = ours.run("bulk_download", bytes=1000, congestion_control="reno")
    assert download["bytes"] == 1000
    with pytest.raises(subprocess.CalledProcessError):
        ours.run("bulk_download", bytes=1000, congestion_control="nothing")


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([{"bytes": 1}], "workload.steps.1.name: write the name of another workload"),
        (
            [{"name": "ping"}, {"name": "sequence"}],
            "workload.steps.2.name: write the name of another",
        ),
        ([{"name": "pin"}], "workload.steps.1.name: write the name of another workload"),
        ([{"name": "ping", "cont": 3}], "workload.steps.1.cont is not known"),
    ],
)
def test_a_wrong_step_is_named(steps: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse("x", {"workload": {"name": "sequence", "steps": steps}})


def test_a_proxy_takes_only_the_given_ports() -> None:
    assert ["--dport" in rule for rule in Settings().redirects()] == [False]
    ports = [rule[rule.index("--dport") + 1] for rule in Settings(ports=[80, 443]).redirects()]
    assert ports == ["80", "443"]
    with pytest.raises(UsageError, match=r"proxy\.ports = \[0\]"):
        Settings(ports=[0])


def test_a_file_begins_when_the_one_before_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    curl = tmp_path / "curl"
    shown = {"time_connect": 0.1, "time_starttransfer": 0.2, "size_download": 5, "local_port": 9}
    lines = [json.dumps({**shown, "time_total": total}) for total in (2.5, 1.5, 4.0)]
    curl.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(lines) + "\nEND\n")
    curl.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    events: list[dict[str, Any]] = []

    def say(event: str, **more: Any) -> None:
        events.append(more)

    http_files.run(http_files.Options(bytes=[5, 5, 5]), say)
    first, *later = [event["began_unix"] for event in events]
    assert [begun - first for begun in later] == pytest.approx([2.5, 4.0])
