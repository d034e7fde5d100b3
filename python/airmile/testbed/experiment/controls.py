"""The congestion controls that an experiment asks for, and those that the kernel has."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from airmile._errors import OutputError

AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
"""To programs without CAP_NET_ADMIN (tcp_allowed_congestion_control, ip-sysctl.rst)."""
MODULES = Path("/lib/modules") / platform.release() / "modules.dep"

SETTING = "congestion_control"
"""Of hosts, of the proxy, and of workloads; empty: that of the host."""

WESTWOOD = "westwood"
"""What the testbed has itself."""

OURS = "am_ww_"
"""What its name in the kernel begins with."""


def check(settings: Any) -> None:
    """Look for every congestion control in nested settings, before anything is made.

    Raises
    ------
    OutputError
        The kernel has none of this name; the hint names those that it has.
    """
    has = [name for name in AVAILABLE.read_text().split() if not name.startswith(OURS)]
    for name in sorted(set(used(settings)) - {*has, WESTWOOD}):
        if not _is_module(name):
            known = ", ".join(sorted({*has, WESTWOOD}))
            raise OutputError(f"{SETTING} = {name!r}: this kernel has none", f"it has {known}")


def used(settings: Any) -> Iterator[str]:
    """Give every congestion control that nested settings name."""
    if isinstance(settings, Mapping):
        for key, value in settings.items():
            if key == SETTING and isinstance(value, str) and value:
                yield value
            else:
                yield from used(value)
    elif isinstance(settings, list | tuple):
        for each in settings:
            yield from used(each)


def renamed(settings: Any, old: str, new: str) -> Any:
    """Give nested settings with another name for a congestion control."""
    if isinstance(settings, Mapping):
        return {
            key: new if (key, value) == (SETTING, old) else renamed(value, old, new)
            for key, value in settings.items()
        }
    if isinstance(settings, list | tuple):
        return [renamed(each, old, new) for each in settings]
    return settings


def _is_module(name: str) -> bool:
    """Tell whether the kernel would load it when it is asked for."""
    try:
        return f"/tcp_{name}.ko" in MODULES.read_text()
    except OSError:
        return False
