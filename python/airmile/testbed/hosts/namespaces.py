"""The hosts of a run: three network namespaces, and the devices of the link between them.

::

    server  s0 ==[wired path]== w0  core  r0 ==[radio]== u0  phone

Every name contains the mark of the run. So :mod:`airmile.testbed.hosts.leftovers` can
find and remove what a run made, and touches nothing else.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from airmile._errors import OutputError
from airmile.testbed.experiment import host_settings
from airmile.testbed.hosts import rights
from airmile.testbed.hosts.strays import NAMESPACES

PLACES = ("server", "core", "phone")
"""The hosts, each a network namespace, from the server's end of the link to the phone's."""

DEVICES = (("server", "s0"), ("core", "w0"), ("core", "r0"), ("phone", "u0"))
"""The host and the name of each device, from the server's end of the link to the phone's."""

ADDRESSES = {"s0": "10.73.0.2", "w0": "10.73.0.1", "r0": "10.73.9.1", "u0": "10.73.9.2"}
SERVER, PHONE = ADDRESSES["s0"], ADDRESSES["u0"]

QUEUE_PACKETS = 10_000
"""The length of a device's ring, in packets.

It is so large that packets are lost only in the link, whose truth records each loss.
"""

_METRICS = {
    "congestion_control": "cc_algo",
    "initial_window": "initcwnd",
    "initial_receive_window": "initrwnd",
}
"""The route metrics by their names in pyroute2, which silently ignores unknown names."""

_RIGHTS: Mapping[str, Mapping[str, Any]] = {
    "server": {"net/ipv4/ip_unprivileged_port_start": 0},
    "phone": {"net/ipv4/ping_group_range": f"{rights.USER} {rights.USER}"},
}
"""Sysctls that let programs without capabilities use ports 80 and 443, and ping."""

_QUIET = {"net/ipv6/conf/all/disable_ipv6": 1, "net/ipv6/conf/default/disable_ipv6": 1}
"""Sysctls that keep the kernel from sending router solicitations."""


@dataclass
class Hosts:
    """The namespaces of one run.

    Parameters
    ----------
    mark : str
        The mark of the run.
    routes : mapping of str to mapping
        By host: metrics of a route, such as `congestion_control` and `initial_window`. The route of
        `server` and `phone` leads to the other end; that of `core` leads from the proxy to the
        phone.
    sysctls : mapping of str to mapping
        By host: the names of sysctls, with dots, and their values.
    """

    mark: str
    routes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sysctls: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def namespace(self, place: str) -> str:
        """Return the name of the namespace of a host."""
        return f"airmile-{self.mark}-{place}"

    def devices(self) -> list[tuple[str, str]]:
        """Return the namespace file and the name of each device, in the order of `DEVICES`."""
        return [(f"/run/netns/{self.namespace(place)}", name) for place, name in DEVICES]

    def create(self) -> None:
        """Make the namespaces and apply their settings.

        Raises
        ------
        OutputError
            The rights are missing, or the kernel refuses a setting.
        UsageError
            A setting does not belong to a network namespace.
        """
        netns = library()
        wanted = {place: _paths(self.sysctls.get(place, {}), place) for place in PLACES}
        for place in PLACES:
            try:
                with _alone():
                    netns.create(self.namespace(place))
            except PermissionError:
                raise OutputError(
                    "network namespaces need root", "run it with sudo, or as root in a container"
                ) from None
            settings = {**_QUIET, **_RIGHTS.get(place, {}), **wanted[place]}
            if place == "core":
                settings["net/ipv4/ip_forward"] = 1
            with self.inside(place):
                _set(settings, place)

    def connect(self) -> None:
        """Give the devices their addresses and routes, after the link has made the devices."""
        for place in PLACES:
            with self._net(place) as net:
                net.link("set", index=net.link_lookup(ifname="lo")[0], state="up")
                for name in (name for at, name in DEVICES if at == place):
                    index = net.link_lookup(ifname=name)[0]
                    net.link("set", index=index, state="up", txqlen=QUEUE_PACKETS)
                    net.addr("add", index=index, address=ADDRESSES[name], prefixlen=24)
        self._route("server", "s0", "10.73.9.0/24", self.routes.get("server", {}))
        self._route("phone", "u0", "10.73.0.0/24", self.routes.get("phone", {}))
        if "core" in self.routes:
            self._route("core", "r0", f"{PHONE}/32", self.routes["core"])
            # Without this route, the machine's default would decide how the proxy sends to the
            # server.
            self._route("core", "w0", f"{SERVER}/32", self.routes.get("server", {}))

    def counters(self) -> dict[str, dict[str, int]]:
        """Return the packets and drops of every device, as counted by the kernel."""
        found = {}
        for place, name in DEVICES:
            with self._net(place) as net:
                stats = net.get_links(ifname=name)[0].get_attr("IFLA_STATS64")
            words = (
                "rx_packets",
                "tx_packets",
                "rx_dropped",
                "tx_dropped",
                "rx_errors",
                "tx_errors",
            )
            found[name] = {word: int(stats[word]) for word in words}
        return found

    @contextmanager
    def inside(self, place: str) -> Iterator[None]:
        """Run the block in a host's namespace."""
        from pyroute2 import netns

        netns.pushns(self.namespace(place))
        try:
            yield
        finally:
            netns.popns()

    @contextmanager
    def _net(self, place: str) -> Iterator[Any]:
        """Open a netlink socket that stays bound to the namespace of a host."""
        from pyroute2 import IPRoute

        with self.inside(place):
            net = IPRoute()
        with net:
            yield net

    def _route(self, place: str, device: str, target: str, wanted: Mapping[str, Any]) -> None:
        metrics = {name: wanted[setting] for setting, name in _METRICS.items() if setting in wanted}
        extra = {"metrics": metrics} if metrics else {}
        with self._net(place) as net:
            index = net.link_lookup(ifname=device)[0]
            net.route("add", dst=target, oif=index, **extra)


@contextmanager
def _alone() -> Iterator[None]:
    """Keep others from making namespaces while the block runs, with the lock of `ip netns`.

    The first one makes a mount of the folder, and two of them at once would cover each other's.
    """
    NAMESPACES.mkdir(exist_ok=True)
    lock = os.open(NAMESPACES, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def library() -> Any:
    """Return the module pyroute2.

    Raises
    ------
    OutputError
        pyroute2 is not installed.
    """
    try:
        from pyroute2 import netns
    except ImportError:
        raise OutputError(
            "the testbed needs pyroute2", f"{sys.executable} -m pip install 'pyroute2>=0.7,<1'"
        ) from None
    return netns


def _paths(sysctls: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return the sysctls as paths after another check: a manifest may have been changed by hand."""
    checked = host_settings.sysctls(sysctls, f"hosts.{place}.sysctls")
    return {name.replace(".", "/"): value for name, value in checked.items()}


def _set(settings: Mapping[str, Any], place: str) -> None:
    for name, value in settings.items():
        try:
            Path("/proc/sys", name).write_text(f"{value}\n")
        except OSError as error:
            raise OutputError(
                f"{place}: the kernel refuses {name.replace('/', '.')} = {value}: {error.strerror}",
                f"change it under [hosts.{place}.sysctls]; sysctl -a shows what the kernel has",
            ) from None
