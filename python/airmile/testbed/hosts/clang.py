"""The testbed's BPF programs, compiled and loaded when a run begins.

They need clang, bpftool and BTF. A run goes on without them and reports what is missing.
"""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from airmile.testbed.hosts.programs import PATH

SOURCES = Path(__file__).parent.parent / "bpf"

_BTF = Path("/sys/kernel/btf/vmlinux")
_HEADER = Path("/usr/include/bpf/bpf_helpers.h")


class MissingError(Exception):
    """BPF cannot be used here, and why."""


def check() -> None:
    """Check that everything that BPF needs is there.

    Raises
    ------
    MissingError
        Something is not there; the message says how to get it.
    """
    for name, package in (("clang", "clang"), ("bpftool", "bpftool")):
        if not shutil.which(name, path=PATH):
            raise MissingError(f"{name} is not installed (sudo apt-get install -y {package})")
    if not _HEADER.exists():
        raise MissingError("the headers of libbpf are not installed (libbpf-dev)")
    if not _BTF.exists():
        raise MissingError(f"the kernel does not describe its types: no {_BTF}")


def compile_source(name: str, out: Path, defines: Mapping[str, int | str]) -> None:
    """Compile one of the testbed's sources."""
    given = [f"-D{key}={value}" for key, value in defines.items()]
    # Debian keeps asm/types.h in the folder of the machine.
    machine = sysconfig.get_config_var("MULTIARCH")
    headers = [f"-I/usr/include/{machine}"] if machine else []
    # -g keeps the types, which the loader looks up in the running kernel.
    options = ["-O2", "-g", "-target", "bpf", *headers, *given]
    tool("clang", *options, "-c", str(SOURCES / name), "-o", str(out))


def tool(name: str, *arguments: str) -> str:
    """Run a program and give its output.

    Raises
    ------
    MissingError
        It fails; the message is its first line of errors.
    """
    program = shutil.which(name, path=PATH) or name
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "rror" in line] or [done.stderr]
        raise MissingError(f"{name}: {said[0].strip()}")
    return done.stdout
