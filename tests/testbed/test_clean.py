"""A killed run leaves nothing, and a finished run leaves all of its files."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from airmile.testbed.hosts.leftovers import STATE
from airmile.testbed.hosts.owner import RECORD, VARIABLE
from airmile.testbed.hosts.strays import NAMESPACES

root = pytest.mark.skipif(
    "AIRMILE_TESTBED" not in os.environ,
    reason="makes network namespaces: make testbed-test, as root",
)

EXPERIMENTS = {
    "short": '[workload]\nname = "bulk_download"\nbytes = 100_000\n',
    "long": '[workload]\nname = "bulk_download"\nbytes = 100_000_000\nseconds = 6\n',
}

COMMAND = [sys.executable, "-m", "airmile", "testbed"]


@root
def test_after_sigkill_clean_leaves_nothing_of_the_run_and_all_of_the_finished(
    tmp_path: Path,
) -> None:
    devices = _devices()
    runner = _start(tmp_path, "short", "long")
    mark = _until_in_mid_run(tmp_path, runner)
    finished = _digest(tmp_path / "runs" / "short.airmile")
    assert len(_ours(mark)) >= 8
    assert mark not in _command("clean")
    assert len(_namespaces(mark)) == 3
    runner.kill()
    runner.wait()
    assert _namespaces(mark)
    cleaned = _command("clean")
    assert f"removed namespace airmile-{mark}-core" in cleaned
    assert "unfinished run" in cleaned
    _assert_nothing_of(mark, devices)
    assert _left(tmp_path) == ["manifest.json", "short.airmile"]
    assert "long  complete" in _command("resume", "-q", str(tmp_path / "runs"))
    assert _left(tmp_path) == ["long.airmile", "manifest.json", "short.airmile"]
    assert _digest(tmp_path / "runs" / "short.airmile") == finished


@root
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_the_run_and_it_clears_up(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    devices = _devices()
    runner = _start(tmp_path, "long")
    mark = _until_in_mid_run(tmp_path, runner)
    runner.send_signal(number)
    assert runner.wait(60) == code
    _assert_nothing_of(mark, devices)
    assert _left(tmp_path) == ["manifest.json"]


@root
def test_a_connection_that_outlives_its_process_is_ended() -> None:
    from pyroute2 import IPRoute, netns

    from airmile.testbed.hosts import orphans

    name = f"airmile-{os.getpid()}-orphan"
    netns.create(name)
    netns.pushns(name)
    try:
        with IPRoute() as net:
            net.link("set", index=net.link_lookup(ifname="lo")[0], state="up")
        with socket.create_server(("127.0.0.1", 7000)) as listener:
            sender = socket.create_connection(("127.0.0.1", 7000))
            reader, _ = listener.accept()
            # This is more than the reader accepts, so the rest is sent after the close.
            sender.setblocking(False)
            while True:
                try:
                    sender.send(bytes(1 << 16))
                except BlockingIOError:
                    break
            sender.close()
            with reader:
                # Both ends of the connection are in this namespace.
                assert orphans.destroy() == 2
                assert orphans.destroy() == 0
    finally:
        netns.popns()
        netns.remove(name)


def _start(folder: Path, *names: str) -> subprocess.Popen[bytes]:
    files = [folder / f"{name}.toml" for name in names]
    for file in files:
        file.write_text(EXPERIMENTS[file.stem])
    words = [*COMMAND, "run", "-q", *map(str, files), "-o", str(folder / "runs")]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL)


def _command(*words: str) -> str:
    done = subprocess.run([*COMMAND, *words], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def _until_in_mid_run(folder: Path, runner: subprocess.Popen[bytes]) -> str:
    """Wait until senders of the long run have been seen, and give the mark of the run."""
    part = folder / "runs" / ".long.airmile.part"
    senders = part / "senders_server.csv"
    until = time.monotonic() + 60
    while not senders.exists() or senders.stat().st_size < 4_000:
        assert runner.poll() is None, "the runner ended too early"
        assert time.monotonic() < until, "the run did not begin"
        time.sleep(0.05)
    return str(json.loads((part / RECORD).read_text())["mark"])


def _assert_nothing_of(mark: str, devices: set[str]) -> None:
    assert _namespaces(mark) == []
    assert _ours(mark) == []
    assert not (STATE / mark).exists()
    assert _devices() == devices


def _left(folder: Path) -> list[str]:
    return sorted(each.name for each in (folder / "runs").iterdir())


def _devices() -> set[str]:
    return {device.name for device in Path("/sys/class/net").iterdir()}


def _namespaces(mark: str) -> list[str]:
    return [file.name for file in NAMESPACES.glob(f"airmile-{mark}-*")]


def _ours(mark: str) -> list[int]:
    """Give the processes that carry the mark."""
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{VARIABLE}={mark}".encode() in environment.read_bytes():
                found.append(int(environment.parent.name))
        except OSError:
            continue
    return found


def _digest(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
