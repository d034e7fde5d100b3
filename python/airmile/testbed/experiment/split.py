"""The settings of the split-TCP proxy in the core, and how connections are redirected to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from airmile._errors import UsageError

PORT = 7300
"""The port at which the proxy accepts the connections of the phone."""

_TAKE = ("iptables", "-w", "10", "-t", "nat", "-A", "PREROUTING", "-i", "r0", "-p", "tcp")
_HERE = ("-j", "REDIRECT", "--to-ports", str(PORT))


@dataclass(frozen=True)
class Settings:
    """How the TCP of the proxy sends.

    Parameters
    ----------
    slow_start_restart : bool
        Whether the congestion window decays while a connection is idle (tcp_slow_start_after_idle):
        Linux halves it once for each timeout of silence.
    congestion_control : str
        The congestion control of the connections to the phone. `cubic_restart` is CUBIC that
        restarts with the initial window of 10 segments after a silence of one timeout (RFC 5681
        section 4.1).
    initial_window : int
        The initial window of the connections to the phone, in segments.
    ports : list of int
        The server ports whose connections the proxy splits, as proxies of operators do with 80 and
        443 (BT19 section 4.5); an empty list means all ports.
    """

    slow_start_restart: bool = True
    congestion_control: str = "cubic"
    initial_window: int = 10
    ports: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        wrong = (
            ("slow_start_restart", isinstance(self.slow_start_restart, bool), "true or false"),
            ("congestion_control", isinstance(self.congestion_control, str), "a name"),
            (
                "initial_window",
                type(self.initial_window) is int and 1 <= self.initial_window <= 1000,
                "1 to 1000 segments",
            ),
            (
                "ports",
                isinstance(self.ports, list)
                and all(type(port) is int and 1 <= port <= 65535 for port in self.ports),
                "a list of numbers from 1 to 65535",
            ),
        )
        for name, good, hint in wrong:
            if not good:
                raise UsageError(f"proxy.{name} = {getattr(self, name)!r}", hint)

    def redirects(self) -> list[list[str]]:
        """Return the commands that redirect connections to the proxy."""
        return [[*_TAKE, "--dport", str(port), *_HERE] for port in self.ports] or [[*_TAKE, *_HERE]]

    def route(self) -> dict[str, Any]:
        """Return the route metrics of the core towards the phone."""
        return {
            "congestion_control": self.congestion_control,
            "initial_window": self.initial_window,
        }

    def sysctls(self, server: Mapping[str, Any]) -> dict[str, Any]:
        """Return the sysctls of the core: the server's, with the proxy's slow start after idle."""
        return {**server, "net.ipv4.tcp_slow_start_after_idle": int(self.slow_start_restart)}
