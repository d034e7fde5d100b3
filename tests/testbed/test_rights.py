"""The processes of a run: their user, their rights, and their end if the runner ends."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

import airmile
from airmile.testbed.hosts import programs, rights, strays
from airmile.testbed.hosts.owner import RECORD

root = pytest.mark.skipif(
    "AIRMILE_TESTBED" not in os.environ,
    reason="makes network namespaces: make testbed-test, as root",
)

EXPERIMENT = """
busy = 1
longest_s = 60

[proxy]
ports = [443]

[workload]
name = "bulk_download"
bytes = 1_000_000_000
seconds = 8
congestion_control = "cubic"

[[background]]
name = "ping"
count = 100
gap_s = 0.1

[[background]]
name = "iperf3"
seconds = 30

[[background]]
name = "http_files"
bytes = [100_000_000]
rounds = 100

[[background]]
name = "exchange"
flows = [{ count = 1000, tls = "1.3", pause_ms = [100, 100] }]
"""

COMMAND = [sys.executable, "-m", "airmile", "testbed"]

PROGRAMS = {"curl", "iperf3", "nginx", "ping", "tcpdump"}

MODULES = {
    "exchange.server",
    "hosts.spin",
    "record.senders",
    "run.emulator",
    "run.proxy",
    "server",
    "workloads",
}


KEPT = {"run.emulator": rights.IPC_LOCK, "server": rights.NET_ADMIN, "tcpdump": rights.NET_RAW}
"""The only capability of each process that has one."""


@dataclass(frozen=True)
class Helper:
    """A process of a run, as /proc describes it."""

    name: str
    users: set[str]
    groups: set[str]
    capabilities: int
    gains_none: bool

    @classmethod
    def of(cls, pid: int) -> Helper:
        words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        status = dict(line.split(":", 1) for line in lines)
        module = next((word for word in words if word.startswith("airmile.testbed.")), "")
        return cls(
            module.removeprefix("airmile.testbed.") or status["Name"].strip(),
            set(status["Uid"].split()),
            {*status["Gid"].split(), *status["Groups"].split()},
            int(status["CapEff"], 16) | int(status["CapAmb"], 16) | int(status["CapInh"], 16),
            status["NoNewPrivs"].strip() == "1",
        )

    @property
    def is_root(self) -> bool:
        return "0" in self.users


def helpers(mark: str) -> list[Helper]:
    """Give the present processes of a run."""
    found = []
    for pid in [pid for pid, its in strays._processes() if its == mark]:
        try:
            found.append(Helper.of(pid))
        except (OSError, ValueError):
            continue
    return found


def until(holds: Callable[[], bool], why: Callable[[], object], patience_s: float = 60) -> None:
    end = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < end, why()
        time.sleep(0.05)


@contextmanager
def running(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Run the experiment in a folder that no other user may enter, and give the run's mark."""
    folder.chmod(0o700)
    (folder / "own.toml").write_text(EXPERIMENT)
    words = [*COMMAND, "run", "-q", str(folder / "own.toml"), "-o", str(folder / "runs")]
    with (folder / "said").open("w") as said, subprocess.Popen(words, stdout=said) as runner:
        record = folder / "runs" / ".own.airmile.part" / RECORD
        try:
            until(lambda: record.exists() and record.stat().st_size > 0, lambda: "no run begins")
            yield runner, str(json.loads(record.read_text())["mark"])
        finally:
            runner.send_signal(signal.SIGTERM)
            runner.wait()


