"""Compiles and loads the BPF programs of the testbed when a run begins.

This needs clang, bpftool and BTF. Without them a run goes on and reports what is missing.
"""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from airmile.testbed.hosts import programs

SOURCES = Path(__file__).parent.parent / "bpf"

PROGRAMS = ("clang", "bpftool")
"""The programs that compile and load BPF programs."""

HEADERS = "libbpf-dev"
"""Debian's package of the headers of libbpf."""

_BTF = Path("/sys/kernel/btf/vmlinux")
_HEADER = Path("/usr/include/bpf/bpf_helpers.h")


class MissingError(Exception):
    """BPF cannot be used on this machine; the message gives the reason."""


def check() -> None:
    """Check that the machine has everything that BPF programs need.

    Raises
    ------
    MissingError
        Something is missing; the message says how to install it.
    """
    for name in PROGRAMS:
        if programs.missing([name]):
            raise MissingError(f"{name} is not installed ({programs.install([name])})")
    for package in packages():
        raise MissingError(f"the headers of libbpf are not installed ({package})")
    if not has_types():
        raise MissingError(f"the kernel does not describe its types: no {_BTF}")


def packages() -> list[str]:
    """Return the packages without a program that are missing: those with the headers."""
    return [] if _HEADER.exists() else [HEADERS]


def has_types() -> bool:
    """Return whether the kernel describes its types (BTF), which a BPF program needs."""
    return _BTF.exists()


def compile_source(name: str, out: Path, defines: Mapping[str, int | str]) -> None:
    """Compile a BPF source of the testbed."""
    given = [f"-D{key}={value}" for key, value in defines.items()]
    # Debian keeps asm/types.h in a folder named after the machine.
    machine = sysconfig.get_config_var("MULTIARCH")
    headers = [f"-I/usr/include/{machine}"] if machine else []
    # -g keeps the types, which the loader looks up in the running kernel.
    options = ["-O2", "-g", "-target", "bpf", *headers, *given]
    tool("clang", *options, "-c", str(SOURCES / name), "-o", str(out))


def tool(name: str, *arguments: str) -> str:
    """Run a program and return its output.

    Raises
    ------
    MissingError
        The program fails; the message is its first line of errors.
    """
    program = shutil.which(name, path=programs.PATH) or name
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "rror" in line] or [done.stderr]
        raise MissingError(f"{name}: {said[0].strip()}")
    return done.stdout
