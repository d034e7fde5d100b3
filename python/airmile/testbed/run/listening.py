"""Waits until servers listen: a workload that began earlier would be refused."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from airmile._errors import OutputError
from airmile.testbed.hosts.processes import last_words

PATIENCE_S = 20.0
"""How long a server may take to listen, in seconds: its files may be on a slow disk."""

_PERIOD_S = 0.02
_LISTEN = "0A"
"""The state TCP_LISTEN in a line of /proc/PID/net/tcp (proc_pid_net(5))."""


@dataclass(frozen=True)
class Server:
    """A server that was started, and the ports at which it listens.

    Parameters
    ----------
    name : str
        The name of the server in messages.
    process : subprocess.Popen
        The process of the server; its errors go to a pipe.
    ports : tuple of int
        The TCP ports of the server in its network namespace.
    """

    name: str
    process: subprocess.Popen[str]
    ports: tuple[int, ...]

    def wait(self, patience_s: float = PATIENCE_S) -> None:
        """Wait until the server listens.

        Raises
        ------
        OutputError
            The server has ended, or does not listen within `patience_s`.
        """
        until = time.monotonic() + patience_s
        while not set(self.ports) <= set(_listening(self.process.pid)):
            self.check()
            if time.monotonic() > until:
                raise OutputError(
                    f"{self.name} does not listen on {', '.join(map(str, self.ports))}",
                    "the machine is too busy for a run: try again when it is not",
                )
            time.sleep(_PERIOD_S)
        self.check()

    def check(self) -> None:
        """Raise an error if the server has ended."""
        if self.process.poll() is not None:
            raise OutputError(f"{self.name} ended too early: {last_words(self.process)}")


def _listening(pid: int) -> Iterable[int]:
    """Return the TCP ports with a listener in the namespace of a process."""
    for table in ("tcp", "tcp6"):
        try:
            lines = Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            _, local, _, state, *_ = line.split()
            if state == _LISTEN:
                yield int(local.rpartition(":")[2], 16)
