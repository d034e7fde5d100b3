"""The settings of an experiment's hosts: windows, congestion control, and sysctls.

Root writes the sysctls. Only sysctls below ``net`` are accepted, because each network namespace has
its own ones, whereas ``kernel`` and ``vm`` belong to the whole machine (network_namespaces(7)).
"""

from __future__ import annotations

import re
from typing import Any

from airmile._errors import UsageError
from airmile.testbed.experiment.checks import a_table, only

MOST_SEGMENTS = 1000
"""The largest initial window, in segments."""

_WINDOWS = ("initial_window", "initial_receive_window")
_KNOWN = ("congestion_control", *_WINDOWS, "sysctls")
_SYSCTL = re.compile(r"net(\.[\w-]+)+", re.ASCII)


def check(host: object, where: str, also: tuple[str, ...] = ()) -> None:
    """Check the settings of one host.

    Parameters
    ----------
    host : object
        The table of settings.
    where : str
        The name of the table, such as `hosts.server`.
    also : tuple of str
        Names of further settings that this host may have.

    Raises
    ------
    UsageError
        `host` is not a table, or a setting is unknown or wrong.
    """
    settings = a_table(host, where)
    only(settings, (*_KNOWN, *also), f"{where}.")
    control = settings.get("congestion_control", "cubic")
    if not isinstance(control, str) or not control:
        raise UsageError(
            f"{where}.congestion_control = {control!r}", 'write a name, such as "cubic"'
        )
    for name in _WINDOWS:
        segments = settings.get(name, 1)
        if type(segments) is not int or not 1 <= segments <= MOST_SEGMENTS:
            raise UsageError(f"{where}.{name} = {segments!r}", f"1 to {MOST_SEGMENTS} segments")
    sysctls(settings.get("sysctls", {}), f"{where}.sysctls")


def sysctls(settings: object, where: str) -> dict[str, Any]:
    """Return the sysctls of a network namespace after checking them.

    Raises
    ------
    UsageError
        A name is not below `net`, or a value is neither a whole number nor text.
    """
    checked = dict(a_table(settings, where))
    for name, value in checked.items():
        if not _SYSCTL.fullmatch(name):
            raise UsageError(
                f"{where}.{name!r} is not a setting of a network namespace",
                'names begin with net and have dots: "net.ipv4.tcp_sack" = 0',
            )
        if type(value) not in (int, str):
            raise UsageError(
                f"{where}.{name} = {value!r}", "write a whole number, or text in quotes"
            )
    return checked
