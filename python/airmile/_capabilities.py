"""The capabilities of this process, and how to get those that it lacks (capabilities(7)).

The kernel decides by capabilities, not by the user: root of a container often lacks some of them,
and another user may have them. This file imports nothing of airmile, because `tools/need` runs it
before airmile is built.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path

NUMBERS = {
    "CHOWN": 0, "DAC_OVERRIDE": 1, "KILL": 5, "SETGID": 6, "SETUID": 7, "NET_ADMIN": 12,
    "NET_RAW": 13, "IPC_LOCK": 14, "SYS_ADMIN": 21,
}  # fmt: skip
"""The numbers of the capabilities that airmile asks for, by name (linux/capability.h)."""

TESTBED = tuple(name for name in NUMBERS if name != "IPC_LOCK")
"""What a run of the testbed needs.

NET_ADMIN makes devices and routes, SYS_ADMIN makes namespaces, and NET_RAW captures. With SETUID
and SETGID the programs become an unprivileged user, KILL ends them, and CHOWN and DAC_OVERRIDE
share their folders. IPC_LOCK is of use to the link, which also runs without it.
"""


def effective() -> int | None:
    """Return the bit mask of the capabilities in effect; None if this system has none."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    found = re.search(r"^CapEff:\s*([0-9a-f]+)", status.read_text(), re.MULTILINE)
    return int(found[1], 16) if found else None


def lacking(wanted: Iterable[str]) -> list[str]:
    """Return which capabilities this process lacks, as ``["CAP_NET_ADMIN"]``.

    A system without capabilities has only root and others, so others lack all of them.

    >>> lacking([])
    []
    """
    have = effective()
    if have is None:
        have = -1 if getattr(os, "geteuid", lambda: 1)() == 0 else 0
    return [f"CAP_{name}" for name in wanted if not have >> NUMBERS[name] & 1]


def advice(missing: Iterable[str]) -> str:
    """Return how to give this process capabilities that it lacks.

    For root the answer is not to become root.
    """
    if getattr(os, "geteuid", lambda: 1)() != 0:
        return "run the same command with sudo, or as root of a container that has them"
    names = [name.removeprefix("CAP_") for name in missing]
    added = "".join(f" --cap-add {name}" for name in names)
    device = " --device /dev/net/tun" if "NET_ADMIN" in names else ""
    return (
        f"this is root without them, as in most containers: start it with docker run{added}{device}"
        " (podman takes the same options; --privileged gives everything)"
    )


if __name__ == "__main__":
    if missing := lacking(TESTBED):
        sys.stdout.write(f"the testbed needs {', '.join(missing)}\n{advice(missing)}\n")
        sys.exit(1)
