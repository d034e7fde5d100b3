"""The programs that a run needs besides Python; they are looked for before anything is made."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable

from airmile._errors import OutputError

PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
"""The folders in which they are looked for: nginx and iptables are often not in PATH."""


def python(module: str, *arguments: str) -> list[str]:
    """Return the command of a module; with -P none is imported from the current folder."""
    return [sys.executable, "-P", "-m", module, *arguments]


_PACKAGES = {
    "ip": "iproute2",
    "mount": "util-linux",
    "ping": "iputils-ping",
    "umount": "util-linux",
    "unshare": "util-linux",
}
"""Debian's packages that are not called like their program."""


def missing(names: Iterable[str]) -> list[str]:
    """Return the programs that are not installed, in the order of their names."""
    return [name for name in sorted(set(names)) if not shutil.which(name, path=PATH)]


def install(names: Iterable[str]) -> str:
    """Return the command that installs programs on Debian and Ubuntu."""
    packages = " ".join(dict.fromkeys(_PACKAGES.get(name, name) for name in names))
    return f"sudo apt-get install -y {packages}"


def check(names: Iterable[str]) -> None:
    """Check that programs are installed.

    Raises
    ------
    OutputError
        Some are not installed; the hint installs them.
    """
    lacking = missing(names)
    if lacking:
        are = "is" if len(lacking) == 1 else "are"
        raise OutputError(f"{' and '.join(lacking)} {are} not installed", install(lacking))
