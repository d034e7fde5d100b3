"""Checks that the programs which a run needs are installed, before the run makes anything."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable

from airmile._errors import OutputError

PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
"""The folders in which programs are looked for: nginx and iptables are often not in PATH."""


def python(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module; -P keeps the current folder out of the imports."""
    return [sys.executable, "-P", "-m", module, *arguments]


_PACKAGES = {
    "ip": "iproute2",
    "mount": "util-linux",
    "ping": "iputils-ping",
    "umount": "util-linux",
    "unshare": "util-linux",
}
"""Packages of Debian whose names differ from those of their programs."""


def missing(names: Iterable[str]) -> list[str]:
    """Return the programs that are not installed, in the given order."""
    return [name for name in sorted(set(names)) if not shutil.which(name, path=PATH)]


def install(names: Iterable[str]) -> str:
    """Return the command that installs programs on Debian or Ubuntu."""
    packages = " ".join(dict.fromkeys(_PACKAGES.get(name, name) for name in names))
    return f"sudo apt-get install -y {packages}"


def check(names: Iterable[str]) -> None:
    """Raise an error if programs are not installed.

    Raises
    ------
    OutputError
        Some programs are missing; the hint is the command that installs them.
    """
    lacking = missing(names)
    if lacking:
        are = "is" if len(lacking) == 1 else "are"
        raise OutputError(f"{' and '.join(lacking)} {are} not installed", install(lacking))
