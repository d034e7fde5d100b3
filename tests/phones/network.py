"""The addresses and routes of the hosts, the phone's two interfaces, and 464XLAT by tayga."""

from __future__ import annotations

import subprocess
from pathlib import Path

from airmile._errors import OutputError
from airmile.testbed.hosts.namespaces import PHONE, SERVER, Hosts
from airmile.testbed.hosts.processes import Processes
from tests.phones.plan import Network, Way

CELLULAR, WLAN, CLAT = "rmnet_data0", "wlan0", "v4-rmnet_data0"
"""The phone's interfaces, with the names that Android gives."""

PREFIX = "2001:db8:9::"
PHONE_6, CLAT_6 = f"{PREFIX}2", f"{PREFIX}c1a7"
CLAT_4 = "192.0.0.4"
SERVER_6 = "2001:db8:f::9"
PUBLIC_4 = "11.22.33.44"
"""The server's address for the translator, which refuses private ones (RFC 6052 section 3.1)."""
WLAN_4, WLAN_6 = ("192.168.7.2", "198.51.100.1"), ("2001:db8:7::2", "2001:db8:8::1")
"""The addresses at both ends of the wireless LAN: those of the phone, and of the server."""

_PLAT = """tun-device nat64
ipv4-addr 10.99.0.1
ipv6-addr 2001:db8:64::1
prefix 64:ff9b::/96
map 10.99.0.9 {clat}
data-dir {work}
"""
_CLAT = """tun-device {device}
ipv4-addr 192.0.0.5
ipv6-addr 2001:db8:9::c1a8
prefix 64:ff9b::/96
map {inner} {clat}
data-dir {work}
"""


def server(network: Network, way: Way, family: int) -> str:
    """Give the server's address on a way of a phone.

    >>> server("464xlat", "cellular", 4)
    '11.22.33.44'
    """
    if way == "wlan":
        return WLAN_4[1] if family == 4 else WLAN_6[1]
    if family == 6:
        return SERVER_6
    return SERVER if network == "dual_stack" else PUBLIC_4


def interfaces(network: Network) -> tuple[str, ...]:
    """Give the names of the phone's interfaces."""
    return (CELLULAR, WLAN) if network == "dual_stack" else (CELLULAR, WLAN, CLAT)


class Setup:
    """Gives the hosts of a run what the testbed's do not have."""

    def __init__(self, hosts: Hosts, processes: Processes, work: Path) -> None:
        self._hosts, self._processes, self._work = hosts, processes, work

    def make(self, network: Network) -> None:
        """Make the phone's interfaces and all routes, after the testbed has connected its hosts."""
        for place in ("server", "core", "phone"):
            for name in ("all", "default"):
                self._sysctl(place, f"net.ipv6.conf.{name}.disable_ipv6=0")
                self._sysctl(place, f"net.ipv6.conf.{name}.accept_dad=0")
                self._sysctl(place, f"net.ipv6.conf.{name}.forwarding=1")
        self._cellular(network)
        self._wired()
        self._wlan()
        if network == "464xlat":
            self._translate()

    def _cellular(self, network: Network) -> None:
        phone = ["link set u0 down", f"link set u0 name {CELLULAR}", f"link set {CELLULAR} up"]
        self._ip("phone", *phone)
        self._quiet("phone", CELLULAR)
        self._quiet("core", "r0")
        self._ip(
            "phone", f"addr add {PHONE_6}/64 dev {CELLULAR} nodad",
            f"-6 route add default dev {CELLULAR}",
        )  # fmt: skip
        self._ip("core", f"-6 route add {PREFIX}/64 dev r0")
        if network == "dual_stack":
            self._ip("phone", f"route replace 10.73.0.0/24 dev {CELLULAR}")
        else:
            self._ip("phone", f"addr del {PHONE}/24 dev {CELLULAR}")

    def _wired(self) -> None:
        self._quiet("core", "w0")
        self._quiet("server", "s0")
        self._ip("core", "-6 route add 2001:db8:f::/64 dev w0", f"route add {PUBLIC_4} dev w0")
        self._ip(
            "server", f"addr add {SERVER_6}/64 dev s0 nodad", "-6 route add default dev s0",
            f"addr add {PUBLIC_4}/32 dev s0", "route add 10.99.0.0/24 dev s0",
        )  # fmt: skip

    def _wlan(self) -> None:
        other = self._hosts.namespace("server")
        self._ip("phone", f"link add {WLAN} type veth peer name ap netns {other}")
        for at, (place, device) in enumerate((("phone", WLAN), ("server", "ap"))):
            self._ip(
                place, f"link set {device} up", f"addr add {WLAN_4[at]}/32 dev {device}",
                f"addr add {WLAN_6[at]}/128 dev {device} nodad",
                f"route add {WLAN_4[1 - at]}/32 dev {device}",
                f"-6 route add {WLAN_6[1 - at]}/128 dev {device}",
            )  # fmt: skip

    def _translate(self) -> None:
        """Have the core translate IPv6 to IPv4, and the phone IPv4 to IPv6 (RFC 6877)."""
        plat = _PLAT.format(clat=CLAT_6, work=self._work)
        clat = _CLAT.format(clat=CLAT_6, work=self._work, device=CLAT, inner=CLAT_4)
        self._tayga("core", "nat64", plat)
        self._tayga("phone", CLAT, clat)
        self._ip("core", "-6 route add 64:ff9b::/96 dev nat64", "route add 10.99.0.0/24 dev nat64")
        self._sysctl("phone", "net.ipv4.ip_forward=1")
        self._ip(
            "phone", f"addr add {CLAT_4}/32 dev {CLAT}", f"route add default dev {CLAT}",
            f"-6 route add {CLAT_6}/128 dev {CLAT}",
        )  # fmt: skip

    def _tayga(self, place: str, device: str, text: str) -> None:
        file = self._work / f"tayga-{place}.conf"
        file.write_text(text)
        command = ["tayga", "--config", str(file)]
        self._done(place, [*command, "--mktun"])
        self._ip(place, f"link set {device} up")
        self._quiet(place, device)
        self._processes.start([*command, "--nodetach"], place=place, root=True)

    def _quiet(self, place: str, device: str) -> None:
        """Keep the kernel's own messages (router solicitations, MLD) from a device."""
        self._sysctl(place, f"net.ipv6.conf.{device}.disable_ipv6=0")
        self._sysctl(place, f"net.ipv6.conf.{device}.addr_gen_mode=1")
        self._sysctl(place, f"net.ipv6.conf.{device}.router_solicitations=0")
        self._ip(place, f"-6 addr flush dev {device}")

    def _ip(self, place: str, *commands: str) -> None:
        for command in commands:
            self._done(place, ["ip", *command.split()])

    def _sysctl(self, place: str, setting: str) -> None:
        self._done(place, ["sysctl", "-qw", setting])

    def _done(self, place: str, command: list[str]) -> None:
        inside = ["ip", "netns", "exec", self._hosts.namespace(place), *command]
        done = subprocess.run(inside, capture_output=True, text=True, check=False)
        if done.returncode:
            raise OutputError(
                f"{place}: {' '.join(command)}: {(done.stderr or done.stdout).strip()}"
            )
