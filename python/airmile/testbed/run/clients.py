"""Runs the workloads of a run: their servers at one end, their clients at the other.

A run lasts as long as its main workload. The workloads in the background begin at their own times
and are stopped when the main one ends.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from airmile._errors import OutputError
from airmile.testbed import workloads
from airmile.testbed.experiment import controls
from airmile.testbed.experiment.activity import Background
from airmile.testbed.experiment.toml_file import Experiment
from airmile.testbed.hosts import rights
from airmile.testbed.hosts.processes import WORKLOAD_PRIORITY, Processes, ends_within
from airmile.testbed.run.listening import Server
from airmile.testbed.server import PORTS


@dataclass
class _Client:
    """The process of a workload's client, and the file with its errors."""

    name: str
    process: subprocess.Popen[str]
    errors: Path

    def check(self) -> None:
        """Raise an error if the workload has failed."""
        if code := self.process.poll():
            said = self.errors.read_text().strip()
            last = said.splitlines()[-1] if said else f"code {code}"
            raise OutputError(f"the workload {self.name} failed: {last}")


def needs(experiment: Experiment) -> set[str]:
    """Return the programs that the workloads of an experiment need on this machine."""
    modules = [workloads.module(name) for name, _ in _all(experiment)]
    kinds = ["NEEDS"] if experiment.interface else ["NEEDS", "SERVER_NEEDS"]
    return {each for module in modules for kind in kinds for each in getattr(module, kind, ())}


def serve(experiment: Experiment, processes: Processes, folder: Path, out: Path) -> list[Server]:
    """Start the testbed's server and the servers that the workloads bring.

    The servers offer files from `folder` and write their logs in `out`.
    """
    start = partial(_served, processes, out)
    keep = [rights.NET_ADMIN] if _restricted(experiment) else []
    ours = processes.python("airmile.testbed.server", *map(str, PORTS), keep=keep, **_SERVED)
    servers = {"": Server("our server", ours, PORTS)}
    for name, options in _all(experiment):
        module = workloads.module(name)
        if hasattr(module, "server"):
            chosen = module.Options(**options)
            command = module.server(chosen, folder)
            # Workloads whose servers have the same command share one server.
            if " ".join(command) not in servers:
                process = start(command, getattr(module, "SERVER_LOG", os.devnull))
                port = module.server_port(chosen)
                servers[" ".join(command)] = Server(command[0], process, (port,))
    return list(servers.values())


_SERVED: dict[str, Any] = {
    "place": "server",
    "priority": WORKLOAD_PRIORITY,
    "stderr": subprocess.PIPE,
}


def _served(processes: Processes, out: Path, command: list[str], log: str) -> subprocess.Popen[str]:
    with (out / log).open("a") as said:
        if command[0] == sys.executable:
            return processes.python(*command[3:], stdout=said, **_SERVED)
        return processes.start(command, stdout=said, **_SERVED)


def _restricted(experiment: Experiment) -> bool:
    """Return whether a workload uses a congestion control that only CAP_NET_ADMIN may choose."""
    options = [experiment.options, *(each.options for each in experiment.background)]
    return bool(set(controls.used(options)) - set(controls.ALLOWED.read_text().split()))


def run(experiment: Experiment, processes: Processes, out: Path) -> str:
    """Run the workloads; return whether the main one was completed or cut off."""
    start = partial(_start, processes, out, None if experiment.interface else "phone")
    main = start(experiment.workload, experiment.options)
    others = [
        start(each.name, each.options, number, each)
        for number, each in enumerate(experiment.background, 1)
    ]
    if ends_within(main.process, experiment.longest_s):
        main.process.wait()
        ended = "complete"
    else:
        processes.stop(main.process)
        ended = "cut off"
    for number, other in enumerate(others, 1):
        _stop(other, processes, out, number)
    if ended == "complete":
        main.check()
    for client in [main, *others]:
        client.errors.unlink()
    return ended


def _all(experiment: Experiment) -> list[tuple[str, dict[str, Any]]]:
    """Return every workload of an experiment; the steps of a sequence replace the sequence."""
    others = [(each.name, each.options) for each in experiment.background]
    every = [(experiment.workload, experiment.options), *others]
    return [part for name, options in every for part in workloads.parts(name, options)]


def _start(
    processes: Processes,
    out: Path,
    place: str | None,
    name: str,
    options: dict[str, Any],
    number: int = 0,
    background: Background | None = None,
) -> _Client:
    """Start a client; all clients append lines to the same file."""
    errors = out / f"workload-{number}.err"
    late = [str(number), str(background.start_s)] if background else []
    with (out / "workload.jsonl").open("a") as events, errors.open("w") as complaints:
        process = processes.python(
            *("airmile.testbed.workloads", name, json.dumps(options), *late),
            place=place,
            priority=WORKLOAD_PRIORITY,
            keep=_kept(name, options, place),
            stdout=events,
            stderr=complaints,
        )
    return _Client(name, process, errors)


def _kept(name: str, options: dict[str, Any], place: str | None) -> list[int]:
    """Return the capability that a client needs for echo requests outside of the namespaces."""
    pings = any(part == "ping" for part, _ in workloads.parts(name, options))
    return [rights.NET_RAW] if pings and place is None else []


def _stop(client: _Client, processes: Processes, out: Path, number: int) -> None:
    """Stop a background client that is still running, and append an event about this."""
    if client.process.poll() is not None:
        client.check()
        return
    processes.stop(client.process)
    line = {"event": "stopped", "t_unix": time.time(), "background": number}
    with (out / "workload.jsonl").open("a") as events:
        events.write(json.dumps(line) + "\n")
