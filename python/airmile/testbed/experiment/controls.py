"""The congestion controls that an experiment names, and those that the kernel offers."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from airmile._errors import OutputError

AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
"""The file of the controls that programs without CAP_NET_ADMIN may use (ip-sysctl.rst)."""
MODULES = Path("/lib/modules") / platform.release() / "modules.dep"

SETTING = "congestion_control"
"""The key of a congestion control in settings; an empty value means that of the host."""

BROUGHT = {"westwood": "am_ww_", "cubic_restart": "am_cr_", "reno_rfc5681": "am_rr_"}
"""The controls that are BPF programs of the testbed, by the beginning of their kernel names.

The source of a control is `bpf/NAME.bpf.c`.
"""


def check(settings: Any) -> None:
    """Check that the kernel has every congestion control that nested settings name.

    Raises
    ------
    OutputError
        The kernel lacks one; the hint lists those that the kernel has.
    """
    ours = tuple(BROUGHT.values())
    has = [name for name in AVAILABLE.read_text().split() if not name.startswith(ours)]
    for name in sorted(set(used(settings)) - {*has, *BROUGHT}):
        if not _is_module(name):
            known = ", ".join(sorted({*has, *BROUGHT}))
            raise OutputError(
                f"{SETTING} = {name!r}: this kernel does not have it", f"it has {known}"
            )


def used(settings: Any) -> Iterator[str]:
    """Return every congestion control that nested settings name."""
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
    """Return nested settings with another name for a congestion control."""
    if isinstance(settings, Mapping):
        return {
            key: new if (key, value) == (SETTING, old) else renamed(value, old, new)
            for key, value in settings.items()
        }
    if isinstance(settings, list | tuple):
        return [renamed(each, old, new) for each in settings]
    return settings


def _is_module(name: str) -> bool:
    """Return whether the kernel has a module with this control, which it would load on demand."""
    try:
        return f"/tcp_{name}.ko" in MODULES.read_text()
    except OSError:
        return False
