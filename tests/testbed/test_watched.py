"""Captures and records of senders that do not start, end too early, or do not report."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from airmile import OutputError
from airmile.testbed.experiment.toml_file import parse
from airmile.testbed.hosts.processes import Processes, check_running, ends_within
from airmile.testbed.record import captures
from airmile.testbed.record.outcome import finish

LISTENING = "print('tcpdump: listening on r0, link-type RAW', file=sys.stderr, flush=True)"
COUNTS = "12 packets captured\\n3 packets dropped by kernel"
AT_THE_END = f"signal.signal(signal.SIGINT, lambda *_: sys.exit('{COUNTS}'))"


class Instead(Processes):
    """Starts a short Python program instead of tcpdump."""

    def __init__(self, *lines: str) -> None:
        super().__init__(str, "test")
        self._lines = "\n".join(("import sys, signal", *lines))

    def start(self, arguments: list[str], **more: Any) -> subprocess.Popen[str]:
        # The interpreter may be in a folder that only root can read.
        return super().start([sys.executable, "-c", self._lines], **{**more, "root": True})


def capture(processes: Processes) -> subprocess.Popen[str]:
    return captures.start(processes, Path(os.devnull), "r0", place=None)


def test_a_capture_reports_what_it_lost() -> None:
    lines = ("print('warning', file=sys.stderr)", AT_THE_END, LISTENING, "signal.pause()")
    with Instead(*lines) as processes:
        assert captures.stop(processes, capture(processes)) == 3


def test_a_capture_that_does_not_begin_is_an_error() -> None:
    says = "print('tcpdump: r0: No such device exists', file=sys.stderr)"
    with (
        Instead(says) as processes,
        pytest.raises(OutputError, match="did not begin: tcpdump: r0: No such device"),
    ):
        capture(processes)


def test_a_capture_that_does_not_report_is_an_error() -> None:
    with Instead(LISTENING, "signal.pause()") as processes:
        running = capture(processes)
        with pytest.raises(OutputError, match="does not say what it lost: KeyboardInterrupt"):
            captures.stop(processes, running)


def test_what_has_ended_is_named_with_its_last_words() -> None:
    with Instead("sys.exit('INET_DIAG refused the request')") as processes:
        ended = processes.start([], stderr=subprocess.PIPE)
        ended.wait()
        with pytest.raises(OutputError) as raised:
            check_running({"the record of senders at the phone": ended})
    assert raised.value.message == (
        "the record of senders at the phone ended too early: INET_DIAG refused the request"
    )


def test_what_runs_is_no_error() -> None:
    with Instead(LISTENING, "signal.pause()") as processes:
        check_running({"the capture monitor": capture(processes)})


def test_a_run_without_a_capture_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="left no capture"):
        finish(tmp_path, tmp_path / "out", parse("x", {}), {})


def test_a_wait_says_whether_a_process_ended_and_does_not_reap_it() -> None:
    with subprocess.Popen([sys.executable, "-c", "pass"], text=True) as short:
        assert ends_within(short, 30)
        assert short.wait() == 0
    with subprocess.Popen(["sleep", "30"], text=True) as long:
        assert not ends_within(long, 0.05)
        long.kill()
