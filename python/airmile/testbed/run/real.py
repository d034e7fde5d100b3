"""Runs an experiment over a real interface, which gives no truth of the link."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from airmile._errors import OutputError
from airmile.testbed.experiment.interface import Interface
from airmile.testbed.experiment.toml_file import Experiment
from airmile.testbed.hosts import namespaces, offloads, programs, rights
from airmile.testbed.hosts.processes import SETTLE_S, Processes, check_running
from airmile.testbed.record import captures, senders
from airmile.testbed.record.facts import common
from airmile.testbed.run import clients

NO_TRUTH = "a real link does not report what it did in each millisecond"


def check(experiment: Experiment, real: Interface) -> None:
    """Check that this machine has everything that the run needs.

    Raises
    ------
    OutputError
        A program or an interface is missing, or the route to the server uses another interface.
    """
    namespaces.library()
    programs.check({"tcpdump", *clients.needs(experiment)})
    rights.check()
    for device in real.devices().values():
        _index(device)
    leaves = _way(real.address)
    if leaves != real.name:
        raise OutputError(
            f"packets to {real.address} leave by {leaves}, not by {real.name}",
            f"sudo ip route add {real.address} dev {real.name}, with the gateway if it needs one",
        )


def measure(
    experiment: Experiment, real: Interface, mark: str, out: Path, on_step: Callable[[str], None]
) -> dict[str, Any]:
    """Run an experiment in the namespace of this process, and return its facts."""
    devices = list(real.devices().values())
    if real.offloads == "off":
        offloads.turn_off(mark, devices)
    environment = {
        "AIRMILE_TESTBED_SERVER": real.address,
        "AIRMILE_TESTBED_PORT": str(real.port),
    }
    with Processes(str, mark, environment) as processes:
        running = {
            name: captures.start(
                processes,
                out / f"{name}.pcap",
                device,
                place=None,
                only=f"ip host {real.address}",
                snap_bytes=experiment.snap_bytes,
            )
            for name, device in real.devices().items()
        }
        asking = senders.start(processes, out / "senders_phone.csv", None, real.address)
        watched = {
            "the record of senders": asking,
            **{f"the capture {name}": each for name, each in running.items()},
        }
        time.sleep(SETTLE_S)
        check_running(watched)
        on_step(f"running {experiment.workload}")
        ended = clients.run(experiment, processes, out)
        time.sleep(captures.LINGER_S)
        check_running(watched)
        drops = {name: captures.stop(processes, each) for name, each in running.items()}
    return _facts(experiment, devices, drops, ended)


def _facts(
    experiment: Experiment, devices: list[str], drops: dict[str, int], ended: str
) -> dict[str, Any]:
    during = {device: offloads.read(device) for device in devices}
    return {
        **common(experiment, ended, drops),
        "truth": None,
        "truth_reason": NO_TRUTH,
        "link": None,
        "trustworthy": None,
        "bpf": {"present": False, "why": "the probe reads only the testbed's own hosts"},
        "offloads": during,
        "warnings": [
            f"{device}: {', '.join(on)} on: its capture holds packets that were never on the air; "
            'offloads = "off" turns them off for the run'
            for device, each in during.items()
            if (on := [name for name, is_on in each.items() if is_on])
        ],
        "clocks": "captures and senders share one clock of the host",
    }


def _index(device: str) -> int:
    try:
        return socket.if_nametoindex(device)
    except OSError:
        known = ", ".join(name for _, name in socket.if_nameindex())
        raise OutputError(f"{device}: no such interface", f"there are {known}") from None


def _way(address: str) -> str:
    """Return the interface by which the kernel sends packets to an address."""
    from pyroute2 import IPRoute
    from pyroute2.netlink.exceptions import NetlinkError

    with IPRoute() as net:
        try:
            (route, *_) = net.route("get", dst=address)
        except NetlinkError:
            raise OutputError(f"there is no route to {address}", "ip route shows them") from None
    return socket.if_indextoname(route.get_attr("RTA_OIF"))
