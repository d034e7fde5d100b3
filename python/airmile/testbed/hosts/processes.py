"""The processes of a run, each in its place's namespace, and all of them ended with the run.

Programs are started as the unprivileged user (:mod:`airmile.testbed.hosts.rights`), modules of ours
become it themselves, and only what says so stays root. Whatever becomes of the runner, the kernel
ends them with it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType, TracebackType
from typing import Any

from airmile._errors import OutputError
from airmile.testbed.hosts import programs, rights
from airmile.testbed.hosts.owner import VARIABLE

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
        self,
        arguments: list[str],
        *,
        place: str | None = None,
        priority: int = 0,
        keep: Collection[int] = (),
        root: bool = False,
        told: Mapping[str, str] = MappingProxyType({}),
        **more: Any,
    ) -> subprocess.Popen[str]:
        """Start a program as the unprivileged user.

        Parameters
        ----------
        arguments : list of str
            Its name, and what it is told.
        place : str, optional
            Whose namespace it is in.
        priority : int
            Of SCHED_FIFO, where that is allowed.
        keep : collection of int
            Capabilities that it has all the same.
        root : bool
            It stays root.
        told : mapping of str to str
            More for its environment.
        **more
            For :class:`subprocess.Popen`.

        Raises
        ------
        OutputError
            The program is not installed.
        """
        from pyroute2 import netns

        name = self._namespace(place) if place else None
        parent = os.getpid()

        def enter() -> None:
            # A runner in the background may have been told to ignore it; programs would as well.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            if name:
                netns.setns(name)
            if priority:
                with contextlib.suppress(PermissionError):
                    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
            if not root:
                rights.drop(keep)
            rights.die_with(parent)

        programs.check([arguments[0]])
        process = subprocess.Popen(
            arguments,
            text=True,
            start_new_session=True,
            preexec_fn=enter,
            env={**os.environ, **self._environment, **told},
            **more,
        )
        self._started.append(process)
        return process

    def python(
        self,
        module: str,
        *arguments: str,
        place: str | None = None,
        keep: Collection[int] = (),
        **more: Any,
    ) -> subprocess.Popen[str]:
        """Start a module of ours, which becomes the unprivileged user once it is loaded."""
        told = {rights.KEEPS: " ".join(map(str, keep))}
        command = programs.python(module, *arguments)
        return self.start(command, place=place, root=True, told=told, **more)

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
