"""Checks, before the first run of a campaign, what all its runs need on this machine."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from airmile._errors import AirmileError, OutputError
from airmile._words import listed, size
from airmile.testbed.experiment import controls
from airmile.testbed.experiment.toml_file import Experiment
from airmile.testbed.hosts import clang, proc, programs, rights
from airmile.testbed.run import clients

ALWAYS = ("tcpdump", "unshare")
"""The programs that every run needs."""

PACKAGES = {
    "pyroute2": "pyroute2>=0.7,<1", "matplotlib": "matplotlib>=3.10,<4", "scipy": "scipy>=1.13,<2",
}  # fmt: skip
"""The Python packages, by module: for the hosts, the pictures and the intervals."""


class Lack(NamedTuple):
    """Something that is missing, and the command that installs it."""

    what: str
    how: str = ""


def check(experiments: Sequence[Experiment], out: Path, needed_bytes: int) -> None:
    """Check that this machine has everything that the runs of experiments need.

    Parameters
    ----------
    experiments : sequence of Experiment
        All runs of the campaign that are still to be made.
    out : Path
        The folder of the campaign, which need not exist yet.
    needed_bytes : int
        The disk space that the runs need, in bytes.

    Raises
    ------
    OutputError
        Something is missing: one error names everything, with the commands that install it.
    """
    lacks = list(_lacks(experiments, out, needed_bytes))
    if lacks:
        hints = list(dict.fromkeys(lack.how for lack in lacks if lack.how))
        raise OutputError("; ".join(lack.what for lack in lacks), "; ".join(hints))


def _lacks(experiments: Sequence[Experiment], out: Path, needed_bytes: int) -> Iterator[Lack]:
    if not sys.platform.startswith("linux"):
        yield Lack(f"the testbed needs Linux, and this is {sys.platform}")
        return
    yield from _refusals(proc.check)
    yield from _refusals(rights.check)
    yield from _programs(experiments)
    yield from _python()
    yield from _controls(experiments)
    yield from _disk(out, needed_bytes)


def _refusals(check: Callable[[], None]) -> Iterator[Lack]:
    """Yield the error that a check of a run raises."""
    try:
        check()
    except AirmileError as error:
        yield Lack(error.message, error.hint or "")


def _programs(experiments: Sequence[Experiment]) -> Iterator[Lack]:
    """Yield the programs that are missing, including what compiles the BPF controls."""
    wanted = {*ALWAYS, *(name for each in experiments for name in clients.needs(each))}
    if any(each.proxy for each in experiments):
        wanted.add("iptables")
    compiled = sorted(_compiled(experiments))
    if compiled:
        wanted |= set(clang.PROGRAMS)
    missing = [*programs.missing(wanted), *(clang.packages() if compiled else [])]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        yield Lack(f"{listed(missing)} {are} not installed", programs.install(missing))
    if compiled and not clang.has_types():
        yield Lack(
            f"this kernel does not describe its types (BTF), without which {listed(compiled)} "
            "cannot be loaded",
            "use a kernel with CONFIG_DEBUG_INFO_BTF",
        )


def _compiled(experiments: Sequence[Experiment]) -> set[str]:
    """Return the congestion controls that must be compiled, because the kernel lacks them."""
    used = {name for each in experiments for name in controls.used(asdict(each))}
    lacking = used - set(controls.AVAILABLE.read_text().split())
    return {name for name in lacking if (clang.SOURCES / f"{name}.bpf.c").exists()}


def _python() -> Iterator[Lack]:
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        wanted = " ".join(f"'{PACKAGES[name]}'" for name in missing)
        yield Lack(f"Python lacks {listed(missing)}", f"{sys.executable} -m pip install {wanted}")


def _controls(experiments: Sequence[Experiment]) -> Iterator[Lack]:
    seen = set()
    for each in experiments:
        try:
            controls.check(asdict(each))
        except AirmileError as error:
            if error.message not in seen:
                seen.add(error.message)
                yield Lack(error.message, error.hint or "")


def _disk(out: Path, needed_bytes: int) -> Iterator[Lack]:
    folder = next(each for each in (out.absolute(), *out.absolute().parents) if each.exists())
    free = shutil.disk_usage(folder).free
    if free < needed_bytes:
        yield Lack(
            f"{folder} has {size(free)} free, and the runs need some {size(needed_bytes)}",
            "name a folder on a larger disk with -o",
        )
