"""Starts the processes of a run in the namespaces of its hosts, and ends them with the run.

Programs are started as the unprivileged user (:mod:`airmile.testbed.hosts.rights`). Modules of the
testbed change to that user themselves. A process stays root only on request. The kernel ends all of
them when the process that runs the run ends in any way.
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
"""How long a process may take to end after a signal, in seconds."""

SETTLE_S = 0.6
"""How long the link and the captures run before the workload begins, in seconds."""

WORKLOAD_PRIORITY, CAPTURE_PRIORITY, SENDER_PRIORITY = 5, 4, 6
"""Priorities of SCHED_FIFO, all below the link's.

With ordinary priority, the load of the machine would change what a run measures.
"""


class Processes:
    """Starts processes in namespaces and ends all of them when the block ends.

    Parameters
    ----------
    namespace : callable
        A function that returns the name of a host's namespace.
    mark : str
        The mark of the run, which the environment of each process gets.
    environment : mapping of str to str
        Further variables for the environment of each process.
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
        variables: Mapping[str, str] = MappingProxyType({}),
        **more: Any,
    ) -> subprocess.Popen[str]:
        """Start a program as the unprivileged user.

        Parameters
        ----------
        arguments : list of str
            The name of the program and its arguments.
        place : str, optional
            The host in whose namespace the program runs.
        priority : int
            The priority of SCHED_FIFO, if the system allows it.
        keep : collection of int
            Numbers of the capabilities that the program keeps.
        root : bool
            Whether the program stays root.
        variables : mapping of str to str
            Further variables for the environment of this program.
        **more
            Further arguments of :class:`subprocess.Popen`.

        Raises
        ------
        OutputError
            The program is not installed.
        """
        from pyroute2 import netns

        name = self._namespace(place) if place else None
        parent = os.getpid()

        def enter() -> None:
            # A program would inherit it if SIGINT is ignored, as it is for a process in the
            # background.
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
            env={**os.environ, **self._environment, **variables},
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
        """Start a module of the testbed; it becomes the unprivileged user once it is loaded."""
        variables = {rights.KEEPS: " ".join(map(str, keep))}
        command = programs.python(module, *arguments)
        return self.start(command, place=place, root=True, variables=variables, **more)

    def stop(
        self,
        process: subprocess.Popen[str],
        with_signal: signal.Signals = signal.SIGTERM,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """End a process by a signal, and by SIGKILL if it does not end within `PATIENCE_S`."""
        if process.poll() is None:
            process.send_signal(with_signal)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(patience_s)
        # This also kills the processes that the process has started.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def check_running(running: Mapping[str, subprocess.Popen[str]]) -> None:
    """Raise an error if one of several processes has ended although it is still needed.

    Raises
    ------
    OutputError
        The message names the process and the last line of its errors.
    """
    for name, process in running.items():
        if process.poll() is not None:
            raise OutputError(f"{name} ended too early: {last_words(process)}")


def last_words(process: subprocess.Popen[str]) -> str:
    """Return the last line that an ended process wrote to its standard error."""
    said = process.stderr.read().strip() if process.stderr else ""
    return said.splitlines()[-1] if said else f"code {process.poll()}"


def ends_within(process: subprocess.Popen[str], seconds: float) -> bool:
    """Return whether a process ends within a time; the process is not reaped.

    :meth:`subprocess.Popen.wait` cannot be used: if a signal handler raises an exception within it,
    its lock may stay taken, and stopping the process would then wait for ever.
    """
    until = time.monotonic() + seconds
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() >= until:
            return False
        time.sleep(_LOOK_S)
    return True


_LOOK_S = 0.02
