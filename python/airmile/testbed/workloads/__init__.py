"""The workloads of the hosts: each is a module of this package and a line of `NAMES`.

``python -m airmile.testbed.workloads NAME JSON`` runs one against the server of the run and writes
what happened to standard output, one JSON object per line. To add a workload, write its module and
add its name to `NAMES`. The module defines:

- `Options`, a dataclass of settings; the reference of experiments is made from its docstring;
- `BRIEF`, the options of a short run, which the smoke test uses;
- `run(options, say)`, which does the work.

It may also define `NEEDS` and `SERVER_NEEDS`, the programs that it runs at the phone and at the
server; `server(options, folder)`, the command of a server of its own, with `server_port(options)`
and `SERVER_LOG`; `uplink(options)`, whether its data goes to the server, which is otherwise
taken to send it; and `parts(options)`, the workloads that it runs one after the other.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from airmile._errors import UsageError

NAMES = (
    "bulk_download",
    "bulk_upload",
    "dash",
    "delayed_fin",
    "exchange",
    "http_files",
    "idle_wake",
    "iperf3",
    "micro_fetch",
    "paced_download",
    "paced_upload",
    "page",
    "periodic",
    "ping",
    "sequence",
    "short_flows",
    "slow_reader",
)


def module(name: str) -> ModuleType:
    """Find a workload by its name.

    Raises
    ------
    UsageError
        There is none of this name; the known ones are listed.
    """
    if name not in NAMES:
        raise UsageError(f"no workload is called {name!r}", "known: " + ", ".join(NAMES))
    return import_module(f"airmile.testbed.workloads.{name}")


def parts(name: str, options: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the name and the options of each workload that one runs: itself, or its steps."""
    chosen = module(name)
    if not hasattr(chosen, "parts"):
        return [(name, options)]
    return list(chosen.parts(chosen.Options(**options)))