@root
def test_only_the_probe_of_the_kernel_is_root_and_none_outlives_the_runner(tmp_path: Path) -> None:
    with running(tmp_path) as (runner, mark):

        def all_there() -> bool:
            assert runner.poll() is None, "the runner ended too early"
            now = helpers(mark)
            begun = {each.name for each in now if not each.is_root}
            roots = {each.name for each in now if each.is_root}
            return begun >= PROGRAMS | MODULES and roots <= {"record.probe"}

        until(all_there, lambda: helpers(mark))
        for each in (each for each in helpers(mark) if not each.is_root):
            user = str(rights.USER)
            assert (each.users, each.groups, each.gains_none) == ({user}, {user}, True), each
            kept = KEPT.get(each.name)
            assert each.capabilities == (1 << kept if kept else 0), each
        runner.kill()
        runner.wait()
        until(lambda: not helpers(mark), lambda: helpers(mark), 20)
    (tmp_path / "next.toml").write_text('[workload]\nname = "ping"\ncount = 1\n')
    next_run = [*COMMAND, "run", str(tmp_path / "next.toml"), "-o", str(tmp_path / "runs")]
    done = subprocess.run(next_run, capture_output=True, text=True, check=True)
    for place in ("core", "phone", "server"):
        line = f"removed namespace airmile-{mark}-{place}, which a killed run had left\n"
        assert line in done.stdout
    part = tmp_path / "runs" / ".own.airmile.part"
    assert f"removed unfinished run {part}, which a killed run had left\n" in done.stdout
    assert not part.exists()


@root
def test_what_helpers_write_is_in_a_folder_that_they_cannot_enter(tmp_path: Path) -> None:
    with running(tmp_path) as (runner, _):
        assert runner.wait(120) == 0, (tmp_path / "said").read_text()
    out = tmp_path / "runs" / "own.airmile"
    link = airmile.open(out).manifest["testbed"]["link"]
    assert link["memory_locked"] == bool(rights.permitted() >> rights.IPC_LOCK & 1)
    files = ("server.pcap", "monitor.pcap", "ue.pcap", "workload.jsonl", "server.jsonl")
    for name in files:
        assert (out / name).stat().st_size > 1_000, name
    assert '"event": "reply"' in (out / "workload.jsonl").read_text()
    senders = airmile.open(out).sql("SELECT DISTINCT cc FROM truth_tcp WHERE place = 'server'")
    assert "cubic" in senders["cc"].to_pylist()


@root
def test_a_capability_that_root_lacks_is_not_kept() -> None:
    words = f"""
import os
from airmile.testbed.hosts import rights
rights.become()
print(rights.permitted() == (1 << {rights.NET_RAW}) & {rights.permitted()})
"""
    shown = {**os.environ, rights.KEEPS: f"{rights.NET_RAW} 62"}
    done = subprocess.run([sys.executable, "-c", words], env=shown, capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


@root
def test_who_has_become_nobody_cannot_go_back(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of root")
    (tmp_path / "secret").chmod(0o600)
    words = f"""
import os
from airmile.testbed.hosts import rights
rights.become()
for wrong in (lambda: os.setuid(0), lambda: os.chmod("/tmp", 0o777), lambda: os.kill(1, 0)):
    try:
        wrong()
    except PermissionError:
        print("refused")
try:
    open({str(tmp_path / "secret")!r})
except PermissionError:
    print("refused")
"""
    shown = {**os.environ, rights.KEEPS: ""}
    done = subprocess.run([sys.executable, "-c", words], env=shown, capture_output=True, text=True)
    assert done.stdout == "refused\n" * 4, done.stderr


def test_a_child_dies_with_its_parent() -> None:
    words = """
import subprocess, sys
from airmile.testbed.hosts import rights
child = subprocess.Popen(["sleep", "600"], preexec_fn=rights.dying())
print(child.pid, flush=True)
sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        handle = os.pidfd_open(child)
        assert not select.select([handle], [], [], 0)[0]
        parent.kill()
        assert select.select([handle], [], [], 20)[0], "the child lives on"
        os.close(handle)


def test_what_lies_in_the_current_folder_is_not_run(tmp_path: Path) -> None:
    for name in ("json.py", "socket.py", "airmile.py"):
        (tmp_path / name).write_text("open('ran', 'w').close()\n")
    command = programs.python("airmile.testbed.workloads", "no such workload", "{}")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "no workload is called" in done.stderr
    assert not (tmp_path / "ran").exists()
