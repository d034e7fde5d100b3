"""The workloads of an experiment: each is a module of this package and a line of `NAMES`.

``python -m airmile.testbed.workloads NAME JSON`` runs a workload against the server of the run and
prints what happened, one JSON object per line. To add a workload, write its module and add its name
to `NAMES`. The module defines:

- `Options`, a dataclass of settings, from whose docstring the reference of experiments is made;
- `BRIEF`, the options of a short run, which the smoke test uses;
- `run(options, say)`, which does the work and reports events by calling `say`.

It may also define more names. `NEEDS` and `SERVER_NEEDS` are the programs that it runs at the phone
and at the server. `server(options, folder)` returns the command of a server of its own, with
`server_port(options)` and `SERVER_LOG`. `uplink(options)` returns whether the data goes to the
server; without it the server sends the data. `parts(options)` returns the workloads that it runs
one after the other.
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
    """Return the module of a workload.

    Raises
    ------
    UsageError
        No workload has this name; the hint lists the known names.
    """
    if name not in NAMES:
        raise UsageError(f"no workload is called {name!r}", "known: " + ", ".join(NAMES))
    return import_module(f"airmile.testbed.workloads.{name}")


def parts(name: str, options: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return name and options of each workload that this one runs: itself, or its steps."""
    chosen = module(name)
    if not hasattr(chosen, "parts"):
        return [(name, options)]
    return list(chosen.parts(chosen.Options(**options)))
