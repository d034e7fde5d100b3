"""The settings of an experiment that uses a real interface instead of the emulated link.

::

    interface = "wwan0"
    offloads = "off"            # "keep" (as they are), or "off" for the run

    [server]
    address = "198.51.100.1"    # where airmile.testbed.server runs
    port = 80

    [monitor]                   # where this machine sees the traffic a second time
    interface = "eth1"
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from airmile._errors import UsageError

KEYS = ("interface", "offloads", "server", "monitor")

OFFLOADS = ("keep", "off")

_EMULATED = ("link", "network", "era", "hosts", "proxy", "busy")
"""Keys of the emulated link and its hosts, which are wrong with a real interface."""

_NAME = re.compile(r"[^\s/]{1,15}")  # dev_valid_name, net/core/dev.c


@dataclass(frozen=True)
class Interface:
    """The interfaces and the server of a run over a real interface.

    Attributes
    ----------
    name : str
        The interface towards the server; this machine is then the phone of the experiment.
    address, port : str, int
        The server's IPv4 address and port.
    monitor : str or None
        The interface at which a second capture is taken.
    offloads : str
        `off` turns offloads off for the run, so that captures hold no super-packets; `keep` leaves
        them as they are.
    """

    name: str
    address: str
    port: int
    monitor: str | None
    offloads: str

    def devices(self) -> dict[str, str]:
        """Return the interface of each capture point."""
        return {"ue": self.name} | ({"monitor": self.monitor} if self.monitor else {})


def parse(table: Mapping[str, Any]) -> Interface | None:
    """Return the settings of the real interface; None if the experiment uses the emulated link.

    Raises
    ------
    UsageError
        A setting is wrong, or belongs to the emulated link only.
    """
    if "interface" not in table:
        if lonely := [key for key in KEYS if key in table]:
            raise UsageError(f"{lonely[0]} belongs to a real interface", 'write interface = "..."')
        return None
    if idle := [key for key in _EMULATED if key in table]:
        hint = f"leave out interface, or {idle[0]}"
        raise UsageError(f"{idle[0]} belongs to the emulated link", hint)
    server, monitor = _table(table, "server"), _table(table, "monitor")
    offloads = table.get("offloads", "keep")
    if offloads not in OFFLOADS:
        raise UsageError(f"offloads = {offloads!r}", 'write "keep" or "off"')
    return Interface(
        name=_name(table["interface"], "interface"),
        address=_address(server.get("address")),
        port=_port(server.get("port", 80)),
        monitor=_name(monitor.get("interface"), "monitor.interface") if monitor else None,
        offloads=str(offloads),
    )


def recheck(plain: Mapping[str, Any]) -> None:
    """Check the settings in the manifest of a run as if they came from a TOML file.

    Raises
    ------
    UsageError
        A setting is wrong.
    """
    table = {
        "interface": plain["name"],
        "offloads": plain["offloads"],
        "server": {"address": plain["address"], "port": plain["port"]},
    }
    parse(table | ({"monitor": {"interface": plain["monitor"]}} if plain["monitor"] else {}))


_INNER = {"server": ("address", "port"), "monitor": ("interface",)}


def _table(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inner = table.get(name, {})
    if not isinstance(inner, Mapping):
        raise UsageError(f"{name} is not a table", f"write [{name}]")
    for key in inner:
        if key not in _INNER[name]:
            raise UsageError(f"{name}.{key} is not known", "known: " + ", ".join(_INNER[name]))
    return inner


def _name(value: object, where: str) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise UsageError(f"{where} = {value!r}", 'write the name of an interface, such as "wwan0"')
    return value


def _address(value: object) -> str:
    try:
        return str(ipaddress.IPv4Address(value if isinstance(value, str) else ""))
    except ValueError:
        hint = 'write an IPv4 address: [server] address = "198.51.100.1"'
        raise UsageError(f"server.address = {value!r}", hint) from None


def _port(value: object) -> int:
    if type(value) is not int or not 1 <= value <= 65_535:
        raise UsageError(f"server.port = {value!r}", "write a number from 1 to 65535")
    return value
