"""The processes of a run, each in its place's namespace, and all of them ended with the run."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType, TracebackType
from typing import Any

from airmile._errors import OutputError
from airmile.testbed import programs
from airmile.testbed.owner import VARIABLE

PATIENCE_S = 10
"""For a process to end by itself when it is asked to."""

SETTLE_S = 0.6
"""For the link and the captures to be at work before the workload begins."""

WORKLOAD_PRIORITY, CAPTURE_PRIORITY, SENDER_PRIORITY = 5, 4, 6
"""Of SCHED_FIFO, below the link: hosts that starve would measure the machine."""


class Processes:
    """Starts processes in namespaces and ends every one of them at its own end.

    Parameters
    ----------
    namespace : callable
        Name of a place's namespace.
    mark : str
        Of the run's owner, for their environment.
    environment : mapping of str to str
        What else they are told.
    """

    def __init__(
        self,
        namespace: Callable[[str], str],
        mark: str,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._namespace = namespace
        self._environment = {**environment, VARIABLE: mark, "PATH": programs.PATH}
        self._started: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Processes:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in reversed(self._started):
            self.stop(process, signal.SIGTERM, patience_s=2)

    def start(
        self, arguments: list[str], *, place: str | None = None, priority: int = 0, **more: Any
    ) -> subprocess.Popen[str]:
        """Start a program, with a real-time priority where that is allowed.

        Raises
        ------
        OutputError
            The program is not installed.
        """
        from pyroute2 import netns

        name = self._namespace(place) if place else None

        def enter() -> None:
            # A runner in the background may have been told to ignore it; programs would as well.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            if name:
                netns.setns(name)
            if priority:
                with contextlib.suppress(PermissionError):
                    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))

        programs.check([arguments[0]])
        process = subprocess.Popen(
            arguments,
            text=True,
            start_new_session=True,
            preexec_fn=enter,
            env={**os.environ, **self._environment},
            **more,
        )
        self._started.append(process)
        return process

    def python(
        self, module: str, *arguments: str, place: str | None = None, **more: Any
    ) -> subprocess.Popen[str]:
        """Start a module of ours."""
        return self.start([sys.executable, "-m", module, *arguments], place=place, **more)

    def stop(
        self,
        process: subprocess.Popen[str],
        with_signal: signal.Signals = signal.SIGTERM,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """End a process, first kindly and then not."""
        if process.poll() is None:
            process.send_signal(with_signal)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(patience_s)
        # What it started itself goes with it.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def check_running(running: Mapping[str, subprocess.Popen[str]]) -> None:
    """Raise when one of them has ended while it was still needed.

    Raises
    ------
    OutputError
        It names what has ended, with its last words.
    """
    for name, process in running.items():
        if process.poll() is not None:
            raise OutputError(f"{name} ended too early: {last_words(process)}")


def last_words(process: subprocess.Popen[str]) -> str:
    """Give the last line that an ended process complained of."""
    said = process.stderr.read().strip() if process.stderr else ""
    return said.splitlines()[-1] if said else f"code {process.poll()}"


def ends_within(process: subprocess.Popen[str], seconds: float) -> bool:
    """Wait for a process to end, and tell whether it did; it is not reaped.

    Not by :meth:`subprocess.Popen.wait`: a signal whose handler raises within it can leave its lock
    taken, and who stops the process then would wait for ever.
    """
    until = time.monotonic() + seconds
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() >= until:
            return False
        time.sleep(_LOOK_S)
    return True


_LOOK_S = 0.02
