"""Checks of this machine: installed packages, memory, disk, and the right to record."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from airmile import _capabilities
from airmile._memory import free_bytes, whole_bytes
from airmile._words import count, counted, quoted, size
from airmile.doctor import Finding, leftovers

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
    yield _processors()
    yield _memory()
    yield _folder()
    yield _tcpdump()
    yield from leftovers.findings(Path.cwd())


def _airmile() -> Finding:
    try:
        from airmile import _engine
    except ImportError as error:
        return Finding(
            "airmile", "error", f"the engine cannot be loaded: {error}",
            "install a wheel for this system; in airmile's source: make wheel, then "
            f"{_pip()} dist/airmile-*.whl",
        )  # fmt: skip
    profile = _engine.__profile__
    found = f"{metadata.version('airmile')}, engine built with profile {profile}"
    if profile == "debug":
        return Finding(
            "airmile",
            "warning",
            found,
            "it is many times slower than a wheel: in airmile's source, make wheel",
        )
    slow = profile != "dist"
    advice = "a wheel (in airmile's source: make wheel) is about a fifth faster on large captures"
    return Finding("airmile", "note" if slow else "ok", found, advice if slow else None)


def _python() -> Finding:
    return Finding("Python", "ok", f"{platform.python_version()} on {platform.platform()}")


def _packages() -> Finding:
    """Check the required packages."""
    needed = [each for each in _required() if each.extra is None]
    versions = {each.name: _version(each.name) for each in needed}
    missing = [each for each in needed if versions[each.name] is None]
    if missing:
        names = ", ".join(each.name for each in missing)
        return Finding("packages", "error", f"{names} not installed", _pip(missing))
    return Finding("packages", "ok", ", ".join(f"{n} {v}" for n, v in versions.items()))


def _extras() -> Iterator[Finding]:
    """Check the optional packages, without those of developers."""
    required = _required()
    for extra in dict.fromkeys(each.extra for each in required if each.extra not in (None, "dev")):
        own = [each for each in required if each.extra == extra]
        versions = {each.name: _version(each.name) for each in own}
        parts = ", ".join(f"{name} {version or 'missing'}" for name, version in versions.items())
        missing = [each for each in own if versions[each.name] is None]
        advice = f"if you want it: {_pip(missing)}" if missing else None
        yield Finding(f"extra {extra}", "note" if missing else "ok", parts, advice)


@dataclass(frozen=True)
class _Required:
    """A package on which airmile depends: its name, the versions, and the extra or None."""

    name: str
    versions: str
    extra: str | None


def _required() -> list[_Required]:
    found = []
    for line in metadata.requires("airmile") or []:
        wanted, _, marker = line.partition(";")
        name = re.match(r"[\w.-]+", wanted)
        extra = re.search(r"extra\s*==\s*['\"](\w+)['\"]", marker)
        if name:
            found.append(_Required(name[0], wanted.strip(), extra[1] if extra else None))
    return found


def _pip(packages: Sequence[_Required] = ()) -> str:
    """Return the command that installs packages for this Python, and not for another one."""
    wanted = [quoted(each.versions) for each in packages]
    return " ".join([quoted(sys.executable), "-m pip install", *wanted])


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
            "to record on this machine: sudo apt-get install tcpdump, or with dnf or brew",
        )  # fmt: skip
    found = f"{_first_line(path, '--version')} at {path}"
    if _may_record(path):
        return Finding("recording", "ok", f"{found}, allowed to record")
    if _is_root():
        lacks = f"{found}, not allowed to record: root lacks CAP_NET_RAW"
        return Finding("recording", "note", lacks, _capabilities.advice(["CAP_NET_RAW"]))
    return Finding("recording", "note", f"{found}, not allowed to record as this user", _how(path))


def _how(path: str) -> str:
    """Return how to record.

    The program gets no capability of its own, with which every user could record everything.
    """
    # Without -Z, tcpdump may become another user, who must not write into this folder.
    return f'sudo {quoted(path)} -Z "$(id -un)" -s 128 -w phone.pcap (Ctrl-C ends it)'


def _may_record(path: str) -> bool:
    """Return whether this process or the program has the capability to record."""
    if hasattr(os, "getxattr") and not _is_root():
        try:
            # tcpdump has no use for other capabilities, so any capability counts as this one.
            return bool(os.getxattr(path, "security.capability"))
        except OSError:
            pass
    return not _capabilities.lacking(["NET_RAW"])


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _first_line(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    lines = (done.stdout or done.stderr).splitlines()
    return lines[0] if lines else count(done.returncode)
