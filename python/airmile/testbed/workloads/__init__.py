"""What the hosts do: each workload is a module with `Options` and `run(options, say)`.

``python -m airmile.testbed.workloads NAME JSON`` runs one against the server of the run; what
happened goes to standard output, a JSON line each. A module may also say which programs it
`NEEDS` and `SERVER_NEEDS`, which command its own `server(options, folder)` is and on which
`server_port(options)`, and whether its data goes `uplink(options)`.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

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
