"""The programs that a run needs, and how the run reads their output."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from airmile import OutputError
from airmile.testbed.experiment.toml_file import parse
from airmile.testbed.hosts import programs
from airmile.testbed.run import clients

BACKGROUND = [
    {"name": "ping", "count": 100, "gap_s": 0.2, "start_s": 0.5},
    {"name": "iperf3", "seconds": 1, "udp": True, "bps": 1e6},
]


def test_what_is_missing_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "PATH", "/nowhere")
    with pytest.raises(OutputError) as raised:
        programs.check(["ping", "nginx", "ping"])
    assert raised.value.message == "nginx and ping are not installed"
    assert raised.value.hint == "sudo apt-get install -y nginx iputils-ping"
    with pytest.raises(OutputError) as raised:
        programs.check(["unshare", "mount", "ip"])
    assert raised.value.hint == "sudo apt-get install -y iproute2 util-linux"


def test_the_background_brings_its_needs() -> None:
    experiment = parse("x", {"workload": {"name": "http_files"}, "background": BACKGROUND})
    assert clients.needs(experiment) == {"nginx", "curl", "ping", "iperf3"}
    assert clients.needs(parse("x", {})) == set()


@pytest.mark.skipif(
    "AIRMILE_TESTBED" not in os.environ,
    reason="makes network namespaces: make testbed-test, as root",
)
def test_real_programs_run_beside_each_other(tmp_path: Path) -> None:
    from airmile.testbed.run.emulated_run import run

    workload = {"name": "http_files", "bytes": [100_000, 5], "rounds": 4}
    table = {"workload": workload, "background": BACKGROUND, "longest_s": 30}
    manifest = run(parse("x", table), tmp_path / "x")
    assert manifest["workload_ended"] == "complete"
    assert not [file for file in (tmp_path / "x").iterdir() if file.name.startswith(".")]
    lines = (tmp_path / "x" / "workload.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    fetched = [event["bytes"] for event in events if event["event"] == "download"]
    assert fetched == [100_000, 5] * 4
    replies = [event for event in events if event["event"] == "reply"]
    assert replies
    assert {event["background"] for event in replies} == {1}
    assert [each["background"] for each in events if each["event"] == "stopped"] == [1]
    (report,) = [event for event in events if event["event"] == "iperf3"]
    assert report["background"] == 2
    assert report["report"]["end"]["sum"]["bytes"] > 100_000
