"""Checks of this machine: installed packages, memory, disk, and the right to record."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from airmile._memory import free_bytes, whole_bytes
from airmile._words import count, counted, size
from airmile.doctor import Finding, leftovers

CAP_NET_RAW = 13
"""The number of the capability to open packet sockets (capabilities(7), linux/capability.h)."""

LEAST_MEMORY = 1_000_000_000
"""The least memory in bytes; an analysis needs 200 MB, and about 1 KB per open flow."""

LEAST_DISK = 1_000_000_000
"""The least disk space in bytes; a dataset has a few percent of its capture's size."""


def findings() -> Iterator[Finding]:
    """Yield the findings of all checks, the most important first."""
    yield _airmile()
    yield _python()
    yield _packages()
    yield from _extras()
    yield from leftovers.findings(Path.cwd())
    yield _processors()
    yield _memory()
    yield _folder()
    yield _tcpdump()


def _airmile() -> Finding:
    try:
        from airmile import _engine
    except ImportError as error:
        return Finding(
            "airmile", "error", f"the engine cannot be loaded: {error}",
            "install a wheel for this system: make wheel, pip install dist/airmile-*.whl",
        )  # fmt: skip
    profile = _engine.__profile__
    found = f"{metadata.version('airmile')}, engine built with profile {profile}"
    if profile == "debug":
        return Finding(
            "airmile", "warning", found, "it is many times slower than a wheel: make wheel"
        )
    slow = profile != "dist"
    advice = "a wheel (make wheel) is about a fifth faster on large captures"
    return Finding("airmile", "note" if slow else "ok", found, advice if slow else None)


def _python() -> Finding:
    return Finding("Python", "ok", f"{platform.python_version()} on {platform.platform()}")


def _packages() -> Finding:
    """Check the required packages."""
    names = [name for name, extra in _required() if extra is None]
    versions = {name: _version(name) for name in names}
    missing = [name for name, version in versions.items() if version is None]
    if missing:
        return Finding(
            "packages", "error", f"{', '.join(missing)} not installed",
            "pip install --force-reinstall airmile",
        )  # fmt: skip
    return Finding("packages", "ok", ", ".join(f"{n} {v}" for n, v in versions.items()))


def _extras() -> Iterator[Finding]:
    """Check the optional packages, without those of developers."""
    required = _required()
    for extra in dict.fromkeys(extra for _, extra in required if extra not in (None, "dev")):
        versions = {name: _version(name) for name, of in required if of == extra}
        parts = ", ".join(f"{name} {version or 'missing'}" for name, version in versions.items())
        missing = " ".join(name for name, version in versions.items() if version is None)
        advice = f"if you want it: {sys.executable} -m pip install {missing}" if missing else None
        yield Finding(f"extra {extra}", "note" if missing else "ok", parts, advice)


def _required() -> list[tuple[str, str | None]]:
    """Return the packages on which airmile depends, each with its extra or None."""
    found = []
    for line in metadata.requires("airmile") or []:
        name = re.match(r"[\w.-]+", line)
        extra = re.search(r"extra\s*==\s*['\"](\w+)['\"]", line)
        if name:
            found.append((name[0], extra[1] if extra else None))
    return found


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _processors() -> Finding:
    number = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return Finding("processors", "ok", f"{counted(number or 1, 'core')} to use (--threads)")


def _memory() -> Finding:
    free, whole = free_bytes(), whole_bytes()
    if free is None or whole is None:
        return Finding("memory", "note", "this system does not report free memory")
    found = f"{size(free)} free of {size(whole)}"
    if free < LEAST_MEMORY:
        advice = "captures with many open flows may not fit: close other programs"
        return Finding("memory", "warning", found, advice)
    return Finding("memory", "ok", found)


def _folder() -> Finding:
    """Check that the current folder, where datasets go by default, can be written to."""
    here = Path.cwd()
    try:
        with tempfile.TemporaryFile(dir=here):
            pass
    except OSError as error:
        return Finding(
            "this directory", "error", f"{here} cannot be written to: {error.strerror}",
            "go to another directory, or name one with -o",
        )  # fmt: skip
    free = shutil.disk_usage(here).free
    found = f"{here} can be written to, {size(free)} free"
    if free < LEAST_DISK:
        return Finding("this directory", "warning", found, "make room, or name another with -o")
    return Finding("this directory", "ok", found)


def _tcpdump() -> Finding:
    """Check whether this user can record packets here."""
    path = shutil.which("tcpdump")
    if path is None:
        return Finding(
            "recording", "note", "tcpdump is not installed (airmile only reads captures)",
            "to record on this machine: apt-get install tcpdump, or dnf or brew",
        )  # fmt: skip
    found = f"{_first_line(path, '--version')} at {path}"
    if _may_record(path):
        return Finding("recording", "ok", f"{found}, allowed to record")
    return Finding(
        "recording", "note", f"{found}, not allowed to record as this user",
        f"sudo {path} -s 128 -w phone.pcap, or once: sudo setcap cap_net_raw,cap_net_admin=ep "
        + path,
    )  # fmt: skip


def _may_record(path: str) -> bool:
    """Return whether this process or the program has the capability to record."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return _effective_capability()
    if hasattr(os, "getxattr"):
        try:
            # tcpdump has no use for other capabilities, so any capability counts as this one.
            return bool(os.getxattr(path, "security.capability"))
        except OSError:
            pass
    return _effective_capability() if Path("/proc/self/status").exists() else False


def _effective_capability() -> bool:
    """Return whether this process may open packet sockets; root in a container often may not."""
    status = Path("/proc/self/status")
    if not status.exists():
        return True
    found = re.search(r"^CapEff:\s*([0-9a-f]+)", status.read_text(), re.MULTILINE)
    return bool(found and int(found[1], 16) >> CAP_NET_RAW & 1)


def _first_line(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    lines = (done.stdout or done.stderr).splitlines()
    return lines[0] if lines else count(done.returncode)
